import type { Bus, Subscription } from '#ports/bus/port.js';

/** The bus subject by which processes tell which collections they ask. */
const READING = 'read-models.reading';
const TELL_MS = 10_000;
/** Longer than a process may be silent: after that, one which asked a collection is gone. */
const GONE_MS = 60_000;

/** Tells others which collections this process asks, so that they keep them. */
export function tellReading(bus: Bus, collections: readonly string[]): { close(): Promise<void> } {
  const tell = () => bus.signal(READING, [...collections]);
  tell();
  const timer = setInterval(tell, TELL_MS);
  timer.unref();
  return { close: async () => clearInterval(timer) };
}

/** Which collections the processes of this system ask, as they tell. */
export class Readers {
  private readonly heardAt = new Map<string, number>();
  private readonly began: number;
  private readonly subscription: Subscription;

  /**
   * @param own collections of this process, by which it hears whether the bus works
   * @param now milliseconds of a clock that only goes on
   */
  constructor(
    bus: Bus,
    private readonly own: readonly string[],
    private readonly now: () => number = () => performance.now(),
  ) {
    this.began = now();
    this.subscription = bus.listen(READING, (body) => {
      for (const collection of body as readonly string[]) this.heardAt.set(collection, this.now());
    });
  }

  /** The collections that some process may ask; null while that is not known. */
  known(): ReadonlySet<string> | null {
    if (this.now() - this.began < GONE_MS || !this.own.every((name) => this.heard(name))) return null;
    return new Set([...this.heardAt.keys()].filter((name) => this.heard(name)));
  }

  async close(): Promise<void> {
    await this.subscription.stop();
  }

  private heard(name: string): boolean {
    return this.now() - (this.heardAt.get(name) ?? -Infinity) < GONE_MS;
  }
}
