import { expectLiveEqualsRebuilt, type EventInLog } from '#test/support/live-equals-rebuilt.js';
import { apiKeys } from './projection.js';

const created = (keyId: string): EventInLog => ({
  type: 'api-key-created.v1',
  data: {
    keyId,
    keyHash: `hash of ${keyId}`,
    userId: 'u1',
    teamId: 't1',
    workspaceId: 'w1',
    name: keyId,
    lastDigits: 'wxyz',
    createdAt: '2030-01-01T00:00:00.000Z',
    expiresAt: null,
  },
});
const called = (keyId: string | null, at: string, inputTokens: number, costPicodollars: string): EventInLog => ({
  type: 'call-metered.v1',
  data: {
    inferenceId: at,
    workspaceId: 'w1',
    keyId,
    inputTokens,
    outputTokens: 2,
    cacheReadTokens: 3,
    cacheWriteTokens: 4,
    costPicodollars,
    at,
  },
});

describe('the read model of API keys', () => {
  it('counts calls, tokens and cost for each key, in any order of the calls', async () => {
    const documents = await expectLiveEqualsRebuilt(apiKeys, [
      created('k1'),
      called('k1', '2030-01-01T00:00:05.000Z', 10, '1500000'),
      created('k2'),
      called('k1', '2030-01-01T00:00:03.000Z', 1, '9007199254740993'),
      called(null, '2030-01-01T00:00:09.000Z', 7, '1'),
      called('never created', '2030-01-01T00:00:09.000Z', 7, '1'),
    ]);
    expect([...documents.keys()]).toEqual(['k1', 'k2']);
    expect(documents.get('k1')).toMatchObject({
      requestCount: 2,
      usageTokens: 29,
      usageCost: '9007199256240993',
      lastUsedAt: '2030-01-01T00:00:05.000Z',
      status: 'active',
    });
    expect(documents.get('k2')).toMatchObject({ requestCount: 0, usageTokens: 0, usageCost: '0', lastUsedAt: null });
  });

  it('shows the limits in force', async () => {
    const limits = { requestsPerMinute: 5 };
    const changed = {
      type: 'api-key-limits-changed.v1',
      data: { keyId: 'k1', before: {}, limits, changedAt: '2030-01-02T00:00:00.000Z' },
    };
    const documents = await expectLiveEqualsRebuilt(apiKeys, [created('k1'), created('k2'), changed]);
    expect([documents.get('k1')?.limits, documents.get('k2')?.limits]).toEqual([limits, undefined]);
  });

  it('keeps revoked keys, marked as such', async () => {
    const revoked = { type: 'api-key-revoked.v1', data: { keyId: 'k1', revokedAt: '2030-01-02T00:00:00.000Z' } };
    const documents = await expectLiveEqualsRebuilt(apiKeys, [created('k1'), revoked]);
    expect(documents.get('k1')).toMatchObject({ status: 'revoked', revokedAt: '2030-01-02T00:00:00.000Z' });
  });
});
