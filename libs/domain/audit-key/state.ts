import type { AuditKeyEvent } from './events.js';

/** All keys so far, the newest last. */
export type AuditKeyState = readonly { readonly verifier: string; readonly number: number }[];

export const evolve = (state: AuditKeyState, { data: { verifier, number } }: AuditKeyEvent): AuditKeyState => [
  ...state,
  { verifier, number },
];
