import type { Egress } from '#primitives/egress/index.js';
import { unlessAborted } from '#primitives/waiting/unless-aborted.js';
import { readCheckpoint } from './checkpoint.js';
import { openKeeper, type CheckpointKeeper, type CheckpointPlace } from './kept-checkpoints.js';
import type { TreeFiles } from './tree-files.js';
import { problemOf } from './witnesses.js';

/** What a signed checkpoint is given from outside, as plain data. */
export interface AnchorOptions {
  /** Where copies are kept; null: nowhere. */
  readonly place: CheckpointPlace | null;
  /** Address of the authority that stamps them with the time (RFC 3161); null: none does. */
  readonly timestamps: string | null;
}

/** How the last attempt ended. */
export type AnchorStatus = {
  /** Events under the newest checkpoint for which it succeeded; null: none in this process. */
  readonly size: number | null;
  readonly error: string | null;
};

/** From one copy to the next, while checkpoints are signed each minute. */
const EVERY_MS = 10 * 60_000;
const TIMEOUT_MS = 20_000;

/** Has checkpoints stamped with the time, and keeps copies of them: at the start, every ten minutes, and at the end. */
export class Anchors {
  private readonly stamping = new Attempts();
  private readonly keeping = new Attempts();
  private keeper: Promise<CheckpointKeeper> | null = null;
  private isCompared = false;

  constructor(
    private readonly options: AnchorOptions,
    private readonly files: TreeFiles,
    private readonly egress: Pick<Egress, 'fetch'> | null,
    private readonly everyMs = EVERY_MS,
  ) {}

  status(): { readonly checkpoints: AnchorStatus | null; readonly timestamps: AnchorStatus | null } {
    const { place, timestamps } = this.options;
    return {
      checkpoints: place && this.keeping.status(),
      timestamps: timestamps === null ? null : this.stamping.status(),
    };
  }

  /** The newest checkpoint of a tree that was kept; null if there is none, or the place does not answer. */
  async newest(origin: string, signal: AbortSignal): Promise<string | null> {
    if (this.options.place === null || this.isCompared) return null;
    const found = await this.keeping.run(signal, async (limits) => (await this.opened()).kept(origin, limits));
    this.isCompared = found !== null;
    return found?.newest ?? null;
  }

  /** @param isLast whether the process ends: then it does not wait for the next turn */
  async take(note: string, isLast: boolean, signal: AbortSignal): Promise<void> {
    const { place, timestamps } = this.options;
    const head = readCheckpoint(note);
    if (head.size === 0) return;
    const isDue = (attempts: Attempts) => attempts.isDue(note, isLast ? 0 : this.everyMs);
    let stamp: Uint8Array | null = null;
    if (timestamps !== null && isDue(this.stamping)) {
      const { requestTimestamp } = await import('./timestamps.js');
      stamp = await this.stamping.run(signal, async (limits) => {
        const answer = await requestTimestamp(this.egress!, timestamps, note, limits);
        await this.files.putTimestamp(head, note, answer);
        return answer;
      });
      if (stamp !== null) this.stamping.took(note, head.size);
    }
    if (place === null || !(stamp !== null || isDue(this.keeping))) return;
    const kept = await this.keeping.run(signal, async (limits) => {
      await (await this.opened()).keep(note, stamp, limits);
      return true;
    });
    if (kept) this.keeping.took(note, head.size);
  }

  async close(): Promise<void> {
    await (await this.keeper?.catch(() => null))?.close();
  }

  private opened(): Promise<CheckpointKeeper> {
    return (this.keeper ??= openKeeper(this.options.place!, this.egress));
  }
}

/** Attempts at one thing: they fail without consequence, and are made again. */
class Attempts {
  private taken: { readonly note: string; readonly size: number; readonly at: number } | null = null;
  private error: string | null = null;

  status(): AnchorStatus {
    return { size: this.taken?.size ?? null, error: this.error };
  }

  isDue(note: string, everyMs: number): boolean {
    const { taken } = this;
    return taken === null || (taken.note !== note && performance.now() - taken.at >= everyMs);
  }

  took(note: string, size: number): void {
    this.taken = { note, size, at: performance.now() };
  }

  /** @returns null where it failed, or took too long */
  async run<T>(signal: AbortSignal, attempt: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const limits = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      // A place need not heed the signal.
      const result = await unlessAborted(attempt(limits), limits);
      this.error = null;
      return result;
    } catch (error) {
      this.error = problemOf(error);
      return null;
    }
  }
}
