import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { datasetStreamId } from '#application/datasets.js';
import { eraseCall, eraseFeedback, eraseGeneration, eraseVersion, isPurged } from '../../../erasure/erasure.js';
import { erasePredictions } from '../../../erasure/evaluations.js';
import { deleteJob, eraseJobLog } from '../../../erasure/jobs.js';
import { derivedId } from '#log/execute.js';
import { ConflictError } from '#domain/errors.js';
import { expiryDecider, expiryId } from '#domain/expiry/index.js';
import { hasTexts } from '#domain/generation-job/index.js';
import { HeldError, type RetentionKind } from '#domain/retention/index.js';
import { evaluationDocuments } from '#projections/evaluations/queries.js';
import { datasetVersionDocuments } from '#projections/dataset-versions/queries.js';
import { generationJobDocuments } from '#projections/generation-jobs/queries.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';
import { trainingJobDocuments } from '#projections/training-jobs/queries.js';
import { isCalled, trainedModels } from './trained-models.js';

/** A day's pass over the contents of a kind in a workspace. */
export interface Pass {
  readonly workspaceId: string;
  readonly kind: RetentionKind;
  /** UTC: `2030-01-02`. */
  readonly day: string;
  /** Contents made before this time have expired. */
  readonly before: string;
}

/** Calls that are in memory at once. */
const PAGE = 100;

/**
 * Erases one content.
 * @returns whether it existed
 */
type Erasure = () => Promise<boolean>;

/**
 * Erases expired contents, and records how many.
 * @throws the signal's reason
 */
export async function erase(application: Application, pass: Pass, signal: AbortSignal): Promise<void> {
  const counts = { erased: 0, held: 0, inUse: 0 };
  for await (const each of EXPIRED[pass.kind](application, pass)) {
    signal.throwIfAborted();
    try {
      if (await each()) counts.erased += 1;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      counts[error instanceof HeldError ? 'held' : 'inUse'] += 1;
    }
  }
  const id = expiryId(pass);
  const context = systemContext('expiry', pass.workspaceId, derivedId(id, pass.kind));
  await application.execute(expiryDecider, id, { type: 'record-expiry', ...pass, ...counts }, context);
}

const contextOf = (workspaceId: string, id: string) => systemContext('expiry', workspaceId, derivedId(id, 'expired'));

/** Yields expired items, by kind. */
const EXPIRED: Record<RetentionKind, (application: Application, pass: Pass) => AsyncGenerator<Erasure>> = {
  calls,
  feedback,
  job_logs: jobLogs,
  dataset_versions: versions,
  evaluations,
  training_jobs: trainingJobs,
};

/** A content that the log has unencrypted is hidden: only an encrypted one can be erased there. */
async function* calls(application: Application, { workspaceId, before }: Pass): AsyncGenerator<Erasure> {
  for (let from = 1; ;) {
    const found = (await inferenceDocuments.find(application.ports.readStore, {
      where: { workspaceId },
      range: { field: 'n', from },
      filter: { where: { erasedAt: null }, ranges: [{ field: 'createdAt', to: before }] },
      order: { field: 'n', direction: 'ascending' },
      limit: PAGE,
    })) as readonly InferenceDocument[];
    for (const call of found)
      yield () => eraseCall(application, call, contextOf(workspaceId, call.id), true).then(() => true);
    if (found.length < PAGE) return;
    from = found.at(-1)!.n! + 1;
  }
}

/** Old verdicts are found in the log itself: superseded and removed ones are in no read model. */
async function* feedback(application: Application, { workspaceId, before }: Pass): AsyncGenerator<Erasure> {
  const types = ['feedback-given.v1', 'feedback-texts-erased.v1', 'call-content-erased.v1'];
  /** Times of the latest expired verdicts, by calls. */
  const expired = new Map<string, string>();
  for await (const { type, data } of application.storedEvents.readAll({ filter: { types } })) {
    if (data['workspaceId'] !== workspaceId) continue;
    const { inferenceId, at, until } = data as { inferenceId: string; at: string; until: string };
    const last = expired.get(inferenceId) ?? '';
    if (type === 'call-content-erased.v1') expired.delete(inferenceId);
    else if (type === 'feedback-texts-erased.v1') {
      if (last <= until) expired.delete(inferenceId);
    } else if (at <= before) expired.set(inferenceId, at > last ? at : last);
  }
  for (const inferenceId of expired.keys()) {
    const context = contextOf(workspaceId, `${inferenceId}/feedback/${before}`);
    yield () => eraseFeedback(application, { inferenceId, workspaceId, until: before }, context).then(() => true);
  }
}

async function* jobLogs(application: Application, { workspaceId, before }: Pass): AsyncGenerator<Erasure> {
  const found = await trainingJobDocuments.all(application.ports.readStore, { where: { workspaceId } });
  for (const { id: jobId, completedAt } of found) {
    if (completedAt === null || completedAt > before) continue;
    yield () => eraseJobLog(application, { workspaceId, jobId }, contextOf(workspaceId, `${jobId}/log`));
  }
}

async function* evaluations(application: Application, { workspaceId, before }: Pass): AsyncGenerator<Erasure> {
  const found = await evaluationDocuments.all(application.ports.readStore, { where: { workspaceId } });
  for (const { id: evaluationId, completedAt, predictionsErasedAt } of found) {
    if (completedAt === null || completedAt > before || predictionsErasedAt !== undefined) continue;
    const context = contextOf(workspaceId, `${evaluationId}/predictions`);
    yield () => erasePredictions(application, { workspaceId, evaluationId }, context).then(() => true);
  }
}

/** Ends, names and their versions are read from the log: a read model that was changed cannot have models deleted. */
async function* trainingJobs(application: Application, { workspaceId, before }: Pass): AsyncGenerator<Erasure> {
  const { ended, served } = await trainedModels(application, workspaceId, before);
  for (const jobId of ended) {
    yield async () => {
      if (served.has(jobId) || (await isCalled(application, { workspaceId, jobId, since: before })))
        throw new ConflictError(`the model of training job ${jobId} is in use`);
      await deleteJob(application, { workspaceId, jobId }, contextOf(workspaceId, jobId));
      return true;
    };
  }
}

async function* versions(application: Application, { workspaceId, before }: Pass): AsyncGenerator<Erasure> {
  const found = await datasetVersionDocuments.all(application.ports.readStore, {
    where: { workspaceId, deleted: [false, true] },
  });
  for (const { versionId, name, createdAt } of found) {
    if (createdAt > before) continue;
    const version = { workspaceId, stream: datasetStreamId(workspaceId, name), versionId };
    yield () => eraseVersion(application, version, contextOf(workspaceId, versionId));
  }
  const purged = new Set(found.filter(isPurged).map(({ name, versionNumber }) => `${name}/${versionNumber}`));
  yield* generations(application, { workspaceId, before, purged });
}

/**
 * What was asked of generators, and their rows, where no version has them, or an earlier release left them when it erased the version.
 * @param purged versions that were erased before, as `name/number`
 */
async function* generations(
  application: Application,
  { workspaceId, before, purged }: { workspaceId: string; before: string; purged: ReadonlySet<string> },
): AsyncGenerator<Erasure> {
  const expired = {
    where: { workspaceId, status: ['ready', 'failed'] },
    filter: { where: { erasedAt: null }, ranges: [{ field: 'createdAt', to: before }] },
  } as const;
  for (const job of await generationJobDocuments.all(application.ports.readStore, expired)) {
    const { id: jobId, datasetName, versionNumber } = job;
    if (versionNumber !== null && !(purged.has(`${datasetName}/${versionNumber}`) && hasTexts(job.rows))) continue;
    yield () => eraseGeneration(application, { workspaceId, jobId }, contextOf(workspaceId, jobId));
  }
}
