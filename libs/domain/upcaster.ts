import type { DomainEvent } from './decider.js';
import type { JsonObject } from './json.js';

/** Gives an event of an older shape the newer one. Stays for as long as any log may contain such an event. */
interface Upcaster {
  /** The type as stored. */
  readonly from: string;
  /** The type it becomes; `from` itself if a version got another field. */
  readonly to: string;
  /** Pure. Returns `data` itself if nothing is missing. */
  readonly upcast: (data: JsonObject) => JsonObject;
}

/** @param upcast may rely only on the shapes that `from` has had */
export const upcaster = <Old extends JsonObject, New extends DomainEvent>(
  from: string,
  to: New['type'],
  upcast: (data: Old) => New['data'],
): Upcaster => ({ from, to, upcast: upcast as Upcaster['upcast'] });

/** Every older shape of some events, and the way from each to its newest. */
export class Upcasters {
  private readonly byType: ReadonlyMap<string, Upcaster>;

  constructor(readonly all: readonly Upcaster[]) {
    this.byType = new Map(all.map((each) => [each.from, each]));
  }

  /** The event in its newest shape; unchanged if it has that. */
  upcast<Event extends DomainEvent>(event: Event): Event {
    const step = this.byType.get(event.type);
    if (!step) return event;
    const data = step.upcast(event.data);
    if (step.to === event.type) return data === event.data ? event : { ...event, data };
    return this.upcast({ ...event, type: step.to, data });
  }

  /** The given types and the older versions that are upcast to them. */
  withOlder(types: readonly string[]): readonly string[] {
    const found = new Set(types);
    // Iterating a Set also visits the elements that are added meanwhile.
    for (const type of found) for (const { from, to } of this.all) if (to === type) found.add(from);
    return [...found];
  }
}
