import { setTimeout as sleep } from 'node:timers/promises';

/** What comes of it once something does. */
export async function eventually<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (let deadline = performance.now() + 5_000; ; await sleep(20)) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error('it did not happen in 5 s');
  }
}
