import type { DomainEvent } from '#domain/decider.js';
import type { Handlers } from '#log/projector/handlers.js';

/**
 * What is still to do follows from what has happened. `on` and `pending` are pure; a replay only goes through `on`, so it
 * sends nothing. A state is best a map of what is open, from which finished things are dropped.
 */
export interface ProcessManager<State, Command, Event extends DomainEvent = DomainEvent> {
  readonly name: string;
  readonly initial: State;
  /** The state after each type of event. */
  readonly on: Handlers<State, Event>;
  /** What is to be done now. A command is gone once the event that it causes has been seen. @param now ms since 1970 */
  pending(state: State, now: number): readonly Command[];
  /** The same for the same command, each time `pending` names it. */
  key(command: Command): string;
  /** Whose it is: workspaces share what is carried out at once. Absent: all commands are of one. */
  workspaceOf?(command: Command): string;
  /**
   * Carries it out: resolves when done, though its event may not have been seen yet. It must be harmless to do twice, as
   * happens after a crash. What it throws is tried again after a growing pause, as long as the command is pending.
   * @param signal aborts when the host closes
   */
  execute(command: Command, signal: AbortSignal): Promise<void>;
}
