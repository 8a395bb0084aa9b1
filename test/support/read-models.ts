import { PROJECTION_ADVANCED, type ProjectionAdvanced } from '#log/visibility.js';
import type { Bus, Subscription } from '#ports/bus/port.js';
import type { EventReader, Position } from '#ports/event-store/port.js';
import { projections } from '#projections/index.js';
import { collectionNameOf } from '#log/projector/collection.js';

/** Progress of a system's read models, as their leader signals it. */
export class ReadModels {
  private readonly positions = new Map<string, Position>();
  private readonly waiting = new Set<() => void>();
  private readonly eventStore: EventReader;
  private readonly signals: Subscription;

  /** Construct it before the worker starts. */
  constructor({ bus, eventStore }: { readonly bus: Bus; readonly eventStore: EventReader }) {
    this.eventStore = eventStore;
    this.signals = bus.listen(PROJECTION_ADVANCED, (body) => {
      const { collection, position, complete } = body as unknown as ProjectionAdvanced;
      if (complete) this.positions.set(collection, position);
      else this.positions.delete(collection);
      for (const look of this.waiting) look();
    });
  }

  /** Resolves once each has taken in the log up to the end that it had at the call. */
  async drained(): Promise<void> {
    const { position } = await this.eventStore.head();
    const hasSeen = (at: Position | undefined) => at !== undefined && at >= (position ?? '');
    const isDrained = () =>
      projections.every((projection) => hasSeen(this.positions.get(collectionNameOf(projection))));
    if (isDrained()) return;
    await new Promise<void>((resolve) => {
      const look = () => {
        if (!isDrained()) return;
        this.waiting.delete(look);
        resolve();
      };
      this.waiting.add(look);
    });
  }

  /** Asks now, and again whenever the read models have taken in later events, until the answer holds. @returns that answer */
  async until<T>(ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> {
    const { position: after } = await this.eventStore.head();
    const enough = new AbortController();
    try {
      for await (const { kind } of this.eventStore.subscribe({ after, signal: enough.signal })) {
        if (kind === 'checkpoint') continue;
        await this.drained();
        const answer = await ask();
        if (holds(answer)) return answer;
      }
      throw new Error('the log can be followed no more');
    } finally {
      enough.abort();
    }
  }

  async close(): Promise<void> {
    await this.signals.stop();
  }
}
