import { setTimeout as sleep } from 'node:timers/promises';
import type { Application } from '#application/application.js';
import { NotFoundError, UnavailableError } from '#domain/errors.js';

/** An id is made when its call begins; a read model that is further behind is being built. */
const YOUNG_MS = 24 * 3_600_000;
const MAX_MS = 10_000;
const STEP_MS = 25;
const RETRY_AFTER_S = 2;

/** A part of `Application`. */
interface Log {
  readonly ports: { readonly eventStore: Pick<Application['ports']['eventStore'], 'head'> };
  readonly visibility: Pick<Application['visibility'], 'wait'>;
}

interface Wanted<T> {
  /** Milliseconds until the read model counts as behind; default 10 s. */
  readonly maxMs?: number;
  readonly id: string;
  /** The name of the read model that `read` asks. */
  readonly seenIn: string;
  readonly read: () => Promise<T>;
  /** Whether all of it has been seen: a call's content is a separate event. Default: any answer is whole. */
  readonly isWhole?: (value: T) => boolean;
}

/**
 * Inference does not wait for the read model, so a client may read a call before the history has it. What a young id (UUIDv7, RFC 9562)
 * names is a 404 only once the read model has reached the end that the log had at the first read; where that takes more than 10 s,
 * the read may be tried again.
 * @throws UnavailableError the read model is behind
 */
export async function patientWithYoung<T>(
  { ports, visibility }: Log,
  { id, seenIn, read, isWhole = () => true, maxMs = MAX_MS }: Wanted<T>,
): Promise<T> {
  if (!isYoung(id)) return read();
  const early = await found(read);
  if (early !== null && isWhole(early)) return early;
  const { position } = await ports.eventStore.head();
  const deadline = performance.now() + maxMs;
  while (!(await visibility.wait([seenIn], position))) {
    const value = await found(read);
    if (value !== null && (isWhole(value) || performance.now() >= deadline)) return value;
    if (performance.now() >= deadline)
      throw new UnavailableError(`${id} may not be visible yet; try again`, { retryAfterSeconds: RETRY_AFTER_S });
    await sleep(STEP_MS);
  }
  return read();
}

async function found<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

function isYoung(id: string): boolean {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)) return false;
  const age = Date.now() - Number.parseInt(id.replace('-', '').slice(0, 12), 16);
  return Math.abs(age) < YOUNG_MS;
}
