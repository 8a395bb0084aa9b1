import { expectLiveEqualsRebuilt, type EventInLog } from '#test/support/live-equals-rebuilt.js';
import { usage } from './projection.js';

const called = (values: Record<string, string | number | boolean | null>): EventInLog => ({
  type: 'call-metered.v1',
  data: {
    ...{ inferenceId: 'i', workspaceId: 'w1', teamId: 't1', keyId: 'k1', baseModel: 'a/b', trainingJobId: null },
    ...{ status: 'success', inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
    ...{ costPicodollars: '5', stored: true, at: '2030-01-01T23:59:59.999Z' },
    ...values,
  },
});

describe('the read model of usage', () => {
  it('sums calls by workspace, day, model and key', async () => {
    const documents = await expectLiveEqualsRebuilt(usage, [
      called({ costPicodollars: '9007199254740993' }),
      called({ status: 'failed', inputTokens: 0, outputTokens: 0, costPicodollars: '0' }),
      called({ cacheReadTokens: 3, cacheWriteTokens: 4, stored: false }),
      called({ at: '2030-01-02T00:00:00.000Z' }),
      called({ trainingJobId: 'j1' }),
      called({ keyId: null }),
      called({ workspaceId: 'w2' }),
    ]);
    expect(documents.size).toBe(5);
    expect(documents.get('w1/2030-01-01/k1/a/b')).toEqual({
      ...{
        id: 'w1/2030-01-01/k1/a/b',
        teamId: 't1',
        workspaceId: 'w1',
        day: '2030-01-01',
        modelId: 'a/b',
        keyId: 'k1',
      },
      ...{
        requestCount: 3,
        failedCount: 1,
        unstoredCount: 1,
        inputTokens: 20,
        outputTokens: 2,
        cacheReadTokens: 3,
        cacheWriteTokens: 4,
      },
      cost: '9007199254740998',
    });
    expect(documents.get('w1/2030-01-01/k1/j1')).toMatchObject({ modelId: 'j1' });
    expect(documents.get('w1/2030-01-01/-/a/b')).toMatchObject({ keyId: null });
  });
});
