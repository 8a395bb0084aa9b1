import type { ErasureEvent } from './events.js';

/** What was erased; null while nothing was. */
export type ErasureState = ErasureEvent['data'] | null;

export const evolve = (_state: ErasureState, { data }: ErasureEvent): ErasureState => data;
