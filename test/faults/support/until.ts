import { setTimeout as sleep } from 'node:timers/promises';

const ASK_EVERY_MS = 50;

/**
 * Asks until the answer is not undefined or false.
 * @param what for people, when it does not come
 * @throws Error after `seconds`, with what the last question threw
 */
export async function until<T>(
  what: string,
  seconds: number,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const deadline = performance.now() + seconds * 1_000;
  for (;;) {
    let cause: unknown;
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadline) throw new Error(`${what}: not within ${seconds} s`, { cause });
    await sleep(ASK_EVERY_MS);
  }
}
