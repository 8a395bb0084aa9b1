/**
 * What runs in a thread of its own, behind `startThread`. A service's module exports
 * `createService: CreateService<Options>`; options, arguments and results are structured-cloned between threads.
 */
export type ThreadService = (AnswersOne | AnswersGroups) & {
  /** Called once, after the last call has been answered. */
  close?(): void | Promise<void>;
};

interface AnswersOne {
  /** Answers one call. What it throws is the caller's error; a promise is answered when it settles. */
  handle(method: string, args: readonly unknown[]): unknown;
}

interface AnswersGroups {
  /**
   * Answers calls that arrived together, in their order: one commit for all of them. The answers are sent after it
   * returns. What it throws is the error of every one of them.
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

export interface ServiceContext {
  /** Tells the starting thread something it did not ask for; `thread.listen` hears it. */
  readonly emit: (topic: string, message: unknown) => void;
}
