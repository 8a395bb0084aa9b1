import { hash } from 'node:crypto';
import type { CallContent, CallMetered } from '#domain/inference/index.js';
import type { ErasureEvent } from '#domain/erasure/index.js';
import { reviewerIn, verdictsAfter, type FeedbackEvent, type FeedbackGiven } from '#domain/feedback/index.js';
import { modelReferenceOf } from '#domain/model/index.js';
import type { ReviewEvent } from '#domain/review/index.js';
import type { Projection } from '#log/projector/projection.js';

/**
 * What reviews know of a recorded call: of one of an encoder that is doubtful or failed, and of any with a verdict, a skip or an
 * assignment. The many others have no document, so that recording them costs nothing here.
 */
export type ReviewDocument = {
  readonly id: string;
  readonly workspaceId: string;
  /** As the call named it; null where only an older verdict is known. */
  readonly modelId: string | null;
  /** The name in `modelId`; null for other ids. */
  readonly modelName: string | null;
  /** Which queue it is in. */
  readonly queue: ReviewQueue;
  /** Place in its queue, the lowest first: the confidence of the least certain answer; of errors see `rankOf`. */
  readonly rank: number;
  /** 0 to 2^32 - 1, by the id: chooses shares of calls. */
  readonly shuffled: number;
  /** Of the least certain answer, where that is doubtful. */
  readonly label: string | null;
  readonly confidence: number | null;
  readonly failed: boolean;
  /** Of the failure or of the latest verdict. */
  readonly at: string | null;
  readonly assignee: string | null;
  readonly skipped: boolean;
  /** Nothing of it is left to look at. */
  readonly erased: boolean;
  /** The latest verdict of each reviewer. */
  readonly verdicts: readonly Verdict[];
};

/**
 * `open`: no verdict; `errors`: failed, or wrong by a verdict without a correction; `once`: one verdict; `disputed`: verdicts
 * that differ; `assigned/<reviewer>`; and two that are offered to nobody.
 */
export type ReviewQueue = 'open' | 'errors' | 'once' | 'disputed' | 'done' | 'skipped' | `assigned/${string}`;

export type Verdict = {
  readonly reviewer: string;
  /** The same for verdicts that agree. */
  readonly says: string;
};

/** Below it, an answer is doubtful. */
export const DOUBTFUL = 0.9;
/** Confidences are at most 1: a call without one ranks behind. */
const NO_CONFIDENCE = 2;
const INCORRECT = 'incorrect';
const SHUFFLED_END = 2 ** 32;

/** A number that looks random and is the same for the same text: 0 to 2^32 - 1. */
export const shuffledOf = (text: string): number => Number.parseInt(hash('sha1', text).slice(0, 8), 16);

/** The largest `shuffled` of a share of all calls. @param share 0 to 1 */
export const shuffledUpTo = (share: number): number => Math.ceil(share * SHUFFLED_END) - 1;

export const reviews: Projection<
  ReviewDocument,
  CallMetered | CallContent | FeedbackEvent | ReviewEvent | ErasureEvent
> = {
  name: 'reviews',
  version: 3,
  indexes: [
    { fields: ['workspaceId', 'queue', 'rank'] },
    { fields: ['workspaceId', 'queue', 'modelId', 'rank'] },
    { fields: ['workspaceId', 'queue', 'modelId', 'label', 'rank'] },
    { fields: ['workspaceId', 'queue', 'modelName', 'rank'] },
  ],
  key: (event) => (isOfReviews(event) ? event.data.inferenceId : null),
  on: {
    'call-metered.v1': (document, { data }) => placed({ ...of(document, data), failed: true, at: data.at }),
    'call-content.v1': (document, { data }) => placed({ ...of(document, data), ...data.leastCertain }),
    'feedback-given.v1': (document, { data }) => {
      const verdicts = withVerdict(document?.verdicts ?? [], data);
      return placed({ ...of(document, data), skipped: false, at: data.at, verdicts });
    },
    'feedback-removed.v1': (document, { data }) =>
      document && placed({ ...document, verdicts: verdictsAfter(document.verdicts, data, null) }),
    'review-assigned.v1': (document, { data }) =>
      placed({ ...of(document, data), skipped: false, assignee: data.reviewer }),
    'review-skipped.v1': (document, { data }) => placed({ ...of(document, data), skipped: true }),
    'call-content-erased.v1': (document) =>
      document && placed({ ...document, erased: true, label: null, confidence: null }),
  },
};

type Handled = Parameters<typeof reviews.key>[0];

function isOfReviews({ type, data }: Handled): boolean {
  switch (type) {
    case 'call-metered.v1':
      return data.stored && data.status === 'failed' && data.shadowOf === undefined && isReviewable(data.task);
    case 'call-content.v1':
      return (data.leastCertain?.confidence ?? 1) < DOUBTFUL;
    default:
      return true;
  }
}

/** Whether calls of a task are offered without a verdict: those of encoders. */
export const isReviewable = (task: string): boolean => task !== 'generate' && task !== 'embed';

interface OfCall {
  readonly inferenceId: string;
  readonly workspaceId: string;
  readonly modelId?: string | undefined;
}

/** A call of which nothing else is known. */
export const unmarked = ({ inferenceId: id, workspaceId, modelId = undefined }: OfCall): ReviewDocument => ({
  ...{ id, workspaceId, ...named(modelId), queue: 'open', rank: NO_CONFIDENCE, shuffled: shuffledOf(id) },
  ...{ label: null, confidence: null, failed: false, at: null, assignee: null, skipped: false, erased: false },
  verdicts: [],
});

const of = (document: ReviewDocument | null, data: OfCall): ReviewDocument =>
  document ? { ...document, ...named(document.modelId ?? data.modelId) } : unmarked(data);

const named = (modelId: string | undefined) => ({
  modelId: modelId ?? null,
  modelName: modelId === undefined ? null : (modelReferenceOf(modelId)?.name ?? null),
});

/** Each reviewer has one verdict: the latest. */
function withVerdict(verdicts: readonly Verdict[], given: FeedbackGiven['data']): readonly Verdict[] {
  const { verdict, correctedOutput } = given;
  const correction = correctedOutput === null ? '' : `/${hash('sha1', JSON.stringify(correctedOutput))}`;
  return verdictsAfter(verdicts, given, { reviewer: reviewerIn(given), says: `${verdict}${correction}` });
}

function placed(document: ReviewDocument): ReviewDocument {
  const queue = queueOf(document);
  return { ...document, queue, rank: rankOf(document, queue) };
}

function queueOf({ assignee, skipped, erased, failed, verdicts }: ReviewDocument): ReviewQueue {
  const [first, ...others] = verdicts;
  if (erased) return 'done';
  if (skipped) return 'skipped';
  if (assignee !== null && !verdicts.some(({ reviewer }) => reviewer === assignee)) return `assigned/${assignee}`;
  if (first === undefined) return failed ? 'errors' : 'open';
  if (others.some(({ says }) => says !== first.says)) return 'disputed';
  if (first.says === INCORRECT) return 'errors';
  return others.length === 0 ? 'once' : 'done';
}

/** Errors have the newest first. */
const rankOf = ({ confidence, at }: ReviewDocument, queue: ReviewQueue): number =>
  queue === 'errors' ? -Date.parse(at!) : (confidence ?? NO_CONFIDENCE);
