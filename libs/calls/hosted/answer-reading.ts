import { isRecord } from '#primitives/values.js';
import { Alike } from './alike.js';
import type { Dropped } from './dropped.js';
import { HostedModelError, type GenerationEvent } from './port.js';
import type { Provider } from './providers.js';
import { eventStreamReader } from './server-sent-events.js';
import { senseless } from './upstream-errors.js';
import type { UpstreamAnswer } from './upstream.js';

type Fields = Readonly<Record<string, unknown>>;

/** Turns a provider's output into events; each style reads its own values. */
export abstract class AnswerReading {
  /** The failure that followed the events of the last chunk, and ended the answer. */
  failure: HostedModelError | null = null;
  private readonly alike: Alike;
  private readonly data = eventStreamReader();

  /** @param dropped is told of events that could not be read @param textKey what precedes the text in a delta's JSON, such as `"text":` @param kind `message` or `completion`, for errors */
  constructor(
    protected readonly provider: Provider,
    protected readonly dropped: Dropped,
    textKey: string,
    private readonly kind: string,
  ) {
    this.alike = new Alike(textKey);
  }

  abstract get isEnded(): boolean;

  /** The events of a complete answer. @throws HostedModelError */
  abstract whole(text: string): readonly GenerationEvent[];

  /** The last events of a stream. @throws HostedModelError if it broke off */
  abstract end(): readonly GenerationEvent[];

  /** Appends the events of one value of a stream. @throws HostedModelError */
  protected abstract read(value: Fields, events: GenerationEvent[]): void;

  /**
   * The events of a stream's chunk, cut anywhere.
   * @param bytes null: the stream is at its end
   * @throws HostedModelError if it failed before anything was produced
   */
  chunk(bytes: Uint8Array | null): readonly GenerationEvent[] {
    const events: GenerationEvent[] = [];
    try {
      for (const data of this.data(bytes)) {
        this.event(data, events);
        // Some providers of one style end with the other's last event.
        if (this.isEnded) break;
      }
      if (bytes === null && !this.isEnded) events.push(...this.end());
    } catch (error) {
      if (!(error instanceof HostedModelError) || !events.some(isProduced)) throw error;
      this.failure = error;
    }
    return events;
  }

  protected event(data: string, events: GenerationEvent[]): void {
    const alike = this.alike.read(data);
    if (alike !== null) return void events.push(alike);
    const value = recordOf(data);
    if (value === null) {
      // Some servers have no blank line between events.
      const lines = data.split('\n');
      if (lines.length > 1) return lines.forEach((line) => void (this.isEnded || this.event(line, events)));
      // From a proxy, or a server that breaks: the rest of the answer is worth more than an error.
      return this.dropped.leftOut('answer.event');
    }
    const said: GenerationEvent[] = [];
    this.read(value, said);
    this.alike.learn(data, said);
    // A spread into `push` would overflow the stack with very many events.
    for (const event of said) events.push(event);
  }

  /** The object that a whole answer is. @throws HostedModelError */
  protected parsed(text: string): Fields {
    const value = recordOf(text);
    if (value !== null) return value;
    // The text is the model's, or of unknown origin: it is not repeated.
    throw senseless(this.provider, 'answered with something that is no object of JSON');
  }

  protected understood<Result>(act: () => Result): Result {
    try {
      return act();
    } catch (error) {
      if (error instanceof HostedModelError) throw error;
      throw senseless(this.provider, `answered with something that is no ${this.kind}`, error);
    }
  }
}

function recordOf(json: string): Fields | null {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** The events of an answer, in batches; a single batch unless `stream`. It is asked for with the first. @throws HostedModelError */
export async function* eventsOf(
  ask: () => Promise<UpstreamAnswer>,
  reading: AnswerReading,
  stream: boolean,
  told: (events: readonly GenerationEvent[]) => readonly GenerationEvent[] = (events) => events,
): AsyncGenerator<readonly GenerationEvent[], undefined> {
  const answer = await ask();
  try {
    const first: Uint8Array[] = [];
    if (!(await isStreamed(answer, first))) {
      yield told(reading.whole(await textOf(answer, first)));
      return;
    }
    const held: GenerationEvent[] = [];
    while (!reading.isEnded) {
      const bytes = first.shift() ?? (await answer.body.next()).value ?? null;
      const events = told(reading.chunk(bytes));
      // The rest is of no interest, but the connection is.
      if (reading.isEnded) answer.drain();
      if (!stream) for (const event of events) held.push(event);
      else if (events.length > 0) yield events;
      if (reading.failure !== null) throw reading.failure;
    }
    if (!stream) yield held;
  } finally {
    await answer.body.return?.();
  }
}

/**
 * Whether an answer is an event stream: by its type, or else its first bytes, since some servers name it otherwise, or not at all.
 * @param first gets the chunks that were read to see it
 */
async function isStreamed({ contentType, body }: UpstreamAnswer, first: Uint8Array[]): Promise<boolean> {
  if (contentType.startsWith('text/event-stream')) return true;
  let opening = '';
  while (opening.length < 'event:'.length) {
    const next = await body.next();
    if (next.done) break;
    first.push(next.value);
    opening = (opening + Buffer.from(next.value).toString('latin1')).replace(BLANK, '');
  }
  return /^(?:(?:data|event|id|retry):|:)/.test(opening);
}

/** A byte order mark and white space, each byte of which is read as a character. */
const BLANK = /^(?:\xef\xbb\xbf)?\s+|^\xef\xbb\xbf/;
const utf8 = new TextDecoder();

/** Without a byte order mark. @param first chunks of it that were read before */
export async function textOf({ body }: Pick<UpstreamAnswer, 'body'>, first: Uint8Array[] = []): Promise<string> {
  for (let next = await body.next(); !next.done; next = await body.next()) first.push(next.value);
  return utf8.decode(first.length === 1 ? first[0] : Buffer.concat(first));
}

/**
 * Whether the event is part of the answer rather than about it: from the first one on, the caller has a part of the
 * answer.
 */
const isProduced = ({ type }: GenerationEvent): boolean => type !== 'usage' && type !== 'details';
