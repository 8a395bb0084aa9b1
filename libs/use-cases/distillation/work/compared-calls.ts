import type { Application } from '#application/application.js';
import type { DistillationEvent } from '#domain/distillation/index.js';
import type { CallMetered } from '#domain/inference/index.js';
import { evolve, type Handlers, type Recorded } from '#log/projector/handlers.js';
import { ABSENT } from '#ports/coordination/port.js';
import type { Position } from '#ports/event-store/port.js';
import { ownTurn } from '#primitives/turns/own-turn.js';
import { cascades, type CascadeDocument } from '#projections/cascades/projection.js';

const HANDLERS = cascades.on as Handlers<CascadeDocument | null>;
const filter = { types: Object.keys(HANDLERS) };
const EVENTS_A_TURN = 200;

/** Coordination signs the counts under the installation's secret: forged ones are absent. */
const COUNTS = 'counts:cascades';
/** Calls that a start counts again at most. */
const SAVED_EVERY = 2_000;

/** Counts up to an event; an older copy is as right as a newer one. */
interface Counts {
  readonly version: number;
  /** The last event that is counted: in another log, it is not there. */
  readonly position: Position;
  readonly eventId: string;
  readonly documents: readonly CascadeDocument[];
}

/**
 * What comparisons of students and teachers have shown, counted from the log itself: they decide who answers calls, and whoever can
 * change a read model's file must not.
 */
export class ComparedCalls {
  private readonly documents = new Map<string, CascadeDocument>();
  /** The last event that is counted. */
  private position: Position | null = null;
  private eventId = '';
  private notSaved = 0;
  private counting: Promise<void> = Promise.resolve();

  constructor(private readonly application: Application) {}

  /**
   * Counts the calls that have come since it was asked last, by this process or one before; or since the earliest distillation that is
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
    if (this.position === null && !(await this.resume(since))) {
      const requested = await storedEvents.eventAt(since);
      if (requested === null) return;
      this.see(requested as unknown as Counted);
    }
    let events = 0;
    for await (const event of storedEvents.readAll({ after: this.position, filter })) {
      this.see(event as unknown as Counted);
      if ((events += 1) % EVENTS_A_TURN === 0) await ownTurn();
    }
    this.notSaved += events;
    if (this.notSaved >= SAVED_EVERY) await this.save();
  }

  /** @returns whether there are counts of this log that begin early enough */
  private async resume(since: Position): Promise<boolean> {
    const entry = await this.application.ports.coordination.get(COUNTS);
    const counts = entry?.value as Counts | undefined;
    if (counts?.version !== cascades.version || counts.position < since) return false;
    if ((await this.application.storedEvents.eventAt(counts.position))?.id !== counts.eventId) return false;
    for (const document of counts.documents) this.documents.set(document.id, document);
    this.position = counts.position;
    return true;
  }

  /** Another leader's are as good. */
  private async save(): Promise<void> {
    const { coordination } = this.application.ports;
    const { position, eventId } = this;
    const counts = { version: cascades.version, position: position!, eventId, documents: [...this.documents.values()] };
    const before = await coordination.get(COUNTS);
    const expected = before ? ({ kind: 'version', version: before.version } as const) : ABSENT;
    await coordination.compareAndSet(COUNTS, expected, counts satisfies Counts);
    this.notSaved = 0;
  }

  private see(event: Counted): void {
    const key = cascades.key(event);
    if (key !== null) {
      const document = evolve(HANDLERS, this.documents.get(key) ?? null, event);
      if (document) this.documents.set(key, document);
    }
    this.position = event.position;
    this.eventId = event.id;
  }
}

type Targeted = 'distillation-requested.v1' | 'distillation-retargeted.v1';
type Counted = Recorded<CallMetered | Extract<DistillationEvent, { readonly type: Targeted }>>;
