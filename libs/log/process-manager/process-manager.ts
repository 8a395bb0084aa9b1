import type { DomainEvent } from '#domain/decider.js';
import type { Position } from '#ports/event-store/port.js';
import type { Handlers } from '#log/projector/handlers.js';

/** Items of work that others take. */
export interface QueueDepth {
  /** Not yet taken by a runner. */
  readonly waiting: number;
  readonly taken: number;
  /** Since when the oldest waits that a user asked for, in milliseconds since 1970; null for none. */
  readonly oldestAt: number | null;
}

/** A place in the log, with the event that is there. */
export interface Mark {
  readonly position: Position;
  readonly id: string;
}

/**
 * Derives pending work from events. `on` and `pending` are pure; a replay calls only `on`, so it sends nothing. The
 * state should be a map of open items, from which finished ones are dropped.
 */
export interface ProcessManager<State, Command, Event extends DomainEvent = DomainEvent> {
  readonly name: string;
  readonly initial: State;
  /** The state after each type of event. */
  readonly on: Handlers<State, Event>;
  /**
   * The commands that are due. A command disappears once the event that it causes has been seen.
   * @param now ms since 1970
   */
  pending(state: State, now: number): readonly Command[];
  /**
   * The last event of which nothing is pending any more, nor of those before: the next leader reads on from there. Null: none is known.
   * Absent: each leader reads the log from its start, which suits events that do not come with every call.
   */
  settled?(state: State): Mark | null;
  /** Of work for others, such as runners: it may wait without a command while they have no room. */
  queue?(state: State): QueueDepth;
  /** The same for the same command, each time `pending` names it. */
  key(command: Command): string;
  /**
   * The workspace of a command: workspaces share the in-flight slots fairly. Default: all commands belong to one
   * workspace.
   */
  workspaceOf?(command: Command): string;
  /** W3C trace context that the command's span continues. Default: it begins a trace. */
  traceOf?(command: Command): string | undefined;
  /**
   * Executes the command: resolves when done, possibly before its event was seen. Must be idempotent, since a crash
   * repeats it. After an error it is retried with growing pauses, as long as the command is pending.
   * @param signal aborts when the host closes
   */
  execute(command: Command, signal: AbortSignal): Promise<void>;
}
