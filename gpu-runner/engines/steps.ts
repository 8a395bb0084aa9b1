/** Work in steps of some milliseconds: other work may run between two of them. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does all of it at once. */
export function drain<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
