import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again until the answer holds. For what no event and no message tells of, such as files, or another process: else `until` of
 * the test API.
 * @returns that answer
 */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  holds: (answer: Awaited<T>) => boolean = Boolean,
): Promise<Awaited<T>> {
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    await sleep(20);
  }
}
