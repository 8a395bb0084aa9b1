import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

const ASK_EVERY_MS = 20;
/** Longer than anything takes on a machine that is busy several times over: what has not come by then hangs. */
const HANGS_AFTER_SECONDS = 300;

type Truthy<T> = Exclude<T, undefined | null | false | '' | 0>;

/**
 * Asks again until the answer holds; a question that throws is asked again too. For what no event and no message tells of, such as
 * files, or another process: else `until` of the test API.
 * @returns that answer
 * @throws Error when it hangs, with the last answer, or the last error as its cause
 */
export async function eventually<T>(ask: () => T): Promise<Truthy<Awaited<T>>>;
export async function eventually<T>(ask: () => T, holds: (answer: Awaited<T>) => boolean): Promise<Awaited<T>>;
export async function eventually<T>(
  ask: () => T,
  holds: (answer: Awaited<T>) => boolean = Boolean,
): Promise<Awaited<T>> {
  const deadline = performance.now() + HANGS_AFTER_SECONDS * 1_000;
  for (;;) {
    let last: { readonly answer: Awaited<T> } | { readonly cause: unknown };
    try {
      last = { answer: await ask() };
      if (holds(last.answer)) return last.answer;
    } catch (cause) {
      last = { cause };
    }
    if (performance.now() > deadline) throw hanging(last);
    await sleep(ASK_EVERY_MS);
  }
}

function hanging(last: { readonly answer: unknown } | { readonly cause: unknown }): Error {
  if ('cause' in last)
    return new Error(`not within ${HANGS_AFTER_SECONDS} s: the last question threw`, { cause: last.cause });
  return new Error(`not within ${HANGS_AFTER_SECONDS} s: the last answer was ${inspect(last.answer)}`);
}
