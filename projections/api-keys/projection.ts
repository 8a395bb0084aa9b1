import type { ApiKeyEvent, KeyLimits, KeyScope } from '#domain/api-key/index.js';
import { allTokens, type CallMetered } from '#domain/inference/index.js';
import type { Projection } from '#log/projector/projection.js';

/** An API key and its use. Revoked keys stay, so that revoking one again differs from revoking an unknown one. */
export type ApiKeyDocument = {
  readonly id: string;
  /** Names the key's stream. */
  readonly keyHash: string;
  readonly userId: string;
  readonly teamId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly lastDigits: string;
  readonly status: 'active' | 'revoked';
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** Scopes of the key; absent: everything. */
  readonly scopes?: readonly KeyScope[];
  /** Absent: none. */
  readonly limits?: KeyLimits;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
  readonly requestCount: number;
  /** Tokens of all kinds. */
  readonly usageTokens: number;
  /** Picodollars, a whole number in decimal. */
  readonly usageCost: string;
};

export const apiKeys: Projection<ApiKeyDocument, ApiKeyEvent | CallMetered> = {
  name: 'api-keys',
  version: 3,
  indexes: [{ fields: ['userId', 'status', 'createdAt'] }],
  key: ({ data }) => data.keyId,
  on: {
    'api-key-created.v1': (_, { data: { keyId, ...key } }) => ({ ...UNUSED, id: keyId, ...key }),
    'api-key-limits-changed.v1': (document, { data: { limits } }) => document && { ...document, limits },
    'api-key-revoked.v1': (document, { data: { revokedAt } }) =>
      document && { ...document, status: 'revoked', revokedAt },
    'call-metered.v1': (document, { data }) => document && withCall(document, data),
  },
};

const UNUSED = {
  status: 'active',
  revokedAt: null,
  lastUsedAt: null,
  requestCount: 0,
  usageTokens: 0,
  usageCost: '0',
} as const;

function withCall(document: ApiKeyDocument, call: CallMetered['data']): ApiKeyDocument {
  const { lastUsedAt } = document;
  return {
    ...document,
    lastUsedAt: lastUsedAt !== null && lastUsedAt > call.at ? lastUsedAt : call.at,
    requestCount: document.requestCount + 1,
    usageTokens: document.usageTokens + allTokens(call),
    usageCost: String(BigInt(document.usageCost) + BigInt(call.costPicodollars)),
  };
}
