import type { CallContentErased, ErasureEvent } from './events.js';

/** The contents erased; null while none were. */
export type ErasureState =
  | (CallContentErased['data'] & {
      /** Dataset versions that were erased with the call; absent: none. */
      readonly copies?: readonly string[];
    })
  | null;

export function evolve(state: ErasureState, { type, data }: ErasureEvent): ErasureState {
  if (type === 'call-content-erased.v1') return data;
  return state && { ...state, copies: [...(state.copies ?? []), ...data.versionIds] };
}
