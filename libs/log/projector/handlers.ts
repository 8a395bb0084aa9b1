import type { DomainEvent } from '#domain/decider.js';
import type { RecordedEvent } from '#ports/event-store/port.js';

/** An event of a known type, as the log gives it back. */
export type Recorded<Event extends DomainEvent> = Omit<RecordedEvent, 'type' | 'data'> & Event;

/**
 * Functions that give the state after an event, by type of event: `{ 'project-deleted.v1': (project, event) => null }`. The
 * keys are the types that are handled, each whole with its version.
 */
export type Handlers<State, Event extends DomainEvent = DomainEvent> = {
  readonly [Type in Event['type']]?: Handler<State, Extract<Event, { readonly type: Type }>>;
};

/** A method, not a function: so one list holds handlers of events of every type. */
type Handler<State, Event extends DomainEvent> = { after(state: State, event: Recorded<Event>): State }['after'];

/** The state after an event; unchanged if its type is not handled. */
export function evolve<State>(on: Handlers<State>, state: State, event: RecordedEvent): State {
  const handler = on[event.type];
  return handler ? handler(state, event) : state;
}
