import type { AppendSample } from './append-sample.js';

const PROBE_EVERY_MS = 1_000;

/**
 * Whether a log accepts writes. While writes succeed, the last one answers. Before the first write and after a failure,
 * a probe does, at most once a second, since anybody may request `/health`.
 */
export class WriteProbe {
  private succeeds = false;
  private probedAt = -Infinity;
  private probed: Promise<void> = Promise.resolve();

  /** @param probe tries a write that changes nothing of the log */
  constructor(private readonly probe: () => Promise<boolean>) {}

  wrote(outcome: AppendSample['outcome']): void {
    this.succeeds = outcome !== 'unavailable' && outcome !== 'unknown';
  }

  async takesWrites(): Promise<boolean> {
    if (!this.succeeds && performance.now() - this.probedAt >= PROBE_EVERY_MS) {
      this.probedAt = performance.now();
      this.probed = this.probe().then(
        (succeeds) => void (this.succeeds = succeeds),
        () => undefined,
      );
    }
    await this.probed;
    return this.succeeds;
  }
}
