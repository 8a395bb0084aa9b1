import type { Backend } from '../../lifecycle.js';
import { failureOf, LEFT } from './failure.js';

/** The engines here, behind the bus. A call that dies with this process is not recorded, and is free. */
export const RUNNER: Backend = {
  opensCalls: false,
  failureOf: (error, model, signal) => (signal?.aborted ? LEFT : failureOf(error, model)),
};
