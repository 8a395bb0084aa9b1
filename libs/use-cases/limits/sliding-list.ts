import { setTimeout as sleep } from 'node:timers/promises';
import { ABSENT, type Coordination } from '#ports/coordination/port.js';
import { UnavailableError } from '#domain/errors.js';
import type { RateVerdict } from './fixed-windows.js';
import type { RateLimit } from './limit-table.js';

const TRIES = 20;

/**
 * Exact: one document holds the times of the last calls. Refused calls are not counted. Concurrent calls of one account
 * here are serialized, so that only replicas compete for the document.
 */
export function takeSliding(
  coordination: Coordination,
  limit: RateLimit,
  account: string,
  now = Date.now(),
): Promise<RateVerdict> {
  const key = `starts:${limit.name}:${account}`;
  return inTurn(coordination, key, () => take(coordination, limit, key, now));
}

async function take(coordination: Coordination, limit: RateLimit, key: string, now: number): Promise<RateVerdict> {
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
    await sleep(Math.random() * 5 * attempt);
  }
  throw new UnavailableError('too many requests start at once; try again');
}

/** The last waiting call by coordination and key. */
const waiting = new WeakMap<Coordination, Map<string, Promise<unknown>>>();

function inTurn<T>(coordination: Coordination, key: string, step: () => Promise<T>): Promise<T> {
  const lasts = waiting.get(coordination) ?? new Map<string, Promise<unknown>>();
  waiting.set(coordination, lasts);
  const done = (lasts.get(key) ?? Promise.resolve()).then(step, step);
  lasts.set(key, done);
  const forget = () => {
    if (lasts.get(key) === done) lasts.delete(key);
  };
  done.then(forget, forget);
  return done;
}
