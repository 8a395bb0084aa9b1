import { setTimeout as sleep } from 'node:timers/promises';

const ASK_EVERY_MS = 50;
/** Longer than anything takes on a machine that is busy several times over: what has not come by then hangs. */
const HANGS_AFTER_SECONDS = 300;

/**
 * Asks until the answer is not undefined or false.
 * @param what for people, when it does not come
 * @throws Error when it hangs, with what the last question threw
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const deadline = performance.now() + HANGS_AFTER_SECONDS * 1_000;
  for (;;) {
    let cause: unknown;
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadline) throw new Error(`${what}: not within ${HANGS_AFTER_SECONDS} s`, { cause });
    await sleep(ASK_EVERY_MS);
  }
}
