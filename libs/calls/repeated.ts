import { setTimeout as sleep } from 'node:timers/promises';
import { QueueFullError, UnavailableError } from '#domain/errors.js';

/** Waits between tries. */
export type Pause = (ms: number, signal?: AbortSignal) => Promise<unknown>;

interface RepeatOptions {
  /** Tries in all, the first included; default five. */
  readonly tries?: number;
  readonly signal?: AbortSignal | undefined;
  /** Tests replace it. */
  readonly pause?: Pause;
}

const TRIES = 5;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 20_000;

/**
 * Runs a call of a job, with retries after growing pauses while the provider is down or saturated.
 * @throws the last UnavailableError or QueueFullError after the last try; any other error at once; the signal's reason
 */
export async function repeated<T>(
  call: () => Promise<T>,
  { tries: most = TRIES, signal, pause = (ms, gone) => sleep(ms, undefined, gone && { signal: gone }) }: RepeatOptions,
): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await call();
    } catch (error) {
      signal?.throwIfAborted();
      if (!isPassing(error) || tries >= most) throw error;
      const ms = Math.max(error.retryAfterSeconds * 1000, FIRST_PAUSE_MS * 2 ** tries);
      await pause(Math.min(MAX_PAUSE_MS, ms), signal);
    }
}

/** Whether the same call may be answered later. */
export const isPassing = (error: unknown): error is UnavailableError | QueueFullError =>
  error instanceof UnavailableError || error instanceof QueueFullError;
