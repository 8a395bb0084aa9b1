import type { Application } from '#application/application.js';
import type { BatchEvent } from '#domain/batch/index.js';
import type { DatasetEvent } from '#domain/dataset/index.js';
import type { DistillationEvent } from '#domain/distillation/index.js';
import type { EvaluationEvent } from '#domain/evaluation/index.js';
import type { ModelEvent } from '#domain/model/index.js';
import type { TrainingJobEvent } from '#domain/training-job/index.js';
import type { Handlers } from '#log/projector/handlers.js';
import type { Position } from '#ports/event-store/port.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';
import type { WorkersUseCases } from '../../open.js';
import { CascadeWatch } from './cascade-watch.js';
import { DistillationWork } from './distillation-work.js';

/** Distillations that have not ended, and those of which a version may answer calls, by id. */
type Distillations = ReadonlyMap<string, LiveDistillation>;

export interface LiveDistillation {
  readonly distillationId: string;
  readonly modelId: string;
  readonly workspaceId: string;
  /** Place of the earliest request among the distillations that are followed. */
  readonly since: Position;
  /** Whether its version is made, so that its calls are watched. */
  readonly isMade: boolean;
  /** Whether it will have a teacher, so that there is something to watch. */
  readonly isCascade: boolean;
  /** Ids of the batch, dataset version, job or evaluation whose end it waits for. */
  readonly awaits: readonly string[];
  /** Numbers the steps: each is a separate command, so that none waits for the retry of the one before. */
  readonly step: number;
}

type Watched = BatchEvent | DistillationEvent | DatasetEvent | TrainingJobEvent | EvaluationEvent | ModelEvent;

/** Takes each distillation through its stages, by the commands that the routes give, and then watches its calls. */
export function distillations(
  application: Application,
  useCases: Pick<WorkersUseCases, 'errands' | 'secondPerson'>,
): ProcessManager<Distillations, LiveDistillation, Watched> {
  const work = new DistillationWork(application, useCases);
  const watch = new CascadeWatch(application);
  return {
    name: 'distillations',
    initial: new Map(),
    on: LIVE,
    pending: (live) => [...live.values()],
    key: ({ distillationId, step }) => `${distillationId}/${step}`,
    workspaceOf: ({ workspaceId }) => workspaceId,
    execute: (live, signal) => (live.isMade ? watch.look(live, live.since) : work.advance(live, signal)),
  };
}

const LIVE: Handlers<Distillations, Watched> = {
  'distillation-requested.v1': (live, { position, data: { distillationId, modelId, workspaceId, taskType } }) =>
    new Map(live).set(distillationId, {
      ...{ distillationId, modelId, workspaceId, isMade: false, awaits: [], step: 0 },
      isCascade: taskType !== 'decoder',
      since: live.values().next().value?.since ?? position,
    }),
  'distillation-labelling-started.v1': (live, { data }) =>
    changed(live, data, { awaits: data.batchId === null ? [] : [data.batchId] }),
  'distillation-labelled.v1': (live, { data }) => changed(live, data, { awaits: [] }),
  'distillation-collected.v1': (live, { data }) => changed(live, data, { awaits: [data.dataset.versionId] }),
  'distillation-training-started.v1': (live, { data }) => changed(live, data, { awaits: [data.jobId] }),
  'distillation-validation-started.v1': (live, { data }) => changed(live, data, { awaits: [data.evaluationId] }),
  'distillation-calibrated.v1': (live, { data }) => changed(live, data, { awaits: [] }),
  'distillation-ended.v1': (live, { data }) =>
    data.version === null || live.get(data.distillationId)?.isCascade === false
      ? without(live, (each) => each.distillationId === data.distillationId)
      : changed(live, data, { isMade: true, awaits: [] }),
  'cascade-opened.v1': (live, { data }) => changed(live, data, {}),
  'distillation-retargeted.v1': (live, { data }) => changed(live, data, {}),
  'cascade-suspected.v1': (live, { data }) => changed(live, data, {}),
  'cascade-returned.v1': (live, { data }) => without(live, (each) => each.distillationId === data.distillationId),
  'model-deleted.v1': (live, { data }) => without(live, (each) => each.isMade && each.modelId === data.modelId),
  'batch-ended.v1': (live, { data }) => ended(live, data.batchId),
  'dataset-version-ready.v1': (live, { data }) => ended(live, data.versionId),
  'dataset-version-failed.v1': (live, { data }) => ended(live, data.versionId),
  'dataset-version-deleted.v1': (live, { data }) => ended(live, data.versionId),
  'training-job-completed.v1': (live, { data }) => ended(live, data.jobId),
  'training-job-failed.v1': (live, { data }) => ended(live, data.jobId),
  'training-job-cancelled.v1': (live, { data }) => ended(live, data.jobId),
  'training-job-deleted.v1': (live, { data }) => ended(live, data.jobId),
  'evaluation-completed.v1': (live, { data }) => ended(live, data.evaluationId),
  'evaluation-failed.v1': (live, { data }) => ended(live, data.evaluationId),
  'evaluation-deleted.v1': (live, { data }) => ended(live, data.evaluationId),
};

function changed(
  live: Distillations,
  { distillationId }: Pick<LiveDistillation, 'distillationId'>,
  to: Partial<LiveDistillation>,
): Distillations {
  const one = live.get(distillationId);
  return one ? new Map(live).set(distillationId, { ...one, ...to, step: one.step + 1 }) : live;
}

function ended(live: Distillations, id: string): Distillations {
  const one = live.values().find(({ awaits }) => awaits.includes(id));
  return one ? changed(live, one, {}) : live;
}

const without = (live: Distillations, isGone: (each: LiveDistillation) => boolean): Distillations =>
  live.values().some(isGone) ? new Map([...live].filter(([, each]) => !isGone(each))) : live;
