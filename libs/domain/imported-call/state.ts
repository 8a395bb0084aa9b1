import type { ImportedCallEvent } from './events.js';

/** The line that was imported; null before. */
export type ImportedCallState = { readonly digest: string } | null;

export const evolve = (_: ImportedCallState, { data: { digest } }: ImportedCallEvent): ImportedCallState => ({
  digest,
});
