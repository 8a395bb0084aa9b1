import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError, NotFoundError } from '../errors.js';
import {
  TRAINING_JOB_EVENT_TYPES,
  type Checkpoint,
  type Losses,
  type LossCause,
  type StoredFolder,
  type TrainingJobEvent,
  type TrainingMetrics,
  type TrainingRequest,
} from './events.js';
import { evolve, isInVain, type RunningJob, type TrainingJobState } from './state.js';

/** A job whose attempts are lost so often in a row to their own process, without a checkpoint between them, will not succeed. */
export const MAX_ATTEMPTS_IN_VAIN = 5;
/**
 * The bounds below keep a job's stream under 1,000 events (libs/domain/streams.ts), the end of each checkpoint included.
 */
export const MAX_EPOCHS = 200;
/** Checkpoints between the epochs' ends. */
export const MAX_STEP_CHECKPOINTS = 100;
/** Limit on attempts, whatever the reason they were lost: a job that kills every runner must come to an end. */
const MAX_ATTEMPTS = 50;
/** Time in which the attempt of a cancelled job may still add checkpoints. */
const LATE_CHECKPOINT_MS = 60_000;

export type TrainingJobCommand = CommandsOf<{
  'request-training-job': TrainingRequest;
  'claim-training-attempt': { jobId: string; attempt: number; runnerId: string };
  'record-epoch': { jobId: string; attempt: number; epoch: number; step: number } & Losses;
  'save-checkpoint': { jobId: string; checkpoint: Checkpoint };
  'lose-training-attempt': { jobId: string; attempt: number; reason: string; cause: LossCause };
  'complete-training': {
    jobId: string;
    attempt: number;
    epochsRun: number;
    metrics: TrainingMetrics;
    artifact: StoredFolder;
  };
  'fail-training': { jobId: string; attempt: number; reason: string };
  'stop-training-job': { jobId: string; workspaceId: string };
  'mark-deployed': { jobId: string };
  'erase-training-job-log': { jobId: string; workspaceId: string };
  'delete-training-job': { jobId: string; workspaceId: string };
  /** Marks everything stored by a deleted job as removed. */
  'mark-job-erased': { jobId: string };
}>;

/**
 * Decides for a training job. An attempt is claimed once; the first terminal event wins; reports after the attempt was
 * lost, or the job ended, have no effect.
 */
export const trainingJobDecider: Decider<TrainingJobCommand, TrainingJobEvent, TrainingJobState> = {
  category: 'job',
  eventTypes: TRAINING_JOB_EVENT_TYPES,
  initial: { status: 'none' },
  decide,
  evolve,
};

function decide(command: TrainingJobCommand, state: TrainingJobState, env: Env): readonly TrainingJobEvent[] {
  const { jobId } = command;
  if (command.type === 'request-training-job') {
    if (state.status !== 'none') return [];
    const { type: _, ...request } = command;
    return [{ type: 'training-job-requested.v1', data: { ...request, requestedAt: env.now } }];
  }
  if (state.status === 'none') throw new NotFoundError('training job', jobId);
  switch (command.type) {
    case 'claim-training-attempt':
      return claim(command, state, env);
    case 'record-epoch': {
      if (!isAttempt(state, command.attempt) || command.epoch <= state.lastEpoch) return [];
      const { type: _, ...epoch } = command;
      return [{ type: 'training-epoch-completed.v1', data: { ...epoch, completedAt: env.now } }];
    }
    case 'save-checkpoint':
      return saveCheckpoint(jobId, command.checkpoint, state, env);
    case 'lose-training-attempt':
      return isAttempt(state, command.attempt) ? lose(command, state, env) : [];
    case 'complete-training': {
      if (!isAttempt(state, command.attempt)) return [];
      const { type: _, ...completed } = command;
      return [{ type: 'training-job-completed.v1', data: { ...completed, completedAt: env.now } }];
    }
    case 'fail-training':
      return isAttempt(state, command.attempt) ? [failed(jobId, command.reason, env)] : [];
    case 'stop-training-job':
      return stop(command, state, env);
    case 'mark-deployed':
      if (state.status !== 'complete') return [];
      return [{ type: 'training-job-deployed.v1', data: { jobId, deployedAt: env.now } }];
    case 'erase-training-job-log':
      return eraseLog(command, state, env);
    case 'delete-training-job':
      return remove(command, state, env);
    case 'mark-job-erased':
      if (state.status !== 'deleted') throw new ConflictError(`training job ${jobId} is ${state.status}, not deleted`);
      return state.erased ? [] : [{ type: 'training-job-erased.v1', data: { jobId, erasedAt: env.now } }];
  }
}

function claim(
  { jobId, attempt, runnerId }: Extract<TrainingJobCommand, { type: 'claim-training-attempt' }>,
  state: Exclude<TrainingJobState, { status: 'none' }>,
  env: Env,
): readonly TrainingJobEvent[] {
  if (state.status !== 'requested' && state.status !== 'running')
    throw new ConflictError(`training job ${jobId} is ${state.status}`);
  if (attempt !== state.attempt)
    throw new ConflictError(`training job ${jobId} is at attempt ${state.attempt}, not ${attempt}`);
  if (state.runnerId === runnerId) return [];
  if (state.runnerId !== null) throw new ConflictError(`attempt ${attempt} of training job ${jobId} is taken`);
  return [{ type: 'training-attempt-claimed.v1', data: { jobId, attempt, runnerId, claimedAt: env.now } }];
}

/** Whether this attempt is the running one. */
const isAttempt = (state: TrainingJobState, attempt: number): state is RunningJob =>
  state.status === 'running' && state.attempt === attempt && state.runnerId !== null;

function saveCheckpoint(
  jobId: string,
  checkpoint: Checkpoint,
  state: Exclude<TrainingJobState, { status: 'none' }>,
  env: Env,
): readonly TrainingJobEvent[] {
  const late =
    state.status === 'cancelled' &&
    state.runnerId !== null &&
    state.attempt === checkpoint.attempt &&
    Date.parse(env.now) - Date.parse(state.cancelledAt) <= LATE_CHECKPOINT_MS;
  if (!late && !isAttempt(state, checkpoint.attempt)) return [];
  const { checkpoints } = state;
  const known = checkpoints.some((each) => each.checkpointId === checkpoint.checkpointId);
  const between = checkpoints.filter(({ endsEpoch }) => !endsEpoch).length;
  if (known || (!checkpoint.endsEpoch && between >= MAX_STEP_CHECKPOINTS)) return [];
  return [{ type: 'training-checkpoint-saved.v1', data: { jobId, ...checkpoint, savedAt: env.now } }];
}

function lose(
  { jobId, attempt, reason, cause }: Extract<TrainingJobCommand, { type: 'lose-training-attempt' }>,
  state: RunningJob,
  env: Env,
): readonly TrainingJobEvent[] {
  const lost = {
    type: 'training-attempt-lost.v2',
    data: { jobId, attempt, reason, cause, lostAt: env.now },
  } as const;
  const inVain = state.lostInVain + (isInVain(lost.data) ? 1 : 0);
  if (inVain < MAX_ATTEMPTS_IN_VAIN && attempt < MAX_ATTEMPTS) return [lost];
  const tries = inVain < MAX_ATTEMPTS_IN_VAIN ? `${attempt} times` : `${inVain} times in a row without progress`;
  return [lost, failed(jobId, `Training was interrupted ${tries}; the last time: ${reason}`, env)];
}

const failed = (jobId: string, reason: string, env: Env): TrainingJobEvent => ({
  type: 'training-job-failed.v1',
  data: { jobId, reason, failedAt: env.now },
});

function stop(
  { jobId, workspaceId }: { readonly jobId: string; readonly workspaceId: string },
  state: Exclude<TrainingJobState, { status: 'none' }>,
  env: Env,
): readonly TrainingJobEvent[] {
  if (state.status === 'deleted' || state.request.workspaceId !== workspaceId)
    throw new NotFoundError('training job', jobId);
  if (state.status === 'cancelled') return [];
  if (state.status !== 'requested' && state.status !== 'running')
    throw new ConflictError(`training job ${jobId} is ${state.status}; only a requested or running one can be stopped`);
  return [{ type: 'training-job-cancelled.v1', data: { jobId, cancelledAt: env.now } }];
}

/** A log that is still being written stays. */
function eraseLog(
  { jobId, workspaceId }: { readonly jobId: string; readonly workspaceId: string },
  state: Exclude<TrainingJobState, { status: 'none' }>,
  env: Env,
): readonly TrainingJobEvent[] {
  if (state.request.workspaceId !== workspaceId) throw new NotFoundError('training job', jobId);
  if (state.status === 'requested' || state.status === 'running')
    throw new ConflictError(`training job ${jobId} is ${state.status}; its log can be erased once it has ended`);
  if (state.status === 'deleted' || state.logErasedAt !== undefined) return [];
  return [{ type: 'training-job-log-erased.v1', data: { jobId, erasedAt: env.now } }];
}

/** Stops an active job first. Each checkpoint ends with an event of its own, because read models index them by id. */
function remove(
  { jobId, workspaceId }: { readonly jobId: string; readonly workspaceId: string },
  state: Exclude<TrainingJobState, { status: 'none' }>,
  env: Env,
): readonly TrainingJobEvent[] {
  if (state.request.workspaceId !== workspaceId) throw new NotFoundError('training job', jobId);
  if (state.status === 'deleted') return [];
  const active = state.status === 'requested' || state.status === 'running';
  return [
    ...(active ? stop({ jobId, workspaceId }, state, env) : []),
    ...state.checkpoints.map(({ checkpointId }): TrainingJobEvent => ({
      type: 'training-checkpoint-deleted.v1',
      data: { jobId, checkpointId },
    })),
    { type: 'training-job-deleted.v1', data: { jobId, deletedAt: env.now } },
  ];
}
