import {
  datasetDecider,
  keyOfQuotes,
  objectsElsewhere,
  type DatasetState,
  type DatasetVersion,
} from '#domain/dataset/index.js';
import { erasureDecider } from '#domain/erasure/index.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import { feedbackErasureDecider, type FeedbackEvent } from '#domain/feedback/index.js';
import type { DestroyedKeys } from '#domain/inference/index.js';
import { generationJobDecider, type GenerationJob } from '#domain/generation-job/index.js';
import { requireNoHold, retentionDecider } from '#domain/retention/index.js';
import type { ReviewEvent } from '#domain/review/index.js';
import { streamName } from '#domain/streams.js';
import { namedKey } from '#ports/key-store/content-keys.js';
import { scopeOf } from '#ports/object-store/encrypted/index.js';
import { generationJobDocuments } from '#projections/generation-jobs/queries.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';
import { reviewDocuments } from '#projections/reviews/queries.js';
import { signedThoughtsDocuments } from '#projections/signed-thoughts/queries.js';
import type { Application } from '#application/application.js';
import type { CommandContext } from '#log/context.js';
import { callOnLog, eventsOf, notOnLog, type CallOnLog } from '../calls/call-on-log.js';
import { DATASETS_VISIBLE_IN, datasetStreamId } from '#application/datasets.js';
import { derivedId } from '#log/execute.js';
import { keysOfGeneration, removePurged } from '#application/storage/index.js';

const SEEN_BY = [inferenceDocuments.collection, signedThoughtsDocuments.collection, reviewDocuments.collection];

/**
 * Erases a call's content and its feedback's. Metering stays. Keys, object and models are those of the events: a read model
 * that was changed cannot have others destroyed.
 * @param document says which call
 * @param hidesAtLeast whether content that the log has unencrypted is hidden; else it is refused
 * @throws ConflictError if the log has the content unencrypted or lacks the call, or a hold covers it
 */
export async function eraseCall(
  application: Application,
  document: Pick<InferenceDocument, 'id' | 'workspaceId' | 'position'>,
  context: CommandContext,
  hidesAtLeast = false,
): Promise<void> {
  const inferenceId = document.id;
  const { contentKeys: keys, ports } = application;
  let state = await application.load(erasureDecider, inferenceId);
  if (state === null) {
    const call = await callOnLog(application, { inferenceId, ...document });
    if (call === null) throw notOnLog(inferenceId);
    const command = await erasureOf(application, call, hidesAtLeast);
    // The events of several calls that one command erases must differ.
    const erasing = { ...context, commandId: derivedId(context.commandId, inferenceId) };
    ({ state } = await application.execute(erasureDecider, inferenceId, command, erasing, SEEN_BY));
  }
  // A sweep of the worker completes this if the process dies earlier. Feedback may have been added since.
  const verdicts = await verdictsOf(application, inferenceId);
  await keys?.destroy(new Set([...(state?.keys ?? []).map(({ id }) => id), ...keysOf(verdicts)]));
  if (state?.objectKey) await ports.objectStore.delete(state.objectKey);
}

/** @throws ConflictError */
async function erasureOf(application: Application, { call, content }: CallOnLog, hidesAtLeast: boolean) {
  const { inferenceId, workspaceId } = call;
  const models = modelsOf(call);
  const verdicts = await verdictsOf(application, inferenceId);
  const retention = await application.load(retentionDecider, workspaceId);
  requireNoHold(retention, { kind: 'call', id: inferenceId, models });
  if (verdicts.length > 0) requireNoHold(retention, { kind: 'feedback', id: inferenceId, models });
  const { contentKey } = content ?? {};
  if (content !== null && contentKey === undefined && !hidesAtLeast) throw recordedBefore(inferenceId);
  const ids = [...(contentKey === undefined ? [] : [contentKey]), ...keysOf(verdicts)];
  const objectKey = content?.content['objectKey'];
  return {
    type: 'erase-content',
    ...{ inferenceId, workspaceId },
    toolCallId: (content && 'thoughts' in content && content.thoughts?.toolCallId) || null,
    objectKey: typeof objectKey === 'string' ? objectKey : null,
    keys: (await application.contentKeys?.fingerprints(ids)) ?? [],
  } as const;
}

/** The ids that may name a call's model. */
const modelsOf = (call: CallOnLog['call']) => [
  ...[call.modelId, call.modelName ?? null, 'trainingJobId' in call ? call.trainingJobId : null],
];

interface ErasedFeedback {
  readonly inferenceId: string;
  readonly workspaceId: string;
  /** Verdicts given at or before this time. */
  readonly until: string;
}

/** Erases what verdicts on a call quote; the verdicts stay. @throws HeldError if a hold covers the feedback */
export async function eraseFeedback(
  application: Application,
  { inferenceId, workspaceId, until }: ErasedFeedback,
  context: CommandContext,
): Promise<void> {
  const { contentKeys: keys, ports } = application;
  const document = (await inferenceDocuments.get(ports.readStore, inferenceId)) as InferenceDocument | null;
  const found = await callOnLog(application, { inferenceId, workspaceId, position: document?.position });
  const retention = await application.load(retentionDecider, workspaceId);
  requireNoHold(retention, { kind: 'feedback', id: inferenceId, models: found ? modelsOf(found.call) : [] });
  const ids = keysOf((await verdictsOf(application, inferenceId)).filter(({ at }) => at <= until));
  await application.execute(
    feedbackErasureDecider,
    inferenceId,
    {
      ...{ type: 'erase-feedback-texts', inferenceId, workspaceId, until },
      keys: (await keys?.fingerprints(ids)) ?? [],
    },
    context,
    SEEN_BY,
  );
  // The worker's sweep completes this if the process dies earlier.
  await keys?.destroy(new Set(ids));
}

/** Every verdict that was given on a call, superseded and removed ones too, and every reason not to give one. */
async function verdictsOf(application: Application, inferenceId: string): Promise<readonly Verdict[]> {
  const streams = [streamName('feedback', inferenceId), streamName('review', inferenceId)];
  const events = (await Promise.all(streams.map((stream) => eventsOf(application, stream)))).flat();
  return (events as readonly unknown[] as readonly (FeedbackEvent | ReviewEvent)[]).flatMap((event) =>
    event.type === 'feedback-given.v1' || event.type === 'review-skipped.v1' ? [event.data] : [],
  );
}

type Verdict = Extract<FeedbackEvent | ReviewEvent, { type: 'feedback-given.v1' | 'review-skipped.v1' }>['data'];

const keysOf = (verdicts: readonly Verdict[]): readonly string[] =>
  verdicts.flatMap(({ contentKey }) => contentKey ?? []);

const recordedBefore = (id: string): ConflictError =>
  new ConflictError(
    `inference ${id} was recorded before contents were encrypted, so its content cannot be erased from the event log`,
  );

interface ErasedVersion {
  readonly workspaceId: string;
  /** Id of the dataset's stream. */
  readonly stream: string;
  readonly versionId: string;
}

interface ErasedJob {
  readonly workspaceId: string;
  readonly jobId: string;
}

/**
 * Erases what a generation job was asked for, why it failed, and its rows. Idempotent.
 * @returns whether there was anything to erase
 * @throws NotFoundError; ConflictError while it runs, if a dataset version has its rows, or a hold covers it
 */
export async function eraseGeneration(
  application: Application,
  { workspaceId, jobId }: ErasedJob,
  context: CommandContext,
): Promise<boolean> {
  const { contentKeys, ports } = application;
  const job = await application.load(generationJobDecider, jobId);
  if (job.status === 'none' || job.request.workspaceId !== workspaceId)
    throw new NotFoundError('generation job', jobId);
  const objectKey = job.made?.object.key ?? null;
  await requireNoVersion(application, job, objectKey);
  const isErased = job.erasedAt !== null;
  if (!isErased)
    requireNoHold(await application.load(retentionDecider, workspaceId), { kind: 'generation', id: jobId });
  const ofRows = objectKey === null ? null : scopeOf(objectKey);
  const ids = [...job.keys, ...(ofRows === null ? [] : [namedKey(ofRows)])];
  const keys = isErased ? [] : ((await contentKeys?.fingerprints(ids)) ?? []);
  const command = { type: 'erase-generation', jobId, workspaceId, objectKey, keys } as const;
  await application.execute(generationJobDecider, jobId, command, context, [generationJobDocuments.collection]);
  // The worker's sweep completes this if the process dies earlier.
  await contentKeys?.destroy(ids);
  if (objectKey !== null) await ports.objectStore.delete(objectKey);
  return !isErased;
}

/** @throws ConflictError if a version has the job's rows: the texts go with it. One that an earlier release erased has left them. */
async function requireNoVersion(application: Application, { request, version }: GenerationJob, rows: string | null) {
  const { workspaceId, datasetName } = request;
  if (version === null || datasetName === null || rows === null) return;
  const { versions } = await application.load(datasetDecider, datasetStreamId(workspaceId, datasetName));
  const made = versions.find(({ versionId }) => versionId === version.versionId);
  if (made === undefined || isPurged(made) || !objectsElsewhere(made).includes(rows)) return;
  const path = `/felix/datasets/${encodeURIComponent(datasetName)}/${version.versionNumber}`;
  throw new ConflictError(
    `a dataset version has the rows of generation job ${request.jobId}; erase it with the version: DELETE ${path}?erase=true`,
  );
}

/**
 * Removes all stored data of a version, deleted before or not, at once and for good. Idempotent.
 * @returns whether anything was stored
 * @throws NotFoundError; ConflictError while a job or an evaluation uses it, or a hold covers it
 */
export async function eraseVersion(
  application: Application,
  { workspaceId, stream, versionId }: ErasedVersion,
  context: CommandContext,
): Promise<boolean> {
  const before = versionIn(await application.load(datasetDecider, stream), versionId);
  const { name, versionNumber: version } = before;
  const isStored = !isPurged(before);
  if (isStored)
    requireNoHold(await application.load(retentionDecider, workspaceId), { kind: 'dataset', name, version });
  const keys = isStored ? await keysOfVersion(application, before) : [];
  const command = { type: 'erase-version', workspaceId, versionId, keys } as const;
  const { state } = await application.execute(datasetDecider, stream, command, context, DATASETS_VISIBLE_IN);
  // The worker's sweep completes this if the process dies earlier.
  await removePurged(application, versionIn(state, versionId));
  return isStored;
}

/** Whether its files are removed for good. */
export const isPurged = (version: DatasetVersion): boolean =>
  version.status === 'deleted' && version.purgedAt !== undefined;

/** Keys that are destroyed with the objects of the version, and with what the log quotes of them. */
async function keysOfVersion(application: Application, version: DatasetVersion): Promise<DestroyedKeys> {
  const { workspaceId, versionId } = version;
  const objects = [`datasets/${workspaceId}/${versionId}/rows`, ...objectsElsewhere(version)];
  const names = objects.map(scopeOf).filter((name) => name !== null);
  const ofQuotes = keyOfQuotes(version);
  const ofGeneration = await keysOfGeneration(application, objects);
  const ids = [...names.map(namedKey), ...(ofQuotes === undefined ? [] : [ofQuotes]), ...ofGeneration];
  return (await application.contentKeys?.fingerprints(ids)) ?? [];
}

function versionIn({ versions }: DatasetState, id: string) {
  const version = versions.find(({ versionId }) => versionId === id);
  if (version === undefined) throw new NotFoundError('dataset', id);
  return version;
}
