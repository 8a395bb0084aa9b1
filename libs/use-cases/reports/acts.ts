import type { RecordedEvent } from '#ports/event-store/port.js';
import { cited, type ReportEvent } from './report.js';

/** So many events of one kind. */
export interface Counted {
  readonly count: number;
  readonly first: ReportEvent;
  readonly last: ReportEvent;
}

/** Counts one more. */
export function counted<Key>(counts: Map<Key, Counted>, key: Key, event: RecordedEvent): void {
  const last = cited(event);
  const { count = 0, first = last } = counts.get(key) ?? {};
  counts.set(key, { count: count + 1, first, last });
}

/** The first and the last event of a count. */
export const endsOf = ({ count, first, last }: Counted): readonly ReportEvent[] =>
  count === 1 ? [last] : [first, last];

/** Counts what each actor did in a period, by the type of the event. */
export class Acts {
  private readonly byActor = new Map<string, Map<string, Counted>>();
  private readonly latest = new Map<string, ReportEvent>();

  constructor(private readonly period: { readonly since: string | null; readonly until: string | null }) {}

  take(event: RecordedEvent): void {
    const { actor, occurredAt } = event.metadata;
    this.latest.set(actor, cited(event));
    const { since, until } = this.period;
    if ((since !== null && occurredAt < since) || (until !== null && occurredAt > until)) return;
    const counts = this.byActor.get(actor) ?? new Map<string, Counted>();
    counted(counts, event.type, event);
    this.byActor.set(actor, counts);
  }

  /** By type. @param actor as an event's metadata have it */
  of(actor: string): ReadonlyMap<string, Counted> {
    return this.byActor.get(actor) ?? new Map();
  }

  actors(): readonly string[] {
    return [...this.byActor.keys()];
  }

  /** The actor's last event, in the period or not; null: there is none. */
  lastOf(actor: string): ReportEvent | null {
    return this.latest.get(actor) ?? null;
  }
}
