import type { Subscription } from '#ports/bus/port.js';
import { EngineUnavailableError } from '#gpu-runner/engines/process-model.js';
import { endsWithin } from '../adapters/adapter-loading.js';
import { asAnswered } from './answered-errors.js';

/** Milliseconds that calls have to end when the runner is shut down. */
const DRAIN_MS = 10_000;

/**
 * Takes no more calls. Resolves once the running ones have ended.
 * @param closing `cutOff` of the subscriptions; aborted for calls that take longer
 */
export async function stopServing(
  subscriptions: readonly Subscription[],
  closing: AbortController,
  drainMs = DRAIN_MS,
): Promise<void> {
  const stopped = Promise.all(subscriptions.map((subscription) => subscription.stop()));
  if (!(await endsWithin(stopped, drainMs)))
    closing.abort(asAnswered(new EngineUnavailableError('the runner that had the call is being shut down')));
  await stopped;
}
