import { hash } from 'node:crypto';
import type { CallContent, CallMetered, LeastCertain } from '#domain/inference/index.js';
import type { FeedbackGiven } from '#domain/feedback/index.js';
import type { ReviewEvent } from '#domain/review/index.js';
import type { Projection } from '#log/projector/projection.js';

/** A recorded call of an encoder, for people who review. */
export type ReviewDocument = {
  readonly id: string;
  /** null until the `call-metered` event, which may come second: of no workspace, so that nobody finds it. */
  readonly workspaceId: string | null;
  readonly modelId: string | null;
  /** Which queue it is in. */
  readonly queue: ReviewQueue | null;
  /** Place in its queue, the lowest first: the confidence of the least certain answer or, where that cannot rank it, see `rankOf`. */
  readonly rank: number;
  /** Place in a random order that never changes: 0 to 2^32 - 1. */
  readonly shuffled: number;
  /** Of the least certain answer. */
  readonly label: string | null;
  readonly confidence: number | null;
  readonly failed: boolean;
  readonly createdAt: string | null;
  readonly assignee: string | null;
  readonly skipped: boolean;
  /** The latest verdict of each reviewer. */
  readonly verdicts: readonly Verdict[];
};

/**
 * `open`: answered, no verdict; `errors`: failed, or wrong by a verdict without a correction; `once`: one verdict; `disputed`: verdicts
 * that differ; `assigned/<reviewer>`; and two that are offered to nobody.
 */
export type ReviewQueue = 'open' | 'errors' | 'once' | 'disputed' | 'done' | 'skipped' | `assigned/${string}`;

export type Verdict = {
  readonly reviewer: string;
  /** The same for verdicts that agree. */
  readonly says: string;
};

/** Confidences are at most 1: an answer without one ranks behind. */
const NO_CONFIDENCE = 2;
const INCORRECT = 'incorrect';
const SHUFFLED_END = 2 ** 32;

/** A number that looks random and is the same for the same text: 0 to 2^32 - 1. */
export const shuffledOf = (text: string): number => Number.parseInt(hash('sha1', text).slice(0, 8), 16);

/** The largest place in the random order that a share of all calls has. @param share 0 to 1 */
export const shuffledUpTo = (share: number): number => Math.ceil(share * SHUFFLED_END) - 1;

export const reviews: Projection<ReviewDocument, CallMetered | CallContent | FeedbackGiven | ReviewEvent> = {
  name: 'reviews',
  version: 1,
  indexes: ['rank', 'shuffled'].flatMap((order) => [
    { fields: ['workspaceId', 'queue', order] },
    { fields: ['workspaceId', 'queue', 'modelId', order] },
    { fields: ['workspaceId', 'queue', 'modelId', 'label', order] },
  ]),
  key: (event) => (isReviewable(event) ? event.data.inferenceId : null),
  on: {
    'call-metered.v1': (document, { data }) =>
      placed({
        ...(document ?? unmetered(data.inferenceId)),
        ...{ workspaceId: data.workspaceId, modelId: data.modelId, createdAt: data.at },
        failed: data.status === 'failed',
      }),
    'call-content.v1': (document, { data }) =>
      placed({ ...(document ?? unmetered(data.inferenceId)), ...foundIn(data.leastCertain) }),
    'feedback-given.v1': (document, { data }) =>
      document && placed({ ...document, skipped: false, verdicts: withVerdict(document.verdicts, data) }),
    'review-assigned.v1': (document, { data }) =>
      document && placed({ ...document, skipped: false, assignee: data.reviewer }),
    'review-skipped.v1': (document) => document && placed({ ...document, skipped: true }),
  },
};

type Reviewable = Parameters<typeof reviews.key>[0];

function isReviewable({ type, data }: Reviewable): boolean {
  switch (type) {
    case 'call-metered.v1':
      return data.stored && data.task !== 'generate' && data.task !== 'embed';
    case 'call-content.v1':
      return data.leastCertain !== undefined;
    default:
      return true;
  }
}

const unmetered = (id: string): ReviewDocument => ({
  ...{ id, workspaceId: null, modelId: null, queue: null, rank: NO_CONFIDENCE, shuffled: shuffledOf(id) },
  ...{ label: null, confidence: null, failed: false, createdAt: null, assignee: null, skipped: false, verdicts: [] },
});

const foundIn = (least: LeastCertain | undefined) => ({
  confidence: least?.confidence ?? null,
  label: least?.label ?? null,
});

/** Each reviewer has one verdict: the latest. */
function withVerdict(verdicts: readonly Verdict[], given: FeedbackGiven['data']): readonly Verdict[] {
  const { userId, reviewer = `user:${userId}`, verdict, correctedOutput } = given;
  const correction = correctedOutput === null ? '' : `/${hash('sha1', JSON.stringify(correctedOutput))}`;
  return [...verdicts.filter((other) => other.reviewer !== reviewer), { reviewer, says: `${verdict}${correction}` }];
}

function placed(document: ReviewDocument): ReviewDocument {
  const queue = queueOf(document);
  return { ...document, queue, rank: rankOf(document, queue) };
}

function queueOf({ assignee, skipped, failed, verdicts }: ReviewDocument): ReviewQueue {
  const [first, ...others] = verdicts;
  if (skipped) return 'skipped';
  if (assignee !== null && !verdicts.some(({ reviewer }) => reviewer === assignee)) return `assigned/${assignee}`;
  if (first === undefined) return failed ? 'errors' : 'open';
  if (others.some(({ says }) => says !== first.says)) return 'disputed';
  if (first.says === INCORRECT) return 'errors';
  return others.length === 0 ? 'once' : 'done';
}

/** Errors have the newest first. */
const rankOf = ({ confidence, createdAt }: ReviewDocument, queue: ReviewQueue): number =>
  queue === 'errors' ? -Date.parse(createdAt ?? '1970-01-01') : (confidence ?? NO_CONFIDENCE);
