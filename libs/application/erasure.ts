import { datasetDecider, type DatasetState } from '#domain/dataset/index.js';
import { erasureDecider } from '#domain/erasure/index.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import type { FeedbackEvent } from '#domain/feedback/index.js';
import { requireNoHold, retentionDecider } from '#domain/retention/index.js';
import { streamName } from '#domain/streams.js';
import { StreamNotFoundError } from '#ports/event-store/port.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';
import { reviewDocuments } from '#projections/reviews/queries.js';
import { signedThoughtsDocuments } from '#projections/signed-thoughts/queries.js';
import type { Application } from './application.js';
import type { CommandContext } from './context.js';
import { DATASETS_VISIBLE_IN } from './datasets.js';
import { derivedId } from './execute.js';
import { removePurged } from './storage/index.js';

const SEEN_BY = [inferenceDocuments.name, signedThoughtsDocuments.name, reviewDocuments.name];

/**
 * Erases what a call said, and what was said of it. What it cost stays.
 * @param hidesAtLeast whether a content that the log has unencrypted is hidden; else that is refused
 * @throws ConflictError where the log has the content unencrypted, or a hold covers the call
 */
export async function eraseCall(
  application: Application,
  document: InferenceDocument,
  context: CommandContext,
  hidesAtLeast = false,
): Promise<void> {
  const { id: inferenceId, workspaceId, whole, content, contentKey, thoughtsFor } = document;
  const { contentKeys: keys, ports } = application;
  const known = await application.load(erasureDecider, inferenceId);
  if (known === null) {
    const { modelId, modelName, modelKey, trainingJobId } = document;
    const models = [modelId, modelName ?? null, modelKey ?? null, trainingJobId];
    const retention = await application.load(retentionDecider, workspaceId);
    requireNoHold(retention, { kind: 'call', id: inferenceId, models });
    if (content !== null && contentKey === null && !hidesAtLeast) throw recordedBefore(inferenceId);
  }
  const ids = [...(contentKey === null ? [] : [contentKey]), ...(await feedbackKeys(application, inferenceId))];
  const { state } = await application.execute(
    erasureDecider,
    inferenceId,
    {
      ...{ type: 'erase-content', inferenceId, workspaceId, toolCallId: thoughtsFor },
      objectKey: whole && 'objectKey' in whole ? whole.objectKey : null,
      keys: known?.keys ?? (await keys?.fingerprints(ids)) ?? [],
    },
    // The events of several calls that one command erases must differ.
    { ...context, commandId: derivedId(context.commandId, inferenceId) },
    SEEN_BY,
  );
  // A sweep of the worker makes up for this process's death before. Feedback may have come meanwhile.
  const toDestroy = [...(state?.keys ?? []).map(({ id }) => id), ...(await feedbackKeys(application, inferenceId))];
  await keys?.destroy(new Set(toDestroy));
  if (state?.objectKey) await ports.objectStore.delete(state.objectKey);
}

async function feedbackKeys({ ports }: Application, inferenceId: string): Promise<readonly string[]> {
  const keys: string[] = [];
  try {
    for await (const recorded of ports.eventStore.readStream(streamName('feedback', inferenceId))) {
      const { data } = recorded as unknown as FeedbackEvent;
      if ('contentKey' in data && data.contentKey) keys.push(data.contentKey);
    }
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
  return keys;
}

const recordedBefore = (id: string): ConflictError =>
  new ConflictError(
    `inference ${id} was recorded before contents were encrypted, so that its content cannot be erased from the event log`,
  );

interface ErasedVersion {
  readonly workspaceId: string;
  /** Id of the dataset's stream. */
  readonly stream: string;
  readonly versionId: string;
}

/**
 * Removes all that is stored of a version, deleted before or not, at once and for good. Twice changes nothing.
 * @returns whether anything was stored
 * @throws NotFoundError; ConflictError while a job or an evaluation uses it, or a hold covers it
 */
export async function eraseVersion(
  application: Application,
  { workspaceId, stream, versionId }: ErasedVersion,
  context: CommandContext,
): Promise<boolean> {
  const command = { type: 'erase-version', workspaceId, versionId } as const;
  const before = versionIn(await application.load(datasetDecider, stream), versionId);
  const { name, versionNumber: version } = before;
  const isStored = before.status !== 'deleted' || before.purgedAt === undefined;
  if (isStored)
    requireNoHold(await application.load(retentionDecider, workspaceId), { kind: 'dataset', name, version });
  const { state } = await application.execute(datasetDecider, stream, command, context, DATASETS_VISIBLE_IN);
  // The worker's sweep makes up for this process's death before.
  await removePurged(application, versionIn(state, versionId));
  return isStored;
}

function versionIn({ versions }: DatasetState, id: string) {
  const version = versions.find(({ versionId }) => versionId === id);
  if (version === undefined) throw new NotFoundError('dataset', id);
  return version;
}
