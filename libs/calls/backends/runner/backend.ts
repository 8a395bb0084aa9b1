import type { Backend } from '../../lifecycle.js';
import { failureOf, LEFT } from './failure.js';

/** Engines here, behind the bus. A call that dies with this process is not recorded, and costs nothing. */
export const RUNNER: Backend = {
  opensCalls: false,
  failureOf: (error, model, signal) => (signal?.aborted ? LEFT : failureOf(error, model)),
};
