import type { RecordedEvent } from '#event-store/port.js';

/**
 * What is still to do follows from what has happened. `evolve` and `pending` are pure; a replay only evolves, so it sends
 * nothing. A state is best a map of what is open, from which finished things are dropped.
 */
export interface ProcessManager<State, Command> {
  readonly name: string;
  /** Event types, whole: `training-job-requested.v1`. */
  readonly handles: readonly string[];
  readonly initial: State;
  evolve(state: State, event: RecordedEvent): State;
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
