import type { CommandsOf, Decider, Env } from '../decider.js';
import { AUDIT_KEY_EVENT_TYPES, type AuditKeyEvent } from './events.js';
import { evolve, type AuditKeyState } from './state.js';

export type AuditKeyCommand = CommandsOf<{
  'record-audit-key': { readonly verifier: string; readonly number: number };
}>;

/** The keys that sign checkpoints of the log: one stream of the whole installation. */
export const auditKeyDecider: Decider<AuditKeyCommand, AuditKeyEvent, AuditKeyState> = {
  category: 'audit',
  eventTypes: AUDIT_KEY_EVENT_TYPES,
  initial: [],
  decide,
  evolve,
};

/** The id of the one stream. */
export const AUDIT_KEYS = 'keys';

function decide({ verifier, number }: AuditKeyCommand, state: AuditKeyState, env: Env): readonly AuditKeyEvent[] {
  const last = state.at(-1);
  if (last?.verifier === verifier) return [];
  const data = { verifier, number, replaced: last?.verifier ?? null, madeAt: env.now };
  return [{ type: 'audit-key-made.v1', data }];
}
