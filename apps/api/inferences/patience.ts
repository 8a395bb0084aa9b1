import { setTimeout as sleep } from 'node:timers/promises';
import { NotFoundError } from '#domain/errors.js';

const YOUNG_MS = 10_000;
const MAX_MS = 2_000;
const STEP_MS = 25;

/**
 * Inference does not wait for the read model, so a client may read a call before the history has it: reads of an id
 * (UUIDv7, RFC 9562) younger than 10 s are retried for up to 2 s before they are a 404.
 * @param isWhole whether all of it has been seen: a call's content is a separate event
 */
export async function patientWithYoung<T>(
  id: string,
  read: () => Promise<T>,
  isWhole: (value: T) => boolean = () => true,
): Promise<T> {
  const deadline = performance.now() + MAX_MS;
  for (;;) {
    const isLast = !isYoung(id) || performance.now() > deadline;
    try {
      const value = await read();
      if (isLast || isWhole(value)) return value;
    } catch (error) {
      if (isLast || !(error instanceof NotFoundError)) throw error;
    }
    await sleep(STEP_MS);
  }
}

function isYoung(id: string): boolean {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)) return false;
  const age = Date.now() - Number.parseInt(id.replace('-', '').slice(0, 12), 16);
  return Math.abs(age) < YOUNG_MS;
}
