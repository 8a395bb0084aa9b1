import { given } from '#test/support/given.js';
import { MAX_REVIEW_MARKS, reviewDecider, type ReviewCommand, type ReviewEvent } from './index.js';

const call = { inferenceId: 'i1', workspaceId: 'w1', modelId: 'm' };
const assign: ReviewCommand = { type: 'assign-review', ...call, reviewer: 'ada', by: 'key:k1' };
const skip: ReviewCommand = { type: 'skip-review', ...call, reviewer: 'ada', reason: 'blank' };
const assigned: ReviewEvent = {
  type: 'review-assigned.v1',
  data: { ...call, reviewer: 'ada', by: 'key:k1', at: given.now },
};
const skipped: ReviewEvent = {
  type: 'review-skipped.v1',
  data: { ...call, reviewer: 'ada', reason: 'blank', at: given.now },
};

describe('review', () => {
  it('is assigned once, and the same assignment again records nothing', () => {
    given(reviewDecider, []).when(assign).then([assigned]);
    given(reviewDecider, [skipped]).when(assign).then([assigned]);
    given(reviewDecider, [assigned]).when(assign).then([]);
    given(reviewDecider, [assigned])
      .when({ ...assign, reviewer: 'bob' })
      .then([{ ...assigned, data: { ...assigned.data, reviewer: 'bob' } }]);
  });

  it('is skipped once, and again only for another reason', () => {
    given(reviewDecider, [assigned]).when(skip).then([skipped]);
    given(reviewDecider, [skipped]).when(skip).then([]);
    given(reviewDecider, [skipped])
      .when({ ...skip, reason: null })
      .then([{ ...skipped, data: { ...skipped.data, reason: null } }]);
  });

  it('is limited to a hundred assignments and skips per call', () => {
    const events = Array.from({ length: MAX_REVIEW_MARKS }, () => assigned);
    given(reviewDecider, events.slice(1)).when(skip).then([skipped]);
    given(reviewDecider, events).when(skip).thenRefused('conflict');
  });
});
