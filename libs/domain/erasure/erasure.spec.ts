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
  it('is decided once', () => {
    given(erasureDecider, [])
      .when({ type: 'erase-content', ...content })
      .then([erased]);
    given(erasureDecider, [erased])
      .when({ type: 'erase-content', ...content })
      .then([]);
  });
});
