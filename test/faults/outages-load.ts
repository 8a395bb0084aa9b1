import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Answered, type Outcome } from './support/requests.js';

/** A client's request and its outcome. Times are of `performance.now()`. */
export interface Sample {
  readonly asked: string;
  readonly from: number;
  readonly to: number;
  readonly outcome: Outcome;
}

export interface Api {
  readonly url: string;
  readonly key: string;
}

export interface UploadedSet {
  readonly rows: number;
  /** The version's id. */
  readonly id: string;
}

const THINK_MS = 250;
const ROWS = 120;

/** A few clients that go on whatever happens, each with one thing to ask, and keep what they were told. */
export class SteadyLoad {
  readonly samples: Sample[] = [];
  readonly uploaded = new Map<string, UploadedSet>();
  /** Anything but yes and not-now, of what uploads consist of. */
  readonly oddities: string[] = [];
  private readonly stopped = new AbortController();
  private readonly clients: Promise<void>[] = [];
  private turn = 0;

  constructor(
    private readonly apis: readonly Api[],
    private readonly name: string,
  ) {}

  /** Asks again and again. The body is made anew each time, from a name that is used once. */
  repeat(asked: string, method: string, path: string, body?: (name: string) => unknown, key?: string): void {
    this.goOn(async (name) => {
      await this.ask(asked, method, path, body?.(name), key);
    });
  }

  /** Uploads datasets, one after another, with as many repeats as it takes. */
  upload(): void {
    this.goOn(async (name) => {
      const upload = { dataset_name: `set-${name}`, dataset_type: 'ner', filename: 'rows.jsonl' };
      const begun = await this.insist('upload url', () =>
        this.ask('upload url', 'POST', '/felix/datasets/upload/url', upload),
      );
      if (!begun) return;
      const { dataset_id: id, presigned_url: address } = begun as { dataset_id: string; presigned_url: string };
      if (!(await this.put(address))) return;
      const process = () => this.ask('process', 'POST', '/felix/datasets/upload/process', { dataset_id: id });
      if (await this.insist('process', process)) this.uploaded.set(`set-${name}`, { rows: ROWS, id });
    });
  }

  /** Begins an upload and puts its content. @returns asks once for it to be processed */
  async prepareUpload(name: string): Promise<() => Promise<void>> {
    const begun = await this.ask('upload url', 'POST', '/felix/datasets/upload/url', { dataset_name: name });
    const { dataset_id, presigned_url } = (begun as Answered).body;
    if (!(await this.put(presigned_url))) throw new Error(`${name} could not be put`);
    return async () => {
      await this.ask('prepared process', 'POST', '/felix/datasets/upload/process', { dataset_id });
    };
  }

  /** Requests that started and ended within a span of time. */
  within(from: number, to: number): Sample[] {
    return this.samples.filter((sample) => sample.from >= from && sample.to <= to);
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await Promise.all(this.clients);
  }

  private goOn(once: (name: string) => Promise<void>): void {
    const run = async () => {
      while (!this.stopped.signal.aborted) {
        await once(`${this.name}-${(this.turn += 1)}`);
        await sleep(THINK_MS);
      }
    };
    const client = run();
    // The rejection is delivered to whoever stops it.
    client.catch(() => undefined);
    this.clients.push(client);
  }

  private async ask(asked: string, method: string, path: string, body?: unknown, as?: string): Promise<Outcome> {
    const { url, key } = this.apis[(this.turn += 1) % this.apis.length]!;
    const from = performance.now();
    const outcome = await ask(url, as ?? key, method, path, body);
    this.samples.push({ asked, from, to: performance.now(), outcome });
    return outcome;
  }

  /** @returns the body of a yes; null after a stop, or an answer other than yes and not-now */
  private async insist(what: string, once: () => Promise<Outcome>): Promise<unknown> {
    while (!this.stopped.signal.aborted) {
      const outcome = await once();
      if (outcome.kind === 'answered' && outcome.status < 300) return outcome.body;
      // A read model may be behind: then a version is not known yet.
      const isNotNow =
        outcome.kind === 'answered' &&
        (outcome.status === 503 || isQueueFull(outcome) || (what === 'process' && outcome.status === 404));
      if (!isNotNow) {
        this.oddities.push(`${what}: ${JSON.stringify(outcome)}`);
        return null;
      }
      await sleep(THINK_MS * 2);
    }
    return null;
  }

  /** Uploads directly to the object store. */
  private async put(address: string): Promise<boolean> {
    const line = (row: number) =>
      `${JSON.stringify({ text: `fly to Town${row}`, entities: [[`Town${row}`, 'destination']] })}\n`;
    const body = Array.from({ length: ROWS }, (_, row) => line(row)).join('');
    while (!this.stopped.signal.aborted) {
      const signal = AbortSignal.any([AbortSignal.timeout(5_000), this.stopped.signal]);
      const response = await fetch(address, { method: 'PUT', body, signal }).catch(() => null);
      if (response?.ok) return true;
      if (response) {
        this.oddities.push(`PUT: ${response.status} ${await response.text()}`);
        return false;
      }
      await sleep(THINK_MS * 2);
    }
    return false;
  }
}

/** Whether uploads came faster than a busy machine read them. */
const isQueueFull = ({ status, body }: Answered): boolean => status === 429 && body.code === 'queue_full';

export const isYes = ({ outcome }: Sample): boolean => outcome.kind === 'answered' && outcome.status < 300;

/**
 * Whether an outcome is unexpected. Expected are success, a retryable refusal in its route's shape, and a 404 of a version
 * for which a read model is still behind.
 */
export function isOdd({ asked, outcome }: Sample): boolean {
  if (outcome.kind === 'broken') return true;
  const { status, body } = outcome;
  if (status === 503)
    return typeof body.detail !== 'string' || (asked === 'models' && body.error?.type !== 'server_error');
  return status >= 300 && !isQueueFull(outcome) && !(asked === 'process' && status === 404);
}

/** A line for people. */
export const summary = ({ asked, outcome }: Sample) =>
  `${asked}: ${JSON.stringify({ ...outcome, ...('body' in outcome && { body: JSON.stringify(outcome.body).slice(0, 200) }) })}`;
