import { ABSENT, type Coordination } from '#coordination/port.js';
import { UnavailableError } from '#domain/errors.js';
import type { Verdict } from './fixed-windows.js';
import type { RateLimit } from './limits.js';

const TRIES = 10;

/** Exact: the times of the last calls stand in one document. Refused calls are not counted. */
export async function takeSliding(
  coordination: Coordination,
  limit: RateLimit,
  account: string,
  now = Date.now(),
): Promise<Verdict> {
  const key = `starts:${limit.name}:${account}`;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const entry = await coordination.get(key);
    const times = ((entry?.value ?? []) as readonly number[]).filter((time) => time > now - limit.windowMs);
    const oldest = times[0];
    if (oldest !== undefined && times.length >= limit.limit)
      return { allowed: false, limit, remaining: 0, resetInMs: oldest + limit.windowMs - now };
    const expected = entry ? ({ kind: 'version', version: entry.version } as const) : ABSENT;
    if (await coordination.compareAndSet(key, expected, [...times, now], limit.windowMs)) {
      const resetInMs = (oldest ?? now) + limit.windowMs - now;
      return { allowed: true, limit, remaining: limit.limit - times.length - 1, resetInMs };
    }
  }
  throw new UnavailableError('too many requests start at once; try again');
}
