import type { Application } from '#application/application.js';
import type { DatasetEvent } from '#domain/dataset/index.js';
import type { EvaluationEvent } from '#domain/evaluation/index.js';
import type { ImprovementEvent } from '#domain/improvement/index.js';
import type { TrainingJobEvent } from '#domain/training-job/index.js';
import type { Handlers } from '#log/projector/handlers.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';
import type { WorkersUseCases } from '../../open.js';
import { ImprovementWork } from './improvement-work.js';

/** Improvements that have not ended, by id. */
type OpenImprovements = ReadonlyMap<string, OpenImprovement>;

interface OpenImprovement {
  readonly improvementId: string;
  readonly modelId: string;
  readonly workspaceId: string;
  /** Ids of the dataset version, job or evaluations whose end it waits for. */
  readonly awaits: readonly string[];
  /** Numbers the steps: each is a separate command, so that none waits for the retry of the one before. */
  readonly step: number;
}

type Watched = ImprovementEvent | DatasetEvent | TrainingJobEvent | EvaluationEvent;

/** Takes each improvement through its stages, by the commands that the routes give. */
export function improvements(
  application: Application,
  useCases: Pick<WorkersUseCases, 'errands' | 'callTimes' | 'secondPerson'>,
): ProcessManager<OpenImprovements, OpenImprovement, Watched> {
  const work = new ImprovementWork(application, useCases);
  return {
    name: 'improvements',
    initial: new Map(),
    on: OPEN,
    pending: (open) => [...open.values()],
    key: ({ improvementId, step }) => `${improvementId}/${step}`,
    workspaceOf: ({ workspaceId }) => workspaceId,
    execute: (open, signal) => work.advance(open, signal),
  };
}

const OPEN: Handlers<OpenImprovements, Watched> = {
  'improvement-requested.v1': (open, { data }) => opened(open, data),
  'improvement-dataset-chosen.v1': (open, { data }) => awaiting(open, data.improvementId, [data.dataset.versionId]),
  'improvement-training-started.v1': (open, { data }) => awaiting(open, data.improvementId, [data.jobId]),
  'improvement-evaluations-started.v1': (open, { data: { improvementId, evaluations } }) =>
    awaiting(
      open,
      improvementId,
      evaluations.flatMap(({ candidateId, championId }) => [candidateId, championId]),
    ),
  'gate-decided.v1': (open, { data }) => awaiting(open, data.improvementId, []),
  'gate-forced.v1': (open, { data }) => opened(open, data),
  'improvement-ended.v1'(open, { data }) {
    const others = new Map(open);
    others.delete(data.improvementId);
    return others;
  },
  'dataset-version-ready.v1': (open, { data }) => ended(open, data.versionId),
  'dataset-version-failed.v1': (open, { data }) => ended(open, data.versionId),
  'dataset-version-deleted.v1': (open, { data }) => ended(open, data.versionId),
  'training-job-completed.v1': (open, { data }) => ended(open, data.jobId),
  'training-job-failed.v1': (open, { data }) => ended(open, data.jobId),
  'training-job-cancelled.v1': (open, { data }) => ended(open, data.jobId),
  'training-job-deleted.v1': (open, { data }) => ended(open, data.jobId),
  'evaluation-completed.v1': (open, { data }) => ended(open, data.evaluationId),
  'evaluation-failed.v1': (open, { data }) => ended(open, data.evaluationId),
  'evaluation-deleted.v1': (open, { data }) => ended(open, data.evaluationId),
};

const opened = (
  open: OpenImprovements,
  { improvementId, modelId, workspaceId }: Omit<OpenImprovement, 'awaits' | 'step'>,
): OpenImprovements => new Map(open).set(improvementId, { improvementId, modelId, workspaceId, awaits: [], step: 0 });

function awaiting(open: OpenImprovements, improvementId: string, awaits: readonly string[]): OpenImprovements {
  const one = open.get(improvementId);
  return one ? new Map(open).set(improvementId, { ...one, awaits, step: one.step + 1 }) : open;
}

function ended(open: OpenImprovements, id: string): OpenImprovements {
  const one = open.values().find(({ awaits }) => awaits.includes(id));
  return one ? awaiting(open, one.improvementId, one.awaits) : open;
}
