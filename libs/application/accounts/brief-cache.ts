/**
 * Time for which a replica trusts a checked key or session, in milliseconds of its monotonic clock since it sent the check.
 */
export const CHECKED_FOR_MS = 1_000;

interface Check<T> {
  readonly answer: Promise<T>;
  readonly sentAt: number;
}

/**
 * Recently checked values. A value is used for at most `maxAgeMs` of the monotonic clock, counted from when its check
 * was sent, not answered; callers within that time share a pending check. Bounded: the oldest is evicted first.
 */
export class BriefCache<T> {
  private readonly entries = new Map<string, { readonly value: T; readonly sentAt: number }>();
  private readonly checks = new Map<string, Check<T>>();

  constructor(
    private readonly check: (key: string) => Promise<T>,
    private readonly maxAgeMs: number,
    private readonly bound = 10_000,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The value when it is fresh; undefined when it has to be checked. */
  fresh(key: string): T | undefined {
    const entry = this.entries.get(key);
    return entry && this.isYoung(entry) ? entry.value : undefined;
  }

  /** @throws the check's error, which is not cached */
  load(key: string): Promise<T> {
    const running = this.checks.get(key);
    if (running && this.isYoung(running)) return running.answer;
    const sentAt = this.now();
    const started: Check<T> = {
      sentAt,
      answer: this.check(key)
        .then((value) => {
          // A check that was dropped or replaced while in flight may be older than the change that did so.
          if (this.checks.get(key) === started) this.keep(key, value, sentAt);
          return value;
        })
        .finally(() => {
          if (this.checks.get(key) === started) this.checks.delete(key);
        }),
    };
    this.checks.set(key, started);
    return started.answer;
  }

  drop(key: string): void {
    this.entries.delete(key);
    this.checks.delete(key);
  }

  dropAll(): void {
    this.entries.clear();
    this.checks.clear();
  }

  private isYoung({ sentAt }: { readonly sentAt: number }): boolean {
    return this.now() - sentAt < this.maxAgeMs;
  }

  private keep(key: string, value: T, sentAt: number): void {
    this.entries.delete(key);
    this.entries.set(key, { value, sentAt });
    if (this.entries.size <= this.bound) return;
    for (const oldest of this.entries.keys()) {
      this.entries.delete(oldest);
      break;
    }
  }
}
