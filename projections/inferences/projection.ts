import {
  contentIn,
  subjectOf,
  type AnsweringProvider,
  type CallContent,
  type CallMetered,
  type CascadeFacts,
  type ContentSummary,
  type RecordedCounts,
} from '#domain/inference/index.js';
import type { ErasureEvent } from '#domain/erasure/index.js';
import type { ImportedCall, ImportedCallEvent } from '#domain/imported-call/index.js';
import { verdictsAfter, type FeedbackAct, type FeedbackEvent, type Verdicts } from '#domain/feedback/index.js';
import { isRecord, type Json } from '#domain/json.js';
import type { Projection } from '#log/projector/projection.js';
import type { Position } from '#ports/event-store/port.js';
import { isObject, shown, type InEvent, type InObject } from './content.js';
import { dayTotals } from './days.js';
import { answerFacts, confusions, hasLabels } from './facts.js';
import { feedbackOf, ofVerdicts, unquoted, verdictsOn, type Feedback } from './verdicts.js';

/** The role of calls with `shadowOf`: a field of few values, for filters. */
export const SHADOW = 'shadow' as const;

/** A recorded call; calls with `store: false` have no document. */
export type InferenceDocument = {
  readonly id: string;
  /** Position of the event that recorded or imported the call. Absent until an earlier read model is rebuilt. */
  readonly position?: string;
  readonly workspaceId: string;
  readonly userId: string;
  /** The API key used, null from a browser session. */
  readonly keyId: string | null;
  readonly modelId: string;
  /** The name by which the model was called; absent if another id was. */
  readonly modelName?: string;
  readonly modelVersion?: number;
  /** Absent from calls of callers. */
  readonly shadowOf?: string;
  /** Only of calls of a distilled version. */
  readonly cascade?: CascadeFacts;
  /** Only of shadow calls. */
  readonly role?: typeof SHADOW;
  readonly baseModel: string;
  readonly trainingJobId: string | null;
  readonly projectId: string | null;
  readonly task: string;
  readonly source: string;
  readonly format: string;
  readonly status: string;
  readonly errorType: string | null;
  /** null if an imported call has none. */
  readonly latencyMs: number | null;
  readonly ttftMs: number | null;
  readonly costPicodollars: string;
  /** Hints of the request that the model was not given; absent if there were none. */
  readonly dropped?: readonly string[];
  /** Of calls of hosted models. */
  readonly provider?: AnsweringProvider;
  readonly createdAt: string;
  /** null until the `call-content` event, which may come first or second. */
  readonly content: ContentSummary | null;
  /** The place of content that the summary lacks; null if the summary is complete. */
  readonly whole: InEvent | InObject | null;
  /** The verdict that was given last. */
  readonly feedback: Feedback | null;
  /** The person whose call it is, according to its request; null if it names none, and once it was erased. */
  readonly subject: string | null;
  /** The key of its content on the log; null if that is not encrypted. */
  readonly contentKey: string | null;
  /** The first call of a tool in the answer, whose thoughts are kept beside it; null for none. */
  readonly thoughtsFor: string | null;
  /** When its content was erased; absent while it is kept. */
  readonly erasedAt?: string;
  /** Keys of groups of calls: the model's name if it has one; its version, else its job; and its cost as a number. */
  readonly modelKey: string;
  readonly versionKey: string | null;
  readonly picodollars: number;
  /** The verdict of the feedback. */
  readonly verdict: string | null;
  /** See `confusions` in facts.ts. */
  readonly confusions: string | null;
  /** See `AnswerFacts`. */
  readonly labels: string | null;
  readonly confidence: number | null;
  /** The verdicts of other reviewers, the latest last; absent if there are none. */
  readonly otherFeedback?: Verdicts<Feedback>;
  /** Present for calls that another system made: `source` is `imported`. */
  readonly imported?: ImportOrigin;
  /** Dense numbers from 1: in the workspace, and there for the model, the job, the project. */
  readonly n?: number;
  readonly nModel?: number;
  readonly nJob?: number;
  readonly nProject?: number;
} & RecordedCounts;

/** Import of a call: its user and time, and the facts of its line. */
export type ImportOrigin = {
  /** `key:<id>` or `user:<id>` */
  readonly by: string;
  readonly at: string;
  /** Names of the call and of its model in the other system. */
  readonly lineId: string | null;
  readonly modelLabel: string;
} & Pick<ImportedCall, 'user' | 'metadata' | 'origin'>;

/** Content that came before its call. It has no workspace yet, so that it is neither found nor numbered. */
type UnmeteredContent = Pick<
  InferenceDocument,
  | 'id'
  | 'content'
  | 'whole'
  | 'subject'
  | 'contentKey'
  | 'thoughtsFor'
  | 'feedback'
  | 'verdict'
  | 'confusions'
  | 'labels'
  | 'confidence'
> & {
  readonly workspaceId: null;
  readonly erasedAt?: string;
  readonly otherFeedback?: Verdicts<Feedback>;
};

export type StoredInference = InferenceDocument | UnmeteredContent;

const NOTHING_SAID = {
  ...{ content: null, whole: null, subject: null, contentKey: null, thoughtsFor: null, feedback: null },
  ...{ verdict: null, confusions: null, labels: null, confidence: null },
};

export const inferences: Projection<
  StoredInference,
  CallMetered | CallContent | ImportedCallEvent | FeedbackEvent | ErasureEvent
> = {
  name: 'inferences',
  version: 21,
  erases: ['call-content-erased.v1', 'feedback-texts-erased.v1'],
  indexes: [
    // The fields after the ordinal are list filters, in any combination.
    {
      fields: [
        ...['workspaceId', 'n', 'createdAt', 'latencyMs', 'task', 'modelId', 'projectId', 'trainingJobId'],
        ...['status', 'keyId', 'userId', 'verdict', 'labels', 'confidence', 'confusions'],
        ...['modelKey', 'versionKey', 'picodollars', 'role', 'baseModel'],
      ],
      scanned: true,
    },
    { fields: ['countedFor', 'kind', 'day'], sparse: 'countedFor' },
    { fields: ['workspaceId'], words: ['content', 'feedback'] },
    { fields: ['workspaceId', 'subject'], sparse: 'subject' },
    { fields: ['workspaceId', 'modelId', 'nModel'] },
    { fields: ['workspaceId', 'trainingJobId', 'nJob'], sparse: 'trainingJobId' },
    { fields: ['workspaceId', 'projectId', 'nProject'], sparse: 'projectId' },
  ],
  shared: [
    ...['workspaceId', 'userId', 'keyId', 'modelId', 'modelName', 'role', 'baseModel', 'trainingJobId', 'projectId'],
    ...['task', 'source', 'format', 'status', 'errorType', 'engine', 'weightsSha256', 'verdict'],
    ...['modelKey', 'versionKey', 'provider'],
  ],
  ordinals: [
    { field: 'n', within: ['workspaceId'] },
    { field: 'nModel', within: ['workspaceId', 'modelId'] },
    { field: 'nJob', within: ['workspaceId', 'trainingJobId'] },
    { field: 'nProject', within: ['workspaceId', 'projectId'] },
  ],
  totals: dayTotals,
  key: (event) => (event.type === 'call-metered.v1' && !event.data.stored ? null : event.data.inferenceId),
  on: {
    'call-metered.v1': (document, { data, position }) => {
      const content = contentIn(data);
      return judged({
        ...metered(data),
        ...(document ? saidBefore(document) : NOTHING_SAID),
        ...(!hasLabels(data.task) && { labels: null, confidence: null, confusions: null }),
        ...(content && !content.erased && ofContent(content, data.task, position)),
        position,
      });
    },
    'call-content.v1': (document, { data, position }) => withContent(document, data, position),
    'inference-imported.v1': (document, { data, position }) =>
      judged({
        ...(document ?? NOTHING_SAID),
        ...imported(data),
        position,
        ...(data.erased ? { content: null, whole: null } : shown(data.content, position)),
        ...{ subject: data.user, contentKey: data.contentKey ?? null },
        ...answerFacts(data.task, data.content.output),
      }),
    'feedback-given.v1': (document, { data, position }) =>
      document && judged(withVerdicts(document, data, feedbackOf(data, position))),
    'feedback-removed.v1': (document, { data }) => document && judged(withVerdicts(document, data, null)),
    'feedback-texts-erased.v1': (document, { data: { until } }) =>
      document &&
      judged({
        ...document,
        ...ofVerdicts(verdictsOn(document).map((each) => (each.at > until ? each : unquoted(each)))),
      }),
    // The verdict stays: only its quotes are content.
    'call-content-erased.v1': (document, { data: { erasedAt } }) =>
      document && {
        ...document,
        ...NOTHING_SAID,
        ...{ erasedAt, verdict: document.verdict },
        ...ofVerdicts(verdictsOn(document).map(unquoted)),
        ...(document.workspaceId !== null &&
          document.imported && { imported: { ...document.imported, user: null, metadata: null, origin: {} } }),
      },
  },
};

/** What came before its call, which has other members of these names. */
function saidBefore(document: StoredInference) {
  const { content, whole, subject, contentKey, thoughtsFor, feedback, otherFeedback, erasedAt } = document;
  const { verdict, confusions: pairs, labels, confidence } = document;
  return {
    ...{ content, whole, subject, contentKey, thoughtsFor, feedback, verdict, confusions: pairs, labels, confidence },
    ...(otherFeedback && { otherFeedback }),
    ...(erasedAt !== undefined && { erasedAt }),
  };
}

function withContent(document: StoredInference | null, data: CallContent['data'], position: Position): StoredInference {
  const { inferenceId: id, contentKey = null } = data;
  if (data.erased) return document ?? { ...NOTHING_SAID, id, workspaceId: null, contentKey };
  return judged({
    ...(document ?? { ...NOTHING_SAID, id, workspaceId: null }),
    ...ofContent(data, taskOf(document), position),
  });
}

function ofContent(data: CallContent['data'], task: string | null, position: Position) {
  const { content } = data;
  const known = shown(content, position);
  const facts = answerFacts(task, isObject(content) ? known.content.output : content.output);
  // Older events name none.
  const subject = data.subject ?? (isRecord(known.content.input) ? subjectOf(known.content.input) : null);
  return {
    ...{ content: known.content, whole: known.whole, labels: facts.labels, confidence: facts.confidence, subject },
    ...{ contentKey: data.contentKey ?? null, thoughtsFor: data.thoughts?.toolCallId ?? null },
  };
}

/** A document with what follows from its content and its feedback. */
function judged(document: StoredInference): StoredInference {
  const { feedback: given, content } = document;
  const verdict = given?.verdict ?? null;
  if (verdict === null && document.verdict === null && document.confusions === null) return document;
  const pairs =
    verdict !== null && hasLabels(taskOf(document))
      ? confusions(verdict, content?.output ?? null, given!.correctedOutput)
      : null;
  return { ...document, verdict, confusions: pairs };
}

const taskOf = (document: StoredInference | null): string | null => (document?.workspaceId ? document.task : null);

function withVerdicts(document: StoredInference, event: FeedbackAct['data'], given: Feedback | null): StoredInference {
  const { otherFeedback: _, ...rest } = document;
  return { ...rest, ...ofVerdicts(verdictsAfter(verdictsOn(document), event, given)) };
}

function imported(call: ImportedCallEvent['data']) {
  const { inferenceId, at, importedAt, content: _content, leastCertain: _least, digest: _digest, ...kept } = call;
  const { contentKey: _key, erased: _erased, ...rest } = kept;
  const { lineId, modelLabel, user, metadata, origin, keyId, ...shown } = rest;
  const by = keyId === null ? `user:${shown.userId}` : `key:${keyId}`;
  const { modelId, modelName, modelVersion } = shown;
  return {
    ...{ id: inferenceId, createdAt: at, ...shown, keyId: null, source: 'imported', trainingJobId: null },
    ...{ projectId: null, costPicodollars: '0', picodollars: 0 },
    ...(shown.shadowOf !== undefined && { role: SHADOW }),
    modelKey: modelName ?? modelId,
    versionKey: modelName !== undefined && modelVersion !== undefined ? `${modelName}@${modelVersion}` : null,
    imported: { by, at: importedAt, lineId, modelLabel, user, metadata, origin },
  };
}

/** Members of the event that no document has. A copy without them takes several times as long; those without a value are not stored. */
const NOT_SHOWN = {
  ...{ inferenceId: undefined, at: undefined, teamId: undefined, price: undefined, chargedTo: undefined },
  ...{ stored: undefined, contentHmac: undefined, outcome: undefined, estimatedInputTokens: undefined },
  ...{ reservedPicodollars: undefined, thoughts: undefined, leastCertain: undefined, asRow: undefined },
  ...{ comparison: undefined, erased: undefined },
};

function metered(call: CallMetered['data']) {
  const { modelName, modelVersion }: { readonly modelName?: Json; readonly modelVersion?: Json } = call as object;
  const { inferenceId: id, at: createdAt, modelId, trainingJobId, costPicodollars, shadowOf } = call;
  return {
    ...call,
    ...NOT_SHOWN,
    ...{ id, createdAt, picodollars: Number(costPicodollars) },
    ...(shadowOf !== undefined && { role: SHADOW }),
    modelKey: typeof modelName === 'string' ? modelName : modelId,
    versionKey:
      typeof modelName === 'string' && typeof modelVersion === 'number'
        ? `${modelName}@${modelVersion}`
        : trainingJobId,
  };
}
