import type { CallMetered } from '#domain/inference/index.js';
import type { Projection } from '#log/projector/projection.js';

/** Calls of one kind, with what they cost and took together. */
export type CallTotals = {
  readonly calls: number;
  /** Picodollars, a whole number in decimal. */
  readonly cost: string;
  readonly latencyMs: number;
};

/** A day of the calls of a distilled name. */
export type CascadeDayDocument = {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  /** `2030-01-07`, UTC. */
  readonly day: string;
  /** Calls that the student answered, that the teacher answered, and that the teacher repeated unseen. */
  readonly student: CallTotals;
  readonly teacher: CallTotals;
  readonly audits: CallTotals;
  /** Of the audits: those with another answer. */
  readonly disagreements: number;
  readonly failed: CallTotals;
};

/** Who answered the calls of distilled names, by day. */
export const cascadeDays: Projection<CascadeDayDocument, CallMetered> = {
  name: 'cascade-days',
  version: 2,
  indexes: [{ fields: ['workspaceId', 'name', 'day'] }],
  // Shadow calls but audits are of a version that is tried, and save nothing.
  key: ({ data: { cascade, workspaceId, modelName, shadowOf, at } }) =>
    cascade && modelName !== undefined && (shadowOf === undefined || cascade.reason === 'audit')
      ? [workspaceId, modelName, at.slice(0, 10)].join('/')
      : null,
  on: {
    'call-metered.v1'(document, { data }) {
      const before = document ?? none(data);
      const { reason, by, agrees } = data.cascade!;
      const kind = data.status === 'failed' ? 'failed' : reason === 'audit' ? 'audits' : by;
      const isOther = kind === 'audits' && agrees === false;
      return {
        ...before,
        [kind]: withCall(before[kind], data),
        disagreements: before.disagreements + (isOther ? 1 : 0),
      };
    },
  },
};

const NO_CALLS: CallTotals = { calls: 0, cost: '0', latencyMs: 0 };

const withCall = ({ calls, cost, latencyMs }: CallTotals, call: CallMetered['data']): CallTotals => ({
  calls: calls + 1,
  cost: String(BigInt(cost) + BigInt(call.costPicodollars)),
  latencyMs: latencyMs + call.latencyMs,
});

const none = ({ workspaceId, modelName = '', at }: CallMetered['data']): CascadeDayDocument => ({
  id: [workspaceId, modelName, at.slice(0, 10)].join('/'),
  ...{ workspaceId, name: modelName, day: at.slice(0, 10) },
  ...{ student: NO_CALLS, teacher: NO_CALLS, audits: NO_CALLS, disagreements: 0, failed: NO_CALLS },
});
