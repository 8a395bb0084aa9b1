import type { JsonObject } from './json.js';
import type { StreamCategory } from './streams.js';

/** An event of a decider: an explicit, versioned type (`project-created.v1`) and plain data. */
export interface DomainEvent {
  readonly type: string;
  readonly data: JsonObject;
}

/** The events of an aggregate, from a table of each type's data. Type aliases as data: an interface is not assignable to JSON. */
export type EventsOf<Data> = {
  [Type in keyof Data & string]: { readonly type: Type; readonly data: Readonly<Data[Type]> };
}[keyof Data & string];

/** The commands of an aggregate, from a table of each type's fields. */
export type CommandsOf<Fields> = {
  [Type in keyof Fields & string]: { readonly type: Type } & Readonly<Fields[Type]>;
}[keyof Fields & string];

/**
 * Every type of an aggregate's events, to detect those of a newer release; the compiler ensures that the list is
 * complete.
 */
export type EventTypes<Event extends DomainEvent> = Readonly<Record<Event['type'], true>>;

/** Time and ids come in from outside, so that deciding is pure. */
export interface Env {
  /** ISO 8601 UTC with milliseconds. */
  readonly now: string;
  /** A UUID derived from the command's id and this name: the same for a repeated command. */
  readonly newId: (name: string) => string;
}

/**
 * An aggregate's decisions as plain functions. Deciding a command again on the resulting state gives no events; `given`
 * (test/support) checks this for every command.
 */
export interface Decider<Command, Event extends DomainEvent, State> {
  readonly category: StreamCategory;
  /** Types that `evolve` takes. A stream that holds another one cannot be decided on. */
  readonly eventTypes: EventTypes<Event>;
  readonly initial: State;
  /** @throws DomainError when the command is refused */
  decide(command: Command, state: State, env: Env): readonly Event[];
  evolve(state: State, event: Event): State;
  /**
   * Present if the last event of a stream and the number of those before it determine the state, so that no other event
   * is read: the state from which `evolve` continues. The idempotence check of `given` compares it with the fold of
   * all.
   */
  skip?(count: number): State;
  /** Present if `evolve` copies a large state: applies many events with one copy. */
  folding?(state: State): Folding<Event, State>;
}

/** The state after the events added so far. */
export interface Folding<Event, State> {
  add(event: Event): void;
  state(): State;
}

export function foldingOf<Event extends DomainEvent, State>(
  decider: Decider<never, Event, State>,
  from: State,
): Folding<Event, State> {
  if (decider.folding) return decider.folding(from);
  let state = from;
  return {
    add(event) {
      state = decider.evolve(state, event);
    },
    state: () => state,
  };
}

export function fold<Event extends DomainEvent, State>(
  decider: Decider<never, Event, State>,
  events: Iterable<Event>,
  from: State = decider.initial,
): State {
  const folding = foldingOf(decider, from);
  for (const event of events) folding.add(event);
  return folding.state();
}
