import type { Application } from '#application/application.js';
import { evolve, MODEL_EVENT_TYPES, type ModelEvent, type ModelState } from '#domain/model/index.js';
import type { TrainingJobEvent } from '#domain/training-job/index.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';

type Ending = Extract<
  TrainingJobEvent,
  { type: `training-job-${'completed' | 'failed' | 'cancelled' | 'deleted'}.v1` }
>;

const ENDINGS: readonly Ending['type'][] = [
  'training-job-completed.v1',
  'training-job-failed.v1',
  'training-job-cancelled.v1',
  'training-job-deleted.v1',
];

interface TrainedModels {
  /** Ids of jobs that ended before the time, and were not deleted. */
  readonly ended: ReadonlySet<string>;
  /** Ids of jobs whose models a name serves, or would after a rollback. */
  readonly served: ReadonlySet<string>;
}

/** Training jobs of a workspace, as the log has them. */
export async function trainedModels(
  application: Application,
  workspaceId: string,
  before: string,
): Promise<TrainedModels> {
  const ended = new Set<string>();
  const names = new Map<string, ModelState>();
  const filter = { types: [...ENDINGS, ...Object.keys(MODEL_EVENT_TYPES)] };
  for await (const { metadata, ...recorded } of application.ports.eventStore.readAll({ filter })) {
    if (metadata.workspaceId !== workspaceId) continue;
    const event = recorded as unknown as Ending | ModelEvent;
    if ('modelId' in event.data) {
      const { modelId } = event.data;
      names.set(modelId, evolve(names.get(modelId) ?? { status: 'none' }, event as ModelEvent));
    } else if (event.type === 'training-job-deleted.v1') ended.delete(event.data.jobId);
    else if (metadata.occurredAt <= before) ended.add((event as Ending).data.jobId);
  }
  return { ended, served: new Set([...names.values()].flatMap(servedBy)) };
}

function servedBy(model: ModelState): readonly string[] {
  if (model.status !== 'active') return [];
  const { inUse, earlier, labels, traffic, shadow } = model;
  const numbers = new Set([inUse, earlier.at(-1), ...Object.values(labels), traffic?.version, shadow]);
  return model.versions.flatMap(({ version, trainingJobId }) =>
    numbers.has(version) && trainingJobId !== null ? [trainingJobId] : [],
  );
}

interface Called {
  readonly workspaceId: string;
  readonly jobId: string;
  readonly since: string;
}

/** Whether the job's model was called since, also by its id alone. */
export async function isCalled({ ports }: Application, { workspaceId, jobId, since }: Called): Promise<boolean> {
  const found = await inferenceDocuments.find(ports.readStore, {
    where: { workspaceId, trainingJobId: jobId },
    filter: { where: {}, ranges: [{ field: 'createdAt', from: since }] },
    order: { field: 'nJob', direction: 'descending' },
    limit: 1,
  });
  return found.length > 0;
}
