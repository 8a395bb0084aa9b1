import type { EventsOf, EventTypes } from '../decider.js';

export type AuditKeyEvent = EventsOf<{
  /** Checkpoints of the log are signed with this key from now on. The private half is derived from the installation's secret. */
  'audit-key-made.v1': {
    /** The public half, as C2SP's verifier key: `NAME+ID+KEY`. */
    verifier: string;
    /** From 1. */
    number: number;
    /** The public half of the key before; null for the first. */
    replaced: string | null;
    madeAt: string;
  };
}>;

export const AUDIT_KEY_EVENT_TYPES: EventTypes<AuditKeyEvent> = {
  'audit-key-made.v1': true,
};
