import type { EventReader } from '#ports/event-store/port.js';
import type { ReadStore } from '#ports/read-store/port.js';
import { collectionNameOf, keepOnly } from './collection.js';
import { LiveFeed } from './feed.js';
import type { BuildAside } from './build-beside.js';
import { LiveProjection } from './live-projection.js';
import type { ParkedKey } from './parked-key.js';
import type { Projection } from './projection.js';
import { SharedReading } from './shared-reading.js';
import type { ProjectionAdvance, ProjectionStatus } from './status.js';

export interface ProjectionHostOptions {
  readonly eventStore: EventReader;
  readonly readStore: ReadStore;
  readonly projections: readonly Projection[];
  /** Builds projections that are far behind. Default: in this process. */
  readonly buildAside?: BuildAside;
  /** Number of missing events from which it does; default 20,000. */
  readonly farBehind?: number | undefined;
  /**
   * Called once per event-loop turn with the projections that advanced, and again every second in case a message was
   * lost.
   */
  readonly onAdvance?: (advances: readonly ProjectionAdvance[]) => void;
  /** Called when a projection cannot continue without an operator. */
  readonly onStopped?: (projection: string, error: Error) => void;
  /** Called with a reason for which the log could not be read repeatedly. */
  readonly onTrouble?: (error: Error) => void;
  /** Milliseconds since 1970, for lags. */
  readonly now?: () => number;
}

const TELL_AGAIN_MS = 1_000;

/** Runs projections over a log into a read store, and closes neither. */
export class ProjectionHost {
  private readonly feed: LiveFeed;
  private readonly live: ReadonlyMap<string, LiveProjection>;
  private readonly closing = new AbortController();
  private feeding: Promise<void> = Promise.resolve();
  private telling: NodeJS.Timeout | undefined;
  private advances = new Map<string, ProjectionAdvance>();

  constructor(private readonly options: ProjectionHostOptions) {
    const { eventStore, readStore, projections, buildAside, farBehind } = options;
    const { onStopped, onTrouble, now = Date.now } = options;
    this.feed = new LiveFeed(eventStore, onTrouble);
    const { feed } = this;
    const history = new SharedReading(eventStore);
    const onAdvance = (advance: ProjectionAdvance) => this.advanced(advance);
    this.live = new Map(
      projections.map((projection) => [
        projection.name,
        new LiveProjection(projection, {
          ...{ eventStore, history, readStore, feed, buildAside, farBehind },
          ...{ onAdvance, onStopped, now },
        }),
      ]),
    );
    if (this.live.size < projections.length) throw new RangeError('two projections have the same name');
  }

  start(): this {
    this.feeding = this.feed.run(this.closing.signal);
    for (const projection of this.live.values()) projection.start();
    this.telling = setInterval(() => this.live.forEach((projection) => projection.tell()), TELL_AGAIN_MS);
    this.telling.unref();
    return this;
  }

  /** Resolves once each projection is live, known to be slow, or stopped. */
  async begun(): Promise<void> {
    await Promise.all([...this.live.values()].map((projection) => projection.begun));
  }

  status(): readonly ProjectionStatus[] {
    return [...this.live.values()].map((projection) => projection.status());
  }

  /** Parked keys by projection. */
  parked(): readonly { readonly projection: string; readonly keys: readonly ParkedKey[] }[] {
    return [...this.live].map(([projection, { parked }]) => ({ projection, keys: parked }));
  }

  /**
   * Rebuilds a projection's documents, beside the live ones if there are any. Resolves once that has begun.
   * @throws RangeError when there is no such projection
   */
  async rebuild(name: string): Promise<void> {
    await this.named(name).rebuild();
  }

  /**
   * Retries a projection's parked keys, or one of them.
   * @returns how many are no longer parked
   * @throws RangeError when there is no such projection, or it is being rebuilt
   */
  async retry(name: string, key?: string): Promise<number> {
    return this.named(name).retry(key);
  }

  /** Removes the collections of other versions of projections that nobody asks. */
  async clear(read: Iterable<string>): Promise<void> {
    const { projections, readStore } = this.options;
    await keepOnly(readStore, new Set([...projections.map(collectionNameOf), ...read]));
  }

  /** Ends after the current batches, and stores every checkpoint. */
  async close(): Promise<void> {
    clearInterval(this.telling);
    this.closing.abort();
    await Promise.all([this.feeding, ...[...this.live.values()].map((projection) => projection.close())]);
  }

  private named(name: string): LiveProjection {
    const projection = this.live.get(name);
    if (projection) return projection;
    throw new RangeError(
      `there is no projection ${JSON.stringify(name)}; there are ${[...this.live.keys()].join(', ')}`,
    );
  }

  private advanced(advance: ProjectionAdvance): void {
    if (!this.options.onAdvance) return;
    if (this.advances.size === 0)
      setImmediate(() => {
        const advances = [...this.advances.values()];
        this.advances = new Map();
        this.options.onAdvance?.(advances);
      });
    this.advances.set(advance.collection, advance);
  }
}
