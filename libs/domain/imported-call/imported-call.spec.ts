import { given } from '#test/support/given.js';
import type { ImportedCall, ImportedCallCommand, ImportedCallEvent } from './index.js';
import { importedCallDecider } from './index.js';

const call: ImportedCall = {
  ...{ inferenceId: 'i1', workspaceId: 'w1', userId: 'u1', keyId: 'k1', lineId: 'theirs-1', digest: 'aa' },
  ...{ modelId: 'tickets', modelName: 'tickets', modelLabel: 'tickets', baseModel: 'tickets', task: 'schema' },
  ...{ format: 'native', status: 'success', errorType: null, latencyMs: null, ttftMs: null },
  ...{ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  content: { input: { text: 'a' }, output: { classification: 'b' }, errorMessage: null },
  ...{ user: null, metadata: null, origin: {}, at: '2029-12-31T00:00:00.000Z' },
};
const command: ImportedCallCommand = { type: 'import-call', ...call };
const imported: ImportedCallEvent = { type: 'inference-imported.v1', data: { ...call, importedAt: given.now } };

describe('an imported call', () => {
  it('is imported once, and the same line again changes nothing', () => {
    given(importedCallDecider, []).when(command).then([imported]);
    given(importedCallDecider, [imported])
      .when({ ...command, userId: 'u2' })
      .then([]);
  });

  it('is not changed by another line with its id', () => {
    given(importedCallDecider, [imported])
      .when({ ...command, digest: 'bb' })
      .thenRefused('conflict');
  });
});
