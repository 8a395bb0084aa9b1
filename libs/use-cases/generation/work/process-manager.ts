import type { Application } from '#application/application.js';
import type { DatasetVersionEvent } from '#domain/dataset/index.js';
import type { GenerationJobEvent } from '#domain/generation-job/index.js';
import type { Handlers } from '#log/projector/handlers.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';
import { BUILT_IN, type Generators } from '#rows/synthetic/generators.js';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import { inTurns } from '#primitives/fair-share/turns.js';
import { GenerationWork } from './generation-work.js';

/** Jobs that have not ended, by id, oldest first. */
export type OpenJobs = ReadonlyMap<string, OpenJob>;

interface OpenJob {
  readonly jobId: string;
  readonly workspaceId: string;
  readonly generator: string;
  /** The dataset version that its rows have become. */
  readonly versionId: string | null;
  /**
   * `make`: rows, and a version of them. `wait`: that version is being processed. `end`: it is ready, failed or
   * deleted, and the job becomes the same; this is a separate command, so that it does not wait for the retry of the
   * first.
   */
  readonly step: 'make' | 'wait' | 'end';
}

/** Batches of rows per worker. Jobs that wait for a model take no room from those that need none. */
const BUILT_IN_AT_ONCE = 2;
const MODELS_AT_ONCE = 8;
/** Jobs of either kind. */
const LOOKED_AT = 128;

/** Takes generation jobs from their request to a dataset version that is ready, workspaces in turns of batches. */
export function generationJobs(
  application: Application,
  generators: Generators,
): ProcessManager<OpenJobs, OpenJob, GenerationJobEvent | DatasetVersionEvent> {
  const [builtIn, models] = [new FairSlots(BUILT_IN_AT_ONCE), new FairSlots(MODELS_AT_ONCE)];
  const work = new GenerationWork(application, generators, (name) => (name === BUILT_IN ? builtIn : models));
  return {
    name: 'generation-jobs',
    initial: new Map(),
    on: OPEN_JOBS,
    pending: pendingJobs,
    key: commandKey,
    workspaceOf: ({ workspaceId }) => workspaceId,
    async execute({ jobId }, signal) {
      if (!signal.aborted) await work.advance(jobId, signal);
    },
  };
}

/** Jobs with work to do, workspaces in turns, the oldest of each first. */
export function pendingJobs(open: OpenJobs): readonly OpenJob[] {
  const { builtIn = [], models = [] } = Object.groupBy(
    [...open.values()].filter(({ step }) => step !== 'wait'),
    ({ generator }) => (generator === BUILT_IN ? 'builtIn' : 'models'),
  );
  return [builtIn, models].flatMap((jobs) => [...inTurns(jobs).take(LOOKED_AT)]);
}

export const commandKey = ({ jobId, step }: OpenJob): string => `${jobId}/${step}`;

export const OPEN_JOBS: Handlers<OpenJobs, GenerationJobEvent | DatasetVersionEvent> = {
  'generation-job-requested.v1'(open, { data: { jobId, workspaceId, generator } }) {
    return new Map(open).set(jobId, { jobId, workspaceId, generator, versionId: null, step: 'make' });
  },
  'generation-job-version-assigned.v1'(open, { data: { jobId, versionId } }) {
    const job = open.get(jobId);
    return job ? new Map(open).set(jobId, { ...job, versionId }) : open;
  },
  'generation-job-completed.v1': (open, { data }) => without(open, data.jobId),
  'generation-job-failed.v1': (open, { data }) => without(open, data.jobId),
  'dataset-version-sealed.v1': (open, { data }) => atStep(open, data.versionId, 'wait'),
  'dataset-version-ready.v1': (open, { data }) => atStep(open, data.versionId, 'end'),
  'dataset-version-failed.v1': (open, { data }) => atStep(open, data.versionId, 'end'),
  'dataset-version-deleted.v1': (open, { data }) => atStep(open, data.versionId, 'end'),
};

function without(open: OpenJobs, jobId: string): OpenJobs {
  const others = new Map(open);
  others.delete(jobId);
  return others;
}

function atStep(open: OpenJobs, versionId: string, step: OpenJob['step']): OpenJobs {
  const job = [...open.values()].find((candidate) => candidate.versionId === versionId);
  return job ? new Map(open).set(job.jobId, { ...job, step }) : open;
}
