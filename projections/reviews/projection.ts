import { hash } from 'node:crypto';
import { contentIn, isTaskOfEncoders, type CallContent, type CallMetered } from '#domain/inference/index.js';
import type { ErasureEvent } from '#domain/erasure/index.js';
import { isRight, reviewerIn, verdictsAfter, type FeedbackEvent, type FeedbackGiven } from '#domain/feedback/index.js';
import type { ImportedCallEvent } from '#domain/imported-call/index.js';
import { modelReferenceOf } from '#domain/model/index.js';
import type { ReviewEvent } from '#domain/review/index.js';
import type { Projection } from '#log/projector/projection.js';
import { saidIn } from './said.js';

/**
 * A recorded call for reviews: a call of an encoder that is doubtful or failed, and any with a verdict, a skip, an assignment or a
 * shadow. The many others have no document, so that recording them costs nothing here.
 */
export type ReviewDocument = {
  readonly id: string;
  readonly workspaceId: string;
  /** As the call named it; null if only an older verdict is known. */
  readonly modelId: string | null;
  /** The name in `modelId`; null for other ids. */
  readonly modelName: string | null;
  /** Queue of the call. */
  readonly queue: ReviewQueue;
  /** Place in its queue, the lowest first: the confidence of the least certain answer; of errors see `rankOf`. */
  readonly rank: number;
  /** 0 to 2^32 - 1, by the id: chooses shares of calls. */
  readonly shuffled: number;
  /** Label of the least certain answer, if that is doubtful. */
  readonly label: string | null;
  readonly confidence: number | null;
  readonly failed: boolean;
  /** Time of the failure or of the latest verdict. */
  readonly at: string | null;
  readonly assignee: string | null;
  readonly skipped: boolean;
  /** Whether its content was erased. */
  readonly erased: boolean;
  /** The latest verdict of each reviewer. */
  readonly verdicts: readonly Verdict[];
  /** Answers of a call whose model has a shadow. */
  readonly answers: Answers | null;
  /** The versions that were compared (`pairOf`), once both have answered; and if they answered alike. */
  readonly compared: string | null;
  readonly alike: string | null;
  /** Dense numbers from 1 among those of a workspace and pair. */
  readonly nCompared?: number;
  readonly nAlike?: number;
};

/** The answer of the version that was called, and that of its shadow; null until it is recorded. */
type Answers = { readonly called: VersionAnswer | null; readonly shadow: VersionAnswer | null };

type VersionAnswer = {
  readonly inferenceId: string;
  readonly version: number;
  /** See `saidIn`; null once both are known. */
  readonly said: string | null;
};

/**
 * `open`: no verdict; `differing`: no verdict, and its shadow answered differently; `errors`: failed, or wrong by a
 * verdict without a correction; `once`: one verdict; `disputed`: verdicts that differ; `assigned/<reviewer>`; and two
 * that are never offered.
 */
export type ReviewQueue =
  'open' | 'differing' | 'errors' | 'once' | 'disputed' | 'done' | 'skipped' | `assigned/${string}`;

type Verdict = {
  readonly reviewer: string;
  /** The same for verdicts that agree: the verdict and the hash of a correction, or `ERASED`. */
  readonly says: string;
  readonly at: string;
};

/** Below it, an answer is doubtful. */
const DOUBTFUL = 0.9;
/** Confidences are at most 1: a call without one ranks behind. */
const NO_CONFIDENCE = 2;
/** Replaces a correction's hash after the verdict: whether there was one is no longer known. */
const ERASED = '/erased';
const SHUFFLED_END = 2 ** 32;

/** A number that looks random and is the same for the same text: 0 to 2^32 - 1. */
export const shuffledOf = (text: string): number => Number.parseInt(hash('sha1', text).slice(0, 8), 16);

/** The largest `shuffled` of a share of all calls. @param share 0 to 1 */
export const shuffledUpTo = (share: number): number => Math.ceil(share * SHUFFLED_END) - 1;

export const reviews: Projection<
  ReviewDocument,
  CallMetered | CallContent | ImportedCallEvent | FeedbackEvent | ReviewEvent | ErasureEvent
> = {
  name: 'reviews',
  version: 10,
  erases: ['call-content-erased.v1', 'feedback-texts-erased.v1'],
  indexes: [
    { fields: ['workspaceId', 'queue', 'rank'] },
    { fields: ['workspaceId', 'queue', 'modelId', 'rank'] },
    { fields: ['workspaceId', 'queue', 'modelId', 'label', 'rank'], sparse: 'label' },
    { fields: ['workspaceId', 'queue', 'modelName', 'rank'], sparse: 'modelName' },
    { fields: ['workspaceId', 'queue', 'modelName', 'label', 'rank'], sparse: 'modelName' },
    { fields: ['workspaceId', 'compared', 'nCompared'], sparse: 'compared' },
    { fields: ['workspaceId', 'alike', 'nAlike'], sparse: 'alike' },
  ],
  shared: ['workspaceId', 'modelId', 'modelName', 'queue', 'compared', 'alike'],
  ordinals: [
    { field: 'nCompared', within: ['workspaceId', 'compared'] },
    { field: 'nAlike', within: ['workspaceId', 'alike'] },
  ],
  key: (event) => (isOfReviews(event) ? callOf(event) : null),
  on: {
    'call-metered.v1': (document, { data }) =>
      isFailure(data)
        ? placed({ ...of(document, data), failed: true, at: data.at })
        : withContent(document, contentIn(data)!),
    'call-content.v1': (document, { data }) => withContent(document, data),
    'inference-imported.v1': (document, { data }) => {
      const call = of(document, data);
      return placed(
        data.status === 'failed' ? { ...call, failed: true, at: data.at } : { ...call, ...data.leastCertain },
      );
    },
    'feedback-given.v1': (document, { data }) => {
      const verdicts = withVerdict(document?.verdicts ?? [], data);
      return placed({ ...of(document, data), skipped: false, at: data.at, verdicts });
    },
    'feedback-removed.v1': (document, { data }) =>
      document && placed({ ...document, verdicts: verdictsAfter(document.verdicts, data, null) }),
    'feedback-texts-erased.v1': (document, { data: { until } }) =>
      document &&
      placed({
        ...document,
        verdicts: document.verdicts.map((each) =>
          each.at > until ? each : { ...each, says: verdictIn(each.says) + ERASED },
        ),
      }),
    'review-assigned.v1': (document, { data }) =>
      placed({ ...of(document, data), skipped: false, assignee: data.reviewer }),
    'review-skipped.v1': (document, { data }) => placed({ ...of(document, data), skipped: true }),
    'call-content-erased.v1': (document) =>
      document &&
      placed({
        ...document,
        ...{ erased: true, label: null, confidence: null, answers: null },
        // A correction is kept by its hash.
        verdicts: document.verdicts.map((each) => ({ ...each, says: verdictIn(each.says) })),
      }),
  },
};

type Handled = Parameters<typeof reviews.key>[0];

function isOfReviews({ type, data }: Handled): boolean {
  switch (type) {
    case 'call-metered.v1':
      return isFailure(data) || isNoted(contentIn(data));
    case 'inference-imported.v1':
      return isReviewable(data.task) && data.shadowOf === undefined && (data.status === 'failed' || isDoubtful(data));
    case 'call-content.v1':
      return isNoted(data);
    default:
      return true;
  }
}

const isFailure = ({ stored, status, shadowOf, task }: CallMetered['data']): boolean =>
  stored && status === 'failed' && shadowOf === undefined && isReviewable(task);

const isNoted = (content: CallContent['data'] | null): boolean =>
  content !== null && (isDoubtful(content) || content.comparison !== undefined);

const isDoubtful = ({ leastCertain }: Pick<CallContent['data'], 'leastCertain'>): boolean =>
  (leastCertain?.confidence ?? 1) < DOUBTFUL;

/** The answer of a shadow belongs to the call that it repeats. */
const callOf = ({ type, data }: Handled): string =>
  (type === 'call-content.v1' || type === 'call-metered.v1') && data.comparison ? data.comparison.of : data.inferenceId;

/** Whether calls of a task are offered without a verdict: those of encoders. */
export const isReviewable = isTaskOfEncoders;

interface OfCall {
  readonly inferenceId: string;
  readonly workspaceId: string;
  readonly modelId?: string | undefined;
}

/** A call about which nothing else is known. */
export const unmarked = ({ inferenceId: id, workspaceId, modelId = undefined }: OfCall): ReviewDocument => ({
  ...{ id, workspaceId, ...named(modelId), queue: 'open', rank: NO_CONFIDENCE, shuffled: shuffledOf(id) },
  ...{ label: null, confidence: null, failed: false, at: null, assignee: null, skipped: false, erased: false },
  ...{ verdicts: [], answers: null, compared: null, alike: null },
});

const of = (document: ReviewDocument | null, data: OfCall): ReviewDocument =>
  document ? { ...document, ...named(document.modelId ?? data.modelId) } : unmarked(data);

const named = (modelId: string | undefined) => ({
  modelId: modelId ?? null,
  modelName: modelId === undefined ? null : (modelReferenceOf(modelId)?.name ?? null),
});

/** Each reviewer has one verdict: the latest. */
function withVerdict(verdicts: readonly Verdict[], given: FeedbackGiven['data']): readonly Verdict[] {
  const { verdict, correctedOutput, erased, at } = given;
  const correction = correctedOutput === null ? '' : `/${hash('sha1', JSON.stringify(correctedOutput))}`;
  const says = `${verdict}${erased ? ERASED : correction}`;
  return verdictsAfter(verdicts, given, { reviewer: reviewerIn(given), says, at });
}

/** The versions of a name that were compared, as one scalar. */
export const pairOf = (name: string, called: number, shadow: number): string => `${name}@${called}/${shadow}`;

function withContent(document: ReviewDocument | null, data: CallContent['data']): ReviewDocument {
  const call = of(document, { ...data, inferenceId: data.comparison?.of ?? data.inferenceId });
  return placed(withAnswer({ ...call, ...(isDoubtful(data) && data.leastCertain) }, data));
}

/** Compares the answers once both are recorded, in either order. */
function withAnswer(document: ReviewDocument, { inferenceId, comparison, content }: CallContent['data']) {
  if (comparison === undefined || document.erased || document.compared !== null) return document;
  const answer = { inferenceId, version: comparison.modelVersion, said: saidIn(content) };
  const { called, shadow }: Answers = {
    ...(document.answers ?? { called: null, shadow: null }),
    [comparison.of === inferenceId ? 'called' : 'shadow']: answer,
  };
  if (called === null || shadow === null) return { ...document, answers: { called, shadow } };
  const compared = pairOf(comparison.modelName, called.version, shadow.version);
  const answers = { called: { ...called, said: null }, shadow: { ...shadow, said: null } };
  return { ...document, answers, compared, alike: called.said === shadow.said ? compared : null };
}

function placed(document: ReviewDocument): ReviewDocument {
  const queue = queueOf(document);
  return { ...document, queue, rank: rankOf(document, queue) };
}

/** Whether the shadow of a call answered differently. */
export const isDiffering = ({ compared, alike }: ReviewDocument): boolean => compared !== null && alike === null;

function queueOf(document: ReviewDocument): ReviewQueue {
  const { assignee, skipped, erased, failed, verdicts } = document;
  const [first, ...others] = verdicts;
  if (erased) return 'done';
  if (skipped) return 'skipped';
  if (assignee !== null && !verdicts.some(({ reviewer }) => reviewer === assignee)) return `assigned/${assignee}`;
  if (first === undefined && failed) return 'errors';
  if (first === undefined) return isDiffering(document) ? 'differing' : 'open';
  if (others.some(({ says }) => !agree(says, first.says))) return 'disputed';
  if (isRight(first.says) === false) return 'errors';
  return others.length === 0 ? 'once' : 'done';
}

const verdictIn = (says: string): string => says.split('/')[0]!;

const agree = (one: string, other: string): boolean =>
  one === other || ([one, other].some((says) => says.endsWith(ERASED)) && verdictIn(one) === verdictIn(other));

/** Errors have the newest first. */
const rankOf = ({ confidence, at }: ReviewDocument, queue: ReviewQueue): number =>
  queue === 'errors' ? -Date.parse(at!) : (confidence ?? NO_CONFIDENCE);
