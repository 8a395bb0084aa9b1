import { isDeepStrictEqual } from 'node:util';
import { ABSENT, type Coordination } from '#ports/coordination/port.js';
import { readStoredCoordination, type CoordinationLocation } from '#ports/coordination/stored.js';
import { MigrationRefusedError } from './refused.js';

/**
 * Copies entries and counters, which end when they would have ended. What is there already is compared.
 * @returns how many there are
 * @throws MigrationRefusedError when an entry is there with another value
 */
export async function copyCoordination(
  from: CoordinationLocation,
  to: Coordination,
  signal: AbortSignal,
): Promise<number> {
  let copied = 0;
  for await (const { kind, key, value, endsInMs } of readStoredCoordination(from)) {
    signal.throwIfAborted();
    if (kind === 'counter') {
      // Zero creates the counter, or tells what it has.
      const { value: present } = await to.increment(key, 0, endsInMs!);
      if (present < value) await to.increment(key, value - present, endsInMs!);
    } else if ((await to.compareAndSet(key, ABSENT, value, endsInMs ?? undefined)) === null) {
      const present = await to.get(key);
      if (present !== null && !isDeepStrictEqual(present.value, value))
        throw new MigrationRefusedError(
          `coordination of the target has another value for ${key.split(':')[0]!}: give an empty place`,
        );
    }
    copied += 1;
  }
  return copied;
}
