import { addTokens, tokenCounts, type CallMetered, type TokenCounts } from '#domain/inference/index.js';
import type { Projection } from '#log/projector/projection.js';

/**
 * Totals of a workspace's calls of one day with one model and one key. Many calls change few of these documents, and a
 * batch of events writes each at most once.
 */
export type UsageDocument = {
  readonly id: string;
  readonly teamId: string;
  readonly workspaceId: string;
  /** `2026-11-30`, UTC. */
  readonly day: string;
  /** A catalog id, or the training job's. */
  readonly modelId: string;
  /** null: from a browser session. */
  readonly keyId: string | null;
  readonly requestCount: number;
  readonly failedCount: number;
  /** Calls with `store: false`. */
  readonly unstoredCount: number;
  /** Picodollars, a whole number in decimal. */
  readonly cost: string;
} & TokenCounts;

export const usage: Projection<UsageDocument, CallMetered> = {
  name: 'usage',
  version: 2,
  indexes: [{ fields: ['workspaceId', 'day'] }, { fields: ['teamId', 'day'] }],
  key: ({ data }) => idOf(data),
  on: {
    'call-metered.v1'(document, { data: call }) {
      const before = document ?? none(call);
      return {
        ...before,
        requestCount: before.requestCount + 1,
        failedCount: before.failedCount + (call.status === 'failed' ? 1 : 0),
        unstoredCount: before.unstoredCount + (call.stored ? 0 : 1),
        ...addTokens(before, call),
        cost: String(BigInt(before.cost) + BigInt(call.costPicodollars)),
      };
    },
  },
};

const dayOf = (call: CallMetered['data']): string => call.at.slice(0, 10);
const modelOf = (call: CallMetered['data']): string => call.trainingJobId ?? call.baseModel;

const idOf = (call: CallMetered['data']): string =>
  `${call.workspaceId}/${dayOf(call)}/${call.keyId ?? '-'}/${modelOf(call)}`;

const none = (call: CallMetered['data']): UsageDocument => ({
  id: idOf(call),
  teamId: call.teamId,
  workspaceId: call.workspaceId,
  day: dayOf(call),
  modelId: modelOf(call),
  keyId: call.keyId,
  requestCount: 0,
  failedCount: 0,
  unstoredCount: 0,
  ...tokenCounts({}),
  cost: '0',
});
