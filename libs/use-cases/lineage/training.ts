import type { JsonObject } from '#domain/json.js';
import type { StoredFolder, TrainingJobEvent } from '#domain/training-job/index.js';
import type { Actors } from './actors.js';
import { cite, type Recorded } from '../events/log-reader.js';

export type Training = NonNullable<Awaited<ReturnType<typeof trainingOf>>>;

/** A training job by its events; null if it is not there, or another workspace's. */
export async function trainingOf(workspaceId: string, events: readonly Recorded<TrainingJobEvent>[], actors: Actors) {
  const [requested] = events;
  if (requested?.type !== 'training-job-requested.v1' || requested.data.workspaceId !== workspaceId) return null;
  const { data } = requested;
  const event = cite(requested);
  const deleted = events.find(({ type }) => type === 'training-job-deleted.v1');
  return {
    job_id: data.jobId,
    model_name: data.modelName,
    started_by: await actors.of(workspaceId, requested.metadata.actor),
    base_model: data.baseModel,
    engine: { ...data.engine, event },
    configuration: snakeCase(data.configuration),
    datasets: data.datasets.map(({ versionId, name, versionNumber, rows, object }) => ({
      ...{ version_id: versionId, name, version: versionNumber, rows, sha256: object.sha256 },
    })),
    started_from: data.startFrom && {
      job_id: data.startFrom.jobId,
      checkpoint_id: data.startFrom.checkpointId,
      files: filesOf(data.startFrom.folder),
    },
    weights: weightsOf(events),
    deleted: deleted ? cite(deleted) : null,
    event,
  };
}

/** Weights that a job made; null before its completion. */
export function weightsOf(events: readonly Recorded<TrainingJobEvent>[]) {
  const completed = events.find(({ type }) => type === 'training-job-completed.v1');
  if (completed?.type !== 'training-job-completed.v1') return null;
  return { files: filesOf(completed.data.artifact), event: cite(completed) };
}

const filesOf = ({ files }: StoredFolder) => files.map(({ name, sha256, size }) => ({ name, sha256, size }));

const snakeCase = (fields: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), value]),
  );
