import type { Application } from '#application/application.js';
import { systemContext, type CommandContext } from '#log/context.js';
import { claimDatasetVersion } from '#application/datasets.js';
import { derivedId } from '#log/execute.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import { evaluationDecider, type EvaluationEvent, type EvaluationRequest } from '#domain/evaluation/index.js';
import { heldOutBy, trainingJobDecider, type FinishedJob, type TrainingJobEvent } from '#domain/training-job/index.js';
import type { Handlers } from '#log/projector/handlers.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';

/** Completed jobs that have not been evaluated by the system yet. */
export type Unevaluated = ReadonlySet<string>;

/** Evaluates each completed job once, on the rows that it held out. */
export function automaticEvaluations(
  application: Application,
): ProcessManager<Unevaluated, string, TrainingJobEvent | EvaluationEvent> {
  return {
    name: 'automatic-evaluations',
    initial: new Set(),
    on: UNEVALUATED,
    pending: (unevaluated) => [...unevaluated],
    key: (jobId) => jobId,
    async execute(jobId) {
      const job = await application.load(trainingJobDecider, jobId);
      if (job.status !== 'complete' && job.status !== 'deployed') return;
      await evaluate(application, job);
    },
  };
}

export const UNEVALUATED: Handlers<Unevaluated, TrainingJobEvent | EvaluationEvent> = {
  'training-job-completed.v1': (unevaluated, { data }) => new Set(unevaluated).add(data.jobId),
  'training-job-deleted.v1': (unevaluated, { data }) => without(unevaluated, data.jobId),
  'evaluation-requested.v1': (unevaluated, { data: { automatic, trainingJobId } }) =>
    automatic && trainingJobId !== null ? without(unevaluated, trainingJobId) : unevaluated,
};

const without = (unevaluated: Unevaluated, jobId: string): Unevaluated =>
  new Set([...unevaluated].filter((each) => each !== jobId));

async function evaluate(application: Application, { request: job, artifact }: FinishedJob): Promise<void> {
  const { jobId, workspaceId, configuration } = job;
  const evaluationId = derivedId(jobId, 'automatic-evaluation');
  const context = systemContext('automatic-evaluations', workspaceId, derivedId(jobId, 'request-evaluation'));
  const request: EvaluationRequest = {
    evaluationId,
    workspaceId,
    userId: job.userId,
    model: { id: jobId, baseModel: job.baseModel, adapter: artifact },
    engine: job.engine,
    datasets: job.datasets,
    heldOut: heldOutBy(configuration),
    maxExamples: null,
    projectId: job.projectId,
    automatic: true,
    trainingJobId: jobId,
  };
  await claimWhatIsLeft(application, request, context);
  await application.execute(evaluationDecider, evaluationId, { type: 'request-evaluation', ...request }, context);
}

/** A dataset deleted since cannot be claimed, but its rows are kept and the evaluation reads them. */
async function claimWhatIsLeft(
  application: Application,
  { workspaceId, evaluationId, datasets }: EvaluationRequest,
  context: CommandContext,
): Promise<void> {
  const claimant = { kind: 'evaluation', id: evaluationId } as const;
  for (const { name, versionNumber: version } of datasets)
    try {
      await claimDatasetVersion(application, { workspaceId, name, version, claimant }, context);
    } catch (error) {
      if (!(error instanceof NotFoundError || error instanceof ConflictError)) throw error;
    }
}
