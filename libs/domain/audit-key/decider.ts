import type { CommandsOf, Decider, Env } from '../decider.js';
import { AUDIT_KEY_EVENT_TYPES, type AuditKeyEvent } from './events.js';
import { evolve, INITIAL, type AuditKeyState } from './state.js';

type AuditKeyCommand = CommandsOf<{
  'record-audit-key': { readonly verifier: string; readonly number: number };
  'record-model-key': { readonly publicKey: string };
  /** A checkpoint of the tree of that number was signed. */
  'begin-audit-tree': { readonly tree: number };
  /** `tree`: number of the new tree; `replaced`: see the event. */
  'restart-audit-tree': { readonly tree: number; readonly reason: string; readonly replaced: string | null };
}>;

/** The keys that sign checkpoints of the log and archives of models, and the tree in use: one stream for the whole installation. */
export const auditKeyDecider: Decider<AuditKeyCommand, AuditKeyEvent, AuditKeyState> = {
  category: 'audit',
  eventTypes: AUDIT_KEY_EVENT_TYPES,
  initial: INITIAL,
  decide,
  evolve,
};

/** The id of the one stream. */
export const AUDIT_KEYS = 'keys';

function decide(command: AuditKeyCommand, state: AuditKeyState, env: Env): readonly AuditKeyEvent[] {
  switch (command.type) {
    case 'record-audit-key': {
      const { verifier, number } = command;
      const last = state.keys.at(-1);
      if (last?.verifier === verifier) return [];
      const data = { verifier, number, replaced: last?.verifier ?? null, madeAt: env.now };
      return [{ type: 'audit-key-made.v1', data }];
    }
    case 'record-model-key': {
      const { publicKey } = command;
      const replaced = state.modelKeys.at(-1) ?? null;
      if (replaced === publicKey) return [];
      return [{ type: 'model-key-made.v1', data: { publicKey, replaced, madeAt: env.now } }];
    }
    case 'begin-audit-tree': {
      const { tree } = command;
      if (tree !== state.tree || state.isBegun) return [];
      return [{ type: 'audit-tree-begun.v1', data: { tree, begunAt: env.now } }];
    }
    case 'restart-audit-tree': {
      const { tree, reason, replaced } = command;
      if (tree !== state.tree + 1) return [];
      return [{ type: 'audit-tree-restarted.v1', data: { tree, reason, replaced, restartedAt: env.now } }];
    }
  }
}
