import { fold } from '../decider.js';
import { given } from '#test/support/given.js';
import {
  feedbackDecider,
  feedbackErasureDecider,
  feedbackRemovalDecider,
  MAX_VERDICTS,
  type FeedbackCommand,
} from './index.js';

const wrong: FeedbackCommand = {
  type: 'give-feedback',
  inferenceId: 'i1',
  workspaceId: 'w1',
  userId: 'u1',
  verdict: 'incorrect',
  correctedOutput: { entities: { city: ['Lyon'] } },
  notes: null,
};
const { type: _, ...fields } = wrong;
const wrongGiven = { type: 'feedback-given.v1', data: { ...fields, at: given.now } } as const;

describe('feedback', () => {
  it('is recorded once for the same verdict', () => {
    given(feedbackDecider, []).when(wrong).then([wrongGiven]);
    given(feedbackDecider, [wrongGiven]).when(wrong).then([]);
  });

  it('supersedes an earlier verdict, and both stay', () => {
    given(feedbackDecider, [wrongGiven])
      .when({ ...wrong, verdict: 'correct', correctedOutput: null })
      .then([{ type: 'feedback-given.v1', data: { ...wrongGiven.data, verdict: 'correct', correctedOutput: null } }]);
  });

  it('is limited to a hundred per call', () => {
    const events = Array.from({ length: MAX_VERDICTS }, (_each, index) => ({
      ...wrongGiven,
      data: { ...wrongGiven.data, notes: `${index}` },
    }));
    given(feedbackDecider, events.slice(1)).when(wrong).then([wrongGiven]);
    given(feedbackDecider, events).when(wrong).thenRefused('conflict');
  });

  it('loses its texts once they are old, and the verdict stays', () => {
    const erasure = { inferenceId: 'i1', workspaceId: 'w1', keys: [{ id: 'k1', fingerprint: 'f1' }] };
    const erase = (until: string) => ({ type: 'erase-feedback-texts', ...erasure, until }) as const;
    const later = { ...wrongGiven, data: { ...wrongGiven.data, reviewer: 'Ann', at: '2999-01-01T00:00:00.000Z' } };
    const erased = {
      type: 'feedback-texts-erased.v1',
      data: { ...erasure, until: given.now, erasedAt: given.now },
    } as const;
    given(feedbackErasureDecider, [wrongGiven, later]).when(erase(given.now)).then([erased]);
    given(feedbackErasureDecider, [wrongGiven, later, erased]).when(erase(given.now)).then([]);
    given(feedbackErasureDecider, [later]).when(erase(given.now)).then([]);
    expect(fold(feedbackRemovalDecider, [wrongGiven, later, erased])).toEqual([
      { ...wrongGiven.data, reviewer: 'user:u1', correctedOutput: null },
      later.data,
    ]);
  });

  it('of several reviewers coexists, and each removes only their own', () => {
    const other = { ...wrongGiven, data: { ...wrongGiven.data, reviewer: 'Ann' } };
    const removal = {
      type: 'remove-feedback',
      inferenceId: 'i1',
      workspaceId: 'w1',
      userId: 'u1',
      reviewer: 'user:u1',
    } as const;
    const removed = {
      type: 'feedback-removed.v1',
      data: { inferenceId: 'i1', workspaceId: 'w1', userId: 'u1', reviewer: 'user:u1', at: given.now },
    } as const;
    given(feedbackRemovalDecider, [wrongGiven, other]).when(removal).then([removed]);
    given(feedbackRemovalDecider, [other]).when(removal).then([]);
    expect(fold(feedbackRemovalDecider, [wrongGiven, other, removed])).toEqual([other.data]);
    given(feedbackDecider, [wrongGiven, removed]).when(wrong).then([wrongGiven]);
    given(feedbackDecider, [wrongGiven, other]).when(wrong).then([wrongGiven]);
  });
});
