import { given } from '#test/support/given.js';
import { batchDecider, type BatchEnd, type BatchEvent, type BatchRequest } from './index.js';

const source = { key: 'k', size: 10, sha256: 'a'.repeat(64) };
const request: BatchRequest = {
  ...{ batchId: 'b1', workspaceId: 'w1', endpoint: '/v1/chat/completions', requests: 2, metadata: null },
  requestedBy: { kind: 'key', userId: 'u1', teamId: 't1', keyId: 'k1' },
  input: { versionId: 'v1', source },
  expiresAt: '2031-01-01T00:00:00.000Z',
};
const requested: BatchEvent = { type: 'batch-requested.v1', data: { ...request, requestedAt: given.now } };
const cancelling: BatchEvent = {
  type: 'batch-cancel-requested.v1',
  data: { batchId: 'b1', requestedAt: given.now },
};
const end: BatchEnd = {
  ...{ outcome: 'completed', error: null, completed: 1, failed: 1, outputVersionId: 'o', errorVersionId: 'e' },
};
const ended: BatchEvent = { type: 'batch-ended.v1', data: { batchId: 'b1', ...end, endedAt: given.now } };

describe('a batch', () => {
  it('is requested once', () => {
    given(batchDecider, [])
      .when({ type: 'request-batch', ...request })
      .then([requested]);
    given(batchDecider, [requested])
      .when({ type: 'request-batch', ...request })
      .then([]);
  });

  it('ends once', () => {
    given(batchDecider, [requested])
      .when({ type: 'end-batch', batchId: 'b1', ...end })
      .then([ended]);
    given(batchDecider, [requested, ended])
      .when({ type: 'end-batch', batchId: 'b1', ...end, outcome: 'failed' })
      .then([]);
  });

  const cancel = { type: 'cancel-batch', batchId: 'b1', workspaceId: 'w1' } as const;

  it('is cancelled while it is in progress', () => {
    given(batchDecider, [requested]).when(cancel).then([cancelling]);
    given(batchDecider, [requested, ended]).when(cancel).thenRefused('conflict');
  });

  it('is not found from another workspace', () => {
    given(batchDecider, [requested])
      .when({ ...cancel, workspaceId: 'w2' })
      .thenRefused('not_found');
    given(batchDecider, []).when(cancel).thenRefused('not_found');
  });
});
