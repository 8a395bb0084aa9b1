import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError, NotFoundError } from '../errors.js';
import { isInVain, type LossCause } from '../training-job/index.js';
import {
  EVALUATION_EVENT_TYPES,
  type CallsUsage,
  type EngineName,
  type EvaluationEvent,
  type EvaluationMetrics,
  type EvaluationRequest,
  type StoredAnswers,
  type StoredPredictions,
} from './events.js';
import { evolve, type EvaluationState } from './state.js';

/** An evaluation whose attempts are lost so often to their own process will not succeed. */
export const MAX_EVALUATION_ATTEMPTS_IN_VAIN = 5;
/** Limit on attempts, whatever the reason they were lost. */
const MAX_EVALUATION_ATTEMPTS = 40;

export type EvaluationCommand = CommandsOf<{
  'request-evaluation': EvaluationRequest;
  'claim-evaluation-attempt': { evaluationId: string; attempt: number; runnerId: string };
  'lose-evaluation-attempt': { evaluationId: string; attempt: number; reason: string; cause: LossCause };
  'record-answers': {
    evaluationId: string;
    attempt: number;
    answers: StoredAnswers;
    usage: CallsUsage | null;
    engine?: EngineName;
  };
  'record-verdicts': { evaluationId: string; attempt: number; verdicts: StoredAnswers; usage: CallsUsage };
  'complete-evaluation': {
    evaluationId: string;
    attempt: number;
    metrics: EvaluationMetrics;
    sampleCount: number;
    engine?: EngineName;
    predictions: StoredPredictions;
  };
  'fail-evaluation': { evaluationId: string; attempt: number; reason: string };
  'erase-predictions': { evaluationId: string; workspaceId: string };
  'delete-evaluation': { evaluationId: string; workspaceId: string };
  /** Marks everything stored by a deleted evaluation as removed. */
  'mark-evaluation-erased': { evaluationId: string };
}>;

/** An evaluation of one model on one pinned dataset: attempts as for training jobs, without checkpoints. */
export const evaluationDecider: Decider<EvaluationCommand, EvaluationEvent, EvaluationState> = {
  category: 'evaluation',
  eventTypes: EVALUATION_EVENT_TYPES,
  initial: { status: 'none' },
  decide,
  evolve,
};

function decide(command: EvaluationCommand, state: EvaluationState, env: Env): readonly EvaluationEvent[] {
  const { evaluationId } = command;
  if (command.type === 'request-evaluation') {
    if (state.status !== 'none') return [];
    const { type: _, ...request } = command;
    return [{ type: 'evaluation-requested.v1', data: { ...request, requestedAt: env.now } }];
  }
  if (state.status === 'none') throw new NotFoundError('evaluation', evaluationId);
  if (command.type === 'delete-evaluation') {
    if (state.request.workspaceId !== command.workspaceId) throw new NotFoundError('evaluation', evaluationId);
    if (state.status === 'deleted') return [];
    return [{ type: 'evaluation-deleted.v1', data: { evaluationId, deletedAt: env.now } }];
  }
  if (command.type === 'erase-predictions') {
    if (state.request.workspaceId !== command.workspaceId) throw new NotFoundError('evaluation', evaluationId);
    if (state.status === 'queued' || state.status === 'running')
      throw new ConflictError(`evaluation ${evaluationId} is ${state.status}; it can be erased once it has ended`);
    if (state.status === 'deleted' || state.predictionsErasedAt !== undefined) return [];
    return [{ type: 'evaluation-predictions-erased.v1', data: { evaluationId, erasedAt: env.now } }];
  }
  if (command.type === 'mark-evaluation-erased') {
    if (state.status !== 'deleted')
      throw new ConflictError(`evaluation ${evaluationId} is ${state.status}, not deleted`);
    return state.erased ? [] : [{ type: 'evaluation-erased.v1', data: { evaluationId, erasedAt: env.now } }];
  }
  if (command.type === 'claim-evaluation-attempt') return claim(command, state, env);
  const current = state.status === 'running' && state.attempt === command.attempt && state.runnerId !== null;
  if (!current) return [];
  switch (command.type) {
    case 'lose-evaluation-attempt': {
      const { attempt, reason, cause } = command;
      const lost = {
        type: 'evaluation-attempt-lost.v1',
        data: { evaluationId, attempt, reason, cause, lostAt: env.now },
      } as const;
      const inVain = state.lostInVain + (isInVain(lost.data) ? 1 : 0);
      if (inVain < MAX_EVALUATION_ATTEMPTS_IN_VAIN && attempt < MAX_EVALUATION_ATTEMPTS) return [lost];
      return [
        lost,
        failed(evaluationId, `The evaluation was interrupted ${attempt} times; the last time: ${reason}`, env),
      ];
    }
    case 'record-answers': {
      const { type: _, ...answered } = command;
      const awaits = state.request.judge && ({ awaitsJudge: true } as const);
      return [{ type: 'evaluation-answered.v1', data: { ...answered, ...awaits, answeredAt: env.now } }];
    }
    case 'record-verdicts': {
      const { type: _, ...judged } = command;
      return [{ type: 'evaluation-judged.v1', data: { ...judged, judgedAt: env.now } }];
    }
    case 'complete-evaluation': {
      const { type: _, ...completed } = command;
      return [{ type: 'evaluation-completed.v1', data: { ...completed, completedAt: env.now } }];
    }
    case 'fail-evaluation':
      return [failed(evaluationId, command.reason, env)];
  }
}

function claim(
  { evaluationId, attempt, runnerId }: Extract<EvaluationCommand, { type: 'claim-evaluation-attempt' }>,
  state: Exclude<EvaluationState, { status: 'none' }>,
  env: Env,
): readonly EvaluationEvent[] {
  if (state.status !== 'queued' && state.status !== 'running')
    throw new ConflictError(`evaluation ${evaluationId} is ${state.status}`);
  if (attempt !== state.attempt)
    throw new ConflictError(`evaluation ${evaluationId} is at attempt ${state.attempt}, not ${attempt}`);
  if (state.runnerId === runnerId) return [];
  if (state.runnerId !== null) throw new ConflictError(`attempt ${attempt} of evaluation ${evaluationId} is taken`);
  return [{ type: 'evaluation-attempt-claimed.v1', data: { evaluationId, attempt, runnerId, claimedAt: env.now } }];
}

const failed = (evaluationId: string, reason: string, env: Env): EvaluationEvent => ({
  type: 'evaluation-failed.v1',
  data: { evaluationId, reason, failedAt: env.now },
});
