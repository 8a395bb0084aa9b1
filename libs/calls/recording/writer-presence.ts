import { ABSENT, type Coordination, type ExpectedEntry } from '#ports/coordination/port.js';

/** A writer that has been silent for so long has died. */
export const WRITER_SILENT_MS = 30_000;
const BEAT_MS = 10_000;

const keyOf = (writer: string): string => `call-writer/${writer}`;

/** Reports in coordination that a writer lives, while it has open calls. */
export class WriterPresence {
  private open = 0;
  private beating: NodeJS.Timeout | null = null;
  private expected: ExpectedEntry = ABSENT;
  private busy = false;

  constructor(
    private readonly coordination: Pick<Coordination, 'compareAndSet' | 'get'>,
    private readonly writer: string,
  ) {}

  begin(): void {
    this.open += 1;
    if (this.beating) return;
    this.beating = setInterval(() => void this.beat(), BEAT_MS);
    this.beating.unref();
    void this.beat();
  }

  /** Presence outlives the last call by one interval, so that short calls do not toggle it. */
  end(): void {
    this.open -= 1;
  }

  private async beat(): Promise<void> {
    if (this.open === 0 && this.beating) {
      clearInterval(this.beating);
      this.beating = null;
      return;
    }
    if (this.busy) return;
    this.busy = true;
    try {
      if (!(await this.say())) await this.say();
    } catch {
      // While coordination is down, no worker can miss this writer either. A worker that wrongly does cannot close a
      // call that this writer has closed, and vice versa.
    }
    this.busy = false;
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
