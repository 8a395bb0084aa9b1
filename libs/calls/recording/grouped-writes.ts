import { LogUnavailableError, UnavailableError } from '#domain/errors.js';

/** Maximum size of one group (EventStoreDB takes 1 MiB, envelope included). */
const MAX_GROUP_BYTES = 512 * 1024;
const MAX_GROUP = 512;
const PROBE_AFTER_MS = 1_000;

/** A part of a group that waits for its outcome. */
export type Waiting<Part> = Part & {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

/** Writes to the log of which one is in flight at a time; later ones are grouped into the next. */
export class GroupedWrites<Part extends { readonly bytes: number }> {
  private waiting: Waiting<Part>[] = [];
  private busy = false;
  private failedAt: number | null = null;

  /** @param write writes a group; may reject single parts of it */
  constructor(private readonly write: (group: readonly Waiting<Part>[]) => Promise<void>) {}

  get idle(): boolean {
    return !this.busy && this.waiting.length === 0;
  }

  /** True for a second after a failed write; then a call is let through as a probe. */
  get failing(): boolean {
    return this.failedAt !== null && performance.now() - this.failedAt < PROBE_AFTER_MS;
  }

  /** @throws UnavailableError when the log gives no definite answer in time */
  add(part: Part): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ ...part, resolve, reject });
      // Deferred to the end of the turn, so that calls answered together are stored together.
      if (!this.busy) {
        this.busy = true;
        queueMicrotask(() => void this.drain());
      }
    });
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const group = this.takeGroup();
      try {
        await this.write(group);
        this.failedAt = null;
        for (const { resolve } of group) resolve();
      } catch (error) {
        this.failedAt = performance.now();
        const reason = new LogUnavailableError('the event log accepts no writes now; try again', { cause: error });
        // Writes that arrived since have already waited for this answer, and would wait as long again.
        const refused = error instanceof UnavailableError ? [...group, ...this.waiting.splice(0)] : group;
        for (const { reject } of refused) reject(reason);
      }
    }
    this.busy = false;
  }

  private takeGroup(): Waiting<Part>[] {
    let bytes = 0;
    let count = 0;
    for (const { bytes: size } of this.waiting) {
      if (count > 0 && (count === MAX_GROUP || bytes + size > MAX_GROUP_BYTES)) break;
      bytes += size;
      count += 1;
    }
    return this.waiting.splice(0, count);
  }
}
