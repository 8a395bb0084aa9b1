/**
 * What runs in a thread of its own, behind `startThread`. A service's module exports
 * `createService: CreateService<Options>`; options, arguments and results are structured-cloned between threads.
 */
export interface ThreadService {
  /** Answers one call. What it throws is the caller's error; a promise is answered when it settles. */
  handle(method: string, args: readonly unknown[]): unknown;

  /**
   * Answers calls that arrived together, in their order, where the service wants them together: one commit for all of
   * them. Answers are sent after it returns. Without it each call goes to `handle`.
   */
  handleGroup?(calls: readonly ThreadCall[]): readonly ThreadOutcome[];

  /** Called once, after the last call has been answered. */
  close?(): void | Promise<void>;
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
