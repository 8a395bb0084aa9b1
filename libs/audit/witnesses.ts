import type { Egress } from '#primitives/egress/index.js';
import { EgressFailedError, EgressRefusedError } from '#primitives/egress/errors.js';
import {
  COSIGNATURE,
  NoteError,
  openCheckpoint,
  parseVerifier,
  type TreeCheckpoint,
  type Verifier,
} from './checkpoint.js';
import { cosignedAt } from './cosignature.js';
import { textOf } from './response-text.js';
import type { TreeFiles } from './tree-files.js';
import { consistencyProof } from './tree/proofs.js';

/** The address that checkpoints are posted to, as plain data. */
export interface WitnessAddress {
  readonly url: string;
  /** Public key of a witness that cosigns (C2SP tlog-witness); null for an address that is only notified. */
  readonly key: string | null;
}

/** Answer of one address to the newest checkpoint. */
export type WitnessStatus = {
  readonly host: string;
  /** Events under the last checkpoint that it accepted; null if it accepted none from this process. */
  readonly size: number | null;
  /** Why it did not take the newest one. */
  readonly error: string | null;
};

const TIMEOUT_MS = 5_000;
/** The witness has another size than the request said, and answers with its own. */
const CONFLICT = 409;
const NOT_CONTINUED = 422;

/** @throws NoteError unless the key is a witness's, and RangeError for an invalid address */
export function parseWitness({ url, key }: WitnessAddress): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new RangeError(`${url} is no web address`);
  if (key !== null) parseVerifier(key, COSIGNATURE);
}

/** Errors other than these are told by name only: an address may hold credentials. */
export function problemOf(error: unknown): string {
  const isKnown = [EgressFailedError, EgressRefusedError, NoteError].some((known) => error instanceof known);
  return isKnown ? (error as Error).message : error instanceof Error ? error.name : 'unknown';
}

interface Submission {
  readonly files: TreeFiles;
  readonly note: string;
  readonly verifiers: readonly Verifier[];
  readonly signal: AbortSignal;
}

/** The addresses that each checkpoint is posted to. */
export class Witnesses {
  private readonly all: readonly Witness[];

  /** @param egress null only without addresses */
  constructor(addresses: readonly WitnessAddress[], egress: Pick<Egress, 'fetch'> | null) {
    this.all = addresses.map((address) => new Witness(address, egress!));
  }

  status(): readonly WitnessStatus[] {
    return this.all.map((witness) => witness.status());
  }

  /**
   * Posts the checkpoint to every address that has not taken it yet.
   * @returns the note with the cosignatures that came back
   * @throws WitnessedMoreError when a witness has seen a larger tree
   */
  async submit({ files, note, verifiers, signal }: Submission): Promise<string> {
    const head = openCheckpoint(note, verifiers);
    const lines = await Promise.all(this.all.map((witness) => witness.submit(files, note, head, signal)));
    const more = this.all.find(({ seen }) => seen > head.size);
    if (more) throw new WitnessedMoreError(more.host, more.seen, head.size);
    return `${note}${lines.flatMap((line) => (line === null || note.includes(line) ? [] : [`${line}\n`])).join('')}`;
  }
}

class Witness {
  readonly host: string;
  /** Events of the newest tree that it is known to have seen. */
  seen = 0;
  private readonly verifier: Verifier | null;
  private taken: { readonly size: number; readonly text: string } | null = null;
  private error: string | null = null;

  constructor(
    private readonly address: WitnessAddress,
    private readonly egress: Pick<Egress, 'fetch'>,
  ) {
    this.host = new URL(address.url).host;
    this.verifier = address.key === null ? null : parseVerifier(address.key, COSIGNATURE);
  }

  status(): WitnessStatus {
    return { host: this.host, size: this.taken?.size ?? null, error: this.error };
  }

  /** @returns the line of a cosignature; null if none came, or none is needed */
  async submit(files: TreeFiles, note: string, head: TreeCheckpoint, signal: AbortSignal): Promise<string | null> {
    const text = `${head.size} ${Buffer.from(head.root).toString('base64')}`;
    if (this.taken?.text === text || head.size === 0) return null;
    try {
      const line = this.verifier === null ? await this.tell(note, signal) : await this.ask(files, note, head, signal);
      this.taken = { size: head.size, text };
      this.error = null;
      return line;
    } catch (error) {
      this.error = problemOf(error);
      return null;
    }
  }

  private async tell(note: string, signal: AbortSignal): Promise<null> {
    const { status } = await this.post(this.address.url, note, signal);
    if (status >= 300) throw new NoteError(`it answered ${status}`);
    return null;
  }

  /** C2SP tlog-witness, `add-checkpoint`. @throws NoteError */
  private async ask(files: TreeFiles, note: string, head: TreeCheckpoint, signal: AbortSignal): Promise<string> {
    let answer = await this.addCheckpoint(files, note, head, signal);
    if (answer.status === CONFLICT) {
      const size = Number(answer.text.trim());
      if (!/^\d+\n?$/.test(answer.text) || !Number.isSafeInteger(size))
        throw new NoteError('it answered 409 without a size');
      this.seen = size;
      if (size > head.size) throw new NoteError(`it has seen a tree of ${size} events, and this one has ${head.size}`);
      answer = await this.addCheckpoint(files, note, head, signal);
    }
    if (answer.status === NOT_CONTINUED)
      throw new NoteError('it does not take this tree for the continuation of the one that it has seen (422)');
    if (answer.status !== 200) throw new NoteError(`it answered ${answer.status}`);
    const line = answer.text.split('\n').find((each) => cosignedAt(note, this.verifier!, [each]) !== null);
    if (line === undefined)
      throw new NoteError('it answered without a cosignature by the key that is configured for it');
    this.seen = head.size;
    return line;
  }

  private async addCheckpoint(files: TreeFiles, note: string, { size }: TreeCheckpoint, signal: AbortSignal) {
    const { seen } = this;
    const proof = seen === 0 || seen >= size ? [] : await consistencyProof(files.hashes(size), seen, size);
    const hashes = proof.map((hash) => `${Buffer.from(hash).toString('base64')}\n`).join('');
    const url = `${this.address.url.replace(/\/$/, '')}/add-checkpoint`;
    return this.post(url, `old ${seen}\n${hashes}\n${note}`, signal);
  }

  private async post(url: string, body: string, signal: AbortSignal) {
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'user-agent': 'anneal-audit' };
    const limits = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await this.egress.fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body,
      signal: limits,
    });
    return { status: response.status, text: await textOf(response) };
  }
}

/** A witness has seen a larger tree: the end of this one was cut off. */
export class WitnessedMoreError extends Error {
  override readonly name = 'WitnessedMoreError';
  constructor(host: string, seen: number, size: number) {
    super(`the witness ${host} has seen a tree of ${seen} events, and this one has ${size}: its end was cut off`);
  }
}
