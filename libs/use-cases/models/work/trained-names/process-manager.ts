import type { Application } from '#application/application.js';
import { changeModel } from '#application/models.js';
import type { ModelEvent } from '#domain/model/index.js';
import { trainingJobDecider, type TrainingJobEvent } from '#domain/training-job/index.js';
import { systemContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';
import type { Handlers } from '#log/projector/handlers.js';

/** Jobs whose models are to get a name. */
export type Unnamed = ReadonlyMap<string, { readonly name: string; readonly isComplete: boolean }>;

/** Adds the model of each completed job to the name that it was trained with. */
export function trainedNames(application: Application): ProcessManager<Unnamed, string, TrainingJobEvent | ModelEvent> {
  return {
    name: 'trained-names',
    initial: new Map(),
    on: UNNAMED,
    pending: (jobs) => [...jobs].flatMap(([jobId, { isComplete }]) => (isComplete ? [jobId] : [])),
    key: (jobId) => jobId,
    async execute(jobId) {
      const job = await application.load(trainingJobDecider, jobId);
      if ((job.status !== 'complete' && job.status !== 'deployed') || !job.request.named) return;
      const { workspaceId, named, baseModel } = job.request;
      const source = { target: jobId, trainingJobId: jobId, baseModel: baseModel.id };
      await changeModel(
        application,
        { workspaceId, name: named.name },
        { type: 'add-trained', ...source, promotes: named.promotes },
        systemContext('trained-names', workspaceId, derivedId(jobId, 'trained-name')),
      );
    },
  };
}

export const UNNAMED: Handlers<Unnamed, TrainingJobEvent | ModelEvent> = {
  'training-job-requested.v1': (jobs, { data: { jobId, named } }) =>
    named ? new Map(jobs).set(jobId, { name: named.name, isComplete: false }) : jobs,
  'training-job-completed.v1'(jobs, { data: { jobId } }) {
    const job = jobs.get(jobId);
    return job ? new Map(jobs).set(jobId, { ...job, isComplete: true }) : jobs;
  },
  'training-job-failed.v1': (jobs, { data }) => without(jobs, data.jobId),
  'training-job-cancelled.v1': (jobs, { data }) => without(jobs, data.jobId),
  'training-job-deleted.v1': (jobs, { data }) => without(jobs, data.jobId),
  // By this process or by a person, who may have been faster. A version of another name is not the job's own.
  'model-version-added.v1': (jobs, { data: { name, trainingJobId } }) =>
    trainingJobId !== null && jobs.get(trainingJobId)?.name === name ? without(jobs, trainingJobId) : jobs,
};

function without(jobs: Unnamed, jobId: string): Unnamed {
  if (!jobs.has(jobId)) return jobs;
  const others = new Map(jobs);
  others.delete(jobId);
  return others;
}
