/**
 * A service for `startThread`. Its module exports `createService: CreateService<Options>`; options, arguments and
 * results are structured-cloned between threads.
 */
export type ThreadService = (AnswersOne | AnswersGroups) & {
  /** Called once, after the last call has been answered. */
  close?(): void | Promise<void>;
};

interface AnswersOne {
  /** Answers one call. An error it throws goes to the caller; a promise is answered when it settles. */
  handle(method: string, args: readonly unknown[]): unknown;
}

interface AnswersGroups {
  /**
   * Answers calls that arrived together, in order, with one commit. Results are sent after it returns. An error it
   * throws goes to every caller.
   */
  handleGroup(calls: readonly ThreadCall[]): readonly ThreadOutcome[];
}

export interface ThreadCall {
  readonly method: string;
  readonly args: readonly unknown[];
}

export type ThreadOutcome =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

export type CreateService<Options = never> = (
  options: Options,
  context: ServiceContext,
) => ThreadService | Promise<ThreadService>;

interface ServiceContext {
  /** Sends the starting thread an unsolicited message; `thread.listen` receives it. */
  readonly emit: (topic: string, message: unknown) => void;
}
