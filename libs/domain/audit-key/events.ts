import type { EventsOf, EventTypes } from '../decider.js';

export type AuditKeyEvent = EventsOf<{
  /** Checkpoints of the log are signed with this key from now on. The private half is derived from the installation's secret. */
  'audit-key-made.v1': {
    /** The public half, as C2SP's verifier key: `NAME+ID+KEY`. */
    verifier: string;
    /** From 1. */
    number: number;
    /** The public half of the previous key; null for the first key. */
    replaced: string | null;
    madeAt: string;
  };
  /** Archives of models are signed with this key from now on. The private half is derived from the installation's secret. */
  'model-key-made.v1': {
    /** The public half on NIST P-256, as PEM. */
    publicKey: string;
    /** The public half of the previous key; null for the first key. */
    replaced: string | null;
    madeAt: string;
  };
  /** A checkpoint of this tree was signed: from now on the tree must exist. */
  'audit-tree-begun.v1': {
    /** 1 for the log's first tree. */
    tree: number;
    begunAt: string;
  };
  /** The operator gave up the tree: the log gets another one, with its own name and key. */
  'audit-tree-restarted.v1': {
    /** Number of the new tree, from 2. */
    tree: number;
    /** In the operator's words, at most 500 characters. */
    reason: string;
    /** The last known signed checkpoint of the previous tree; null if none is known. */
    replaced: string | null;
    restartedAt: string;
  };
}>;

export const AUDIT_KEY_EVENT_TYPES: EventTypes<AuditKeyEvent> = {
  'audit-key-made.v1': true,
  'model-key-made.v1': true,
  'audit-tree-begun.v1': true,
  'audit-tree-restarted.v1': true,
};
