import type { EventsOf, EventTypes } from '../decider.js';
import type { Json } from '../json.js';
import type { ProposedAct } from './acts.js';

// Type aliases rather than interfaces: only those are assignable to JSON.

/** The act that one person asked for, and another one confirms. */
export type Proposal = {
  readonly proposalId: string;
  readonly workspaceId: string;
  readonly act: ProposedAct;
  /** Name of the command that is given once it is confirmed, and its input. */
  readonly command: string;
  readonly input: Json;
  /** What it acts on, in words; names no person. */
  readonly about: string;
  /** Who asked: `key:<id>`, `user:<id>`, or a process on behalf of the person. */
  readonly actor: string;
  /** The person, and the key that was used, if any. */
  readonly proposer: {
    readonly kind: 'key' | 'session';
    readonly userId: string;
    readonly teamId: string;
    readonly keyId: string | null;
  };
  /** A keyed hash of the address that it was proposed from; null: by a worker. Absent from older events. */
  readonly address?: string | null;
  readonly reason: string | null;
  readonly ticket: string | null;
  readonly expiresAt: string;
};

/** Which proposal, who decided it, and when. */
type Decision = {
  readonly proposalId: string;
  readonly workspaceId: string;
  readonly userId: string;
  /** `key:<id>` or `user:<id>`. */
  readonly actor: string;
  readonly at: string;
};

/** What speaks against two people, for others to judge. Absent from older events. */
export type Independence = {
  /** The proposer had given the confirming account its role, before the workspace wanted two people. */
  readonly invitedByProposer?: boolean;
  /** Both requests came from one address; null: not known. */
  readonly sameAddress?: boolean | null;
};

export type ProposalEvent = EventsOf<{
  'act-proposed.v1': Proposal & { readonly proposedAt: string };
  /** Another person than the proposer agrees; the act follows. */
  'proposal-confirmed.v1': Decision & Independence;
  /** Anybody who may do the act refuses it, or the proposer withdraws it. */
  'proposal-declined.v1': Decision & { readonly reason: string | null };
  /** Nobody decided it in time. */
  'proposal-expired.v1': { readonly proposalId: string; readonly workspaceId: string; readonly expiredAt: string };
  /** The act was done. */
  'proposal-performed.v1': { readonly proposalId: string; readonly workspaceId: string; readonly performedAt: string };
}>;

export const PROPOSAL_EVENT_TYPES: EventTypes<ProposalEvent> = {
  'act-proposed.v1': true,
  'proposal-confirmed.v1': true,
  'proposal-declined.v1': true,
  'proposal-expired.v1': true,
  'proposal-performed.v1': true,
};
