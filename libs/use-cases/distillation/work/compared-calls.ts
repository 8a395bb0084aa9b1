import type { Application } from '#application/application.js';
import type { DistillationEvent } from '#domain/distillation/index.js';
import type { CallMetered } from '#domain/inference/index.js';
import { evolve, type Handlers, type Recorded } from '#log/projector/handlers.js';
import type { Position } from '#ports/event-store/port.js';
import { ownTurn } from '#primitives/turns/own-turn.js';
import { cascades, type CascadeDocument } from '#projections/cascades/projection.js';

const HANDLERS = cascades.on as Handlers<CascadeDocument | null>;
const filter = { types: Object.keys(HANDLERS) };
const EVENTS_A_TURN = 200;

/**
 * What comparisons of students and teachers have shown, counted from the log itself: they decide who answers calls, and whoever can
 * change a read model's file must not.
 */
export class ComparedCalls {
  private readonly documents = new Map<string, CascadeDocument>();
  /** The last event that is counted. */
  private position: Position | null = null;
  private counting: Promise<void> = Promise.resolve();

  constructor(private readonly application: Application) {}

  /**
   * Counts the calls that have come since it was asked last. The first time it reads all calls since the earliest distillation that is
   * followed.
   * @param since place of the request of that distillation
   */
  async of(distillationId: string, since: Position): Promise<CascadeDocument | null> {
    this.counting = this.counting.catch(() => undefined).then(() => this.count(since));
    await this.counting;
    return this.documents.get(distillationId) ?? null;
  }

  /** Contents of calls stay encrypted. */
  private async count(since: Position): Promise<void> {
    const { storedEvents } = this.application;
    if (this.position === null) {
      const requested = await storedEvents.eventAt(since);
      if (requested === null) return;
      this.see(requested as unknown as Counted);
    }
    let events = 0;
    for await (const event of storedEvents.readAll({ after: this.position, filter })) {
      this.see(event as unknown as Counted);
      if ((events += 1) % EVENTS_A_TURN === 0) await ownTurn();
    }
  }

  private see(event: Counted): void {
    const key = cascades.key(event);
    if (key !== null) {
      const document = evolve(HANDLERS, this.documents.get(key) ?? null, event);
      if (document) this.documents.set(key, document);
    }
    this.position = event.position;
  }
}

type Targeted = 'distillation-requested.v1' | 'distillation-retargeted.v1';
type Counted = Recorded<CallMetered | Extract<DistillationEvent, { readonly type: Targeted }>>;
