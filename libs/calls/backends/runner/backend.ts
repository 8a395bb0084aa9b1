import { UnavailableError } from '#domain/errors.js';
import { HostedModelError } from '../../hosted/port.js';
import type { CallBackend } from '../../lifecycle.js';
import { failureOf, LEFT } from './failure.js';

/** The local engines, behind the bus. A call that dies with this process is not recorded, and is free. */
export const RUNNER: CallBackend = {
  opensCalls: false,
  failureOf: (error, model, signal) => (signal?.aborted ? LEFT : failureOf(error, model)),
};

/**
 * The local engines when they generate text: parts of an answer are sent before its end, and are billed if this process
 * dies.
 */
export const RUNNER_OF_DECODERS: CallBackend = {
  opensCalls: true,
  failureOf: (error, model, signal) => {
    if (signal?.aborted || (error instanceof HostedModelError && error.kind === 'cancelled')) return LEFT;
    if (error instanceof UnavailableError) return { errorType: 'internal', errorMessage: error.message, answer: error };
    return failureOf(error, model);
  },
};
