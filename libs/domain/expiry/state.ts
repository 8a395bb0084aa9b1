import type { RetentionKind } from '../retention/index.js';
import type { ExpiryEvent } from './events.js';

/** Kinds that the day's pass is through with. */
export type ExpiryState = readonly RetentionKind[];

export const evolve = (state: ExpiryState, { data: { kind } }: ExpiryEvent): ExpiryState => [...state, kind];
