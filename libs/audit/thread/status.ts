import type { Bus, Subscription } from '#ports/bus/port.js';
import type { Json } from '#domain/json.js';
import { askLeader } from '#log/leadership/ask-leader.js';
import type { Finding } from '../finding.js';
import type { AnchorStatus } from '../anchors.js';
import type { WitnessStatus } from '../witnesses.js';

/** The bus subject on which the leader of the audit answers. */
const SUBJECT = 'operate.audit';

/** Events are compared first, then the objects that they name. */
export type Checking = { readonly what: 'events' | 'objects'; readonly done: number; readonly total: number };

export type AuditStatus = {
  /** Events under the newest checkpoint. */
  readonly size: number;
  /** When this process last signed one; null before the first. */
  readonly signedAt: string | null;
  /** When the whole log was last compared with the tree; null before the first time. */
  readonly checkedAt: string | null;
  /** Progress of the first comparison of this process; null once it is done. */
  readonly checking: Checking | null;
  /** Name of the error with which the last attempt to sign or to compare ended; it is repeated. */
  readonly error: string | null;
  readonly problems: number;
  readonly first: Finding | null;
  readonly witnesses: readonly WitnessStatus[];
  /** Copies of checkpoints, and their time stamps; null: none are kept, or asked for. */
  readonly checkpoints: AnchorStatus | null;
  readonly timestamps: AnchorStatus | null;
};

/** The newest checkpoint, and the position of the last event that it covers; null for an empty tree. */
export interface SignedHead {
  readonly note: string;
  readonly position: string | null;
}

/** The topic of `Outcome`. */
export const OUTCOME = 'outcome';

/** How an attempt of the audit's thread ended, or what it found. */
export interface Outcome {
  readonly name: 'extend-audit-tree' | 'anchor-checkpoint' | 'check-audit-tree' | 'audit-finding';
  /** null: it succeeded. */
  readonly error: string | null;
}

export const serveAudit = (bus: Bus, status: () => Promise<AuditStatus>): Subscription =>
  bus.serve(SUBJECT, () => status() as Promise<Json>);

/** The audit, wherever it is led. @throws NoLeaderError while no worker leads it */
export const auditOverBus = (bus: Bus, deadlineMs: number): Promise<AuditStatus> =>
  askLeader<AuditStatus>(bus, { subject: SUBJECT, body: null, deadlineMs, absent: 'no worker leads the audit now' });
