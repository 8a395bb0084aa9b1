import type { Application } from '#application/application.js';
import type { DatasetEvent } from '#domain/dataset/index.js';
import type { GenerationJobEvent } from '#domain/generation-job/index.js';
import type { RecordedEvent } from '#event-store/port.js';
import type { ProcessManager } from '#process-manager/process-manager.js';
import { BUILT_IN, type Generators } from '#synthetic-data/generators.js';
import { FairSlots } from '#fair-share/fair-slots.js';
import { inTurns } from '#fair-share/turns.js';
import { GenerationWork } from './generation-work.js';

/** Jobs that have not ended, by id, oldest first. */
export type OpenJobs = ReadonlyMap<string, OpenJob>;

export interface OpenJob {
  readonly jobId: string;
  readonly workspaceId: string;
  readonly generator: string;
  /** The dataset version that its rows have become. */
  readonly versionId: string | null;
  /**
   * `make`: rows, and a version of them. `wait`: that version is being processed. `end`: it is ready, failed or deleted, and the job
   * becomes the same; a command of its own, which does not wait until the first would be repeated.
   */
  readonly step: 'make' | 'wait' | 'end';
}

/** Batches of rows, of one worker. Jobs that wait for a model take no room from those that need none. */
const BUILT_IN_AT_ONCE = 2;
const MODELS_AT_ONCE = 8;
/** Jobs of either kind. */
const LOOKED_AT = 128;

/** Takes generation jobs from their request to a dataset version that is ready, workspaces in turns of batches. */
export function generationJobs(application: Application, generators: Generators): ProcessManager<OpenJobs, OpenJob> {
  const [builtIn, models] = [new FairSlots(BUILT_IN_AT_ONCE), new FairSlots(MODELS_AT_ONCE)];
  const work = new GenerationWork(application, generators, (name) => (name === BUILT_IN ? builtIn : models));
  return {
    name: 'generation-jobs',
    handles: [
      'generation-job-requested.v1',
      'generation-job-version-assigned.v1',
      'generation-job-completed.v1',
      'generation-job-failed.v1',
      'dataset-version-sealed.v1',
      'dataset-version-ready.v1',
      'dataset-version-failed.v1',
      'dataset-version-deleted.v1',
    ],
    initial: new Map(),
    evolve,
    pending: pendingJobs,
    key: commandKey,
    workspaceOf: ({ workspaceId }) => workspaceId,
    async execute({ jobId }, signal) {
      if (!signal.aborted) await work.advance(jobId, signal);
    },
  };
}

/** Jobs that there is something to do for, workspaces in turns, of each the oldest first. */
export function pendingJobs(open: OpenJobs): readonly OpenJob[] {
  const { builtIn = [], models = [] } = Object.groupBy(
    [...open.values()].filter(({ step }) => step !== 'wait'),
    ({ generator }) => (generator === BUILT_IN ? 'builtIn' : 'models'),
  );
  return [builtIn, models].flatMap((jobs) => [...inTurns(jobs).take(LOOKED_AT)]);
}

export const commandKey = ({ jobId, step }: OpenJob): string => `${jobId}/${step}`;

export function evolve(open: OpenJobs, recorded: RecordedEvent): OpenJobs {
  const event = recorded as unknown as GenerationJobEvent | DatasetEvent;
  switch (event.type) {
    case 'generation-job-requested.v1': {
      const { jobId, workspaceId, generator } = event.data;
      return new Map(open).set(jobId, { jobId, workspaceId, generator, versionId: null, step: 'make' });
    }
    case 'generation-job-version-assigned.v1': {
      const job = open.get(event.data.jobId);
      return job ? new Map(open).set(job.jobId, { ...job, versionId: event.data.versionId }) : open;
    }
    case 'generation-job-completed.v1':
    case 'generation-job-failed.v1': {
      const others = new Map(open);
      others.delete(event.data.jobId);
      return others;
    }
    case 'dataset-version-sealed.v1':
      return atStep(open, event.data.versionId, 'wait');
    case 'dataset-version-ready.v1':
    case 'dataset-version-failed.v1':
    case 'dataset-version-deleted.v1':
      return atStep(open, event.data.versionId, 'end');
    default:
      return open;
  }
}

function atStep(open: OpenJobs, versionId: string, step: OpenJob['step']): OpenJobs {
  const job = [...open.values()].find((candidate) => candidate.versionId === versionId);
  return job ? new Map(open).set(job.jobId, { ...job, step }) : open;
}
