import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError, NotFoundError } from '../errors.js';
import {
  GENERATION_JOB_EVENT_TYPES,
  type ErasedGeneration,
  type GeneratedRows,
  type GenerationJobEvent,
  type GenerationJobRequest,
} from './events.js';
import { evolve, type GenerationJob, type GenerationJobState } from './state.js';

/** Attempts lost in a living worker after which a job is given up. */
export const MAX_GENERATION_ATTEMPTS_IN_VAIN = 3;
/** Attempts lost with their worker after which a job is given up, because it may be the cause. */
export const MAX_GENERATION_ATTEMPTS = 20;

interface OfAttempt {
  readonly jobId: string;
  readonly attempt: number;
}

export type GenerationJobCommand = CommandsOf<{
  'request-generation': GenerationJobRequest;
  'start-generation-attempt': OfAttempt & { worker: string };
  'interrupt-generation-attempt': OfAttempt;
  'record-generated-rows': OfAttempt & GeneratedRows;
  'assign-generated-version': { jobId: string; versionId: string; versionNumber: number };
  'complete-generation': { jobId: string };
  'fail-generation': { jobId: string; reason: string };
  /** Once it has ended. */
  'erase-generation': ErasedGeneration;
}>;

/** The making of one set of synthetic rows: attempts until the rows are there, then a version of a dataset, or none. */
export const generationJobDecider: Decider<GenerationJobCommand, GenerationJobEvent, GenerationJobState> = {
  category: 'generation',
  eventTypes: GENERATION_JOB_EVENT_TYPES,
  initial: { status: 'none' },
  decide,
  evolve,
};

function decide(command: GenerationJobCommand, state: GenerationJobState, env: Env): readonly GenerationJobEvent[] {
  const { jobId } = command;
  if (command.type === 'request-generation') {
    if (state.status !== 'none') return [];
    const { type: _, ...request } = command;
    return [{ type: 'generation-job-requested.v1', data: { ...request, requestedAt: env.now } }];
  }
  if (state.status === 'none') throw new NotFoundError('generation job', jobId);
  const hasEnded = state.status === 'ready' || state.status === 'failed';
  if (command.type === 'erase-generation') {
    if (!hasEnded)
      throw new ConflictError(`generation job ${jobId} is ${state.status}; it can be erased once it has ended`);
    const { type: _, ...erased } = command;
    return state.erasedAt === null
      ? [{ type: 'generation-job-erased.v1', data: { ...erased, erasedAt: env.now } }]
      : [];
  }
  if (hasEnded) return [];
  switch (command.type) {
    case 'start-generation-attempt':
      return start(command, state, env);
    case 'interrupt-generation-attempt':
      if (!isAt(state, command)) return [];
      return [
        {
          type: 'generation-job-attempt-interrupted.v1',
          data: { jobId, attempt: command.attempt, interruptedAt: env.now },
        },
      ];
    case 'record-generated-rows': {
      if (!isAt(state, command)) return [];
      const { type: _, ...made } = command;
      return [{ type: 'generation-job-rows-made.v1', data: { ...made, madeAt: env.now } }];
    }
    case 'assign-generated-version': {
      if (state.made === null || state.version !== null) return [];
      const { versionId, versionNumber } = command;
      const data = { jobId, versionId, versionNumber, assignedAt: env.now };
      return [{ type: 'generation-job-version-assigned.v1', data }];
    }
    case 'complete-generation':
      if (state.made === null || (state.version === null) !== (state.request.datasetName === null)) return [];
      return [{ type: 'generation-job-completed.v1', data: { jobId, completedAt: env.now } }];
    case 'fail-generation':
      return [{ type: 'generation-job-failed.v1', data: { jobId, reason: command.reason, failedAt: env.now } }];
  }
}

/** Starts an attempt for one worker; only its rows count. */
function start(
  { jobId, attempt, worker }: Extract<GenerationJobCommand, { type: 'start-generation-attempt' }>,
  state: GenerationJob,
  env: Env,
): readonly GenerationJobEvent[] {
  if (state.made !== null) return [];
  if (state.worker === worker && state.attempt === attempt) return [];
  if (attempt !== state.attempt + 1)
    throw new ConflictError(`generation job ${jobId} is at attempt ${state.attempt}; ${attempt} is not the next one`);
  return [{ type: 'generation-job-attempt-started.v1', data: { jobId, attempt, worker, startedAt: env.now } }];
}

const isAt = (state: GenerationJob, { attempt }: OfAttempt): boolean =>
  state.attempt === attempt && state.worker !== null && state.made === null;
