import { UNREPORTED, type Background, type Repeated } from '#primitives/background/background.js';
import { ABSENT, type Coordination, type ExpectedEntry } from '#ports/coordination/port.js';

/** A writer that has been silent for so long has died. */
export const WRITER_SILENT_MS = 30_000;
const BEAT_MS = 10_000;

const keyOf = (writer: string): string => `call-writer/${writer}`;

/** Reports in coordination that a writer lives, while it has open calls. */
export class WriterPresence {
  private open = 0;
  private beating: Repeated | null = null;
  private expected: ExpectedEntry = ABSENT;

  constructor(
    private readonly coordination: Pick<Coordination, 'compareAndSet' | 'get'>,
    private readonly writer: string,
    private readonly background: Background = UNREPORTED,
  ) {}

  begin(): void {
    this.open += 1;
    this.beating ??= this.background.repeat('report-call-writer', () => this.beat(), { everyMs: BEAT_MS });
  }

  /** Presence outlives the last call by one interval, so that short calls do not toggle it. */
  end(): void {
    this.open -= 1;
  }

  /**
   * While coordination is down, no worker can miss this writer either. A worker that wrongly does cannot close a call that
   * this writer has closed, and vice versa.
   */
  private async beat(): Promise<void> {
    if (this.open === 0) {
      void this.beating?.close();
      this.beating = null;
      return;
    }
    if (!(await this.say())) await this.say();
  }

  /** @returns false if the last report has expired, so that a new one is needed */
  private async say(): Promise<boolean> {
    const key = keyOf(this.writer);
    const entry = await this.coordination.compareAndSet(key, this.expected, {}, WRITER_SILENT_MS);
    const version = (entry ?? (await this.coordination.get(key)))?.version;
    this.expected = version === undefined ? ABSENT : { kind: 'version', version };
    return entry !== null;
  }
}

/** Whether a writer reported itself within `WRITER_SILENT_MS`. */
export const writerIsPresent = async (coordination: Pick<Coordination, 'get'>, writer: string): Promise<boolean> =>
  (await coordination.get(keyOf(writer))) !== null;
