import { given } from '#test/support/given.js';
import { erasureDecider, type ErasedContent, type ErasureEvent } from './index.js';

const content: ErasedContent = {
  inferenceId: 'i1',
  workspaceId: 'w1',
  objectKey: 'calls/w1/i1.json',
  toolCallId: 't1',
};
const erased: ErasureEvent = { type: 'call-content-erased.v1', data: { ...content, erasedAt: given.now } };

describe('the erasure of a call’s content', () => {
  it('is recorded once', () => {
    given(erasureDecider, [])
      .when({ type: 'erase-content', ...content })
      .then([erased]);
    given(erasureDecider, [erased])
      .when({ type: 'erase-content', ...content })
      .then([]);
  });

  it('names each dataset version once that was erased with it', () => {
    const erase = { type: 'erase-copies', inferenceId: 'i1', workspaceId: 'w1', versionIds: ['v1', 'v2'] } as const;
    const copies = (...versionIds: string[]): ErasureEvent => ({
      type: 'call-copies-erased.v1',
      data: { inferenceId: 'i1', workspaceId: 'w1', versionIds, erasedAt: given.now },
    });
    given(erasureDecider, [erased])
      .when(erase)
      .then([copies('v1', 'v2')]);
    given(erasureDecider, [erased, copies('v1')])
      .when(erase)
      .then([copies('v2')]);
    given(erasureDecider, []).when(erase).then([]);
  });
});
