import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError, NotFoundError } from '../errors.js';
import {
  IMPROVEMENT_EVENT_TYPES,
  type CollectedFeedback,
  type EvaluationPair,
  type ImprovementEvent,
  type ImprovementOutcome,
  type ImprovementRequest,
  type DatasetChoice,
} from './events.js';
import type { GateDecision } from './gate.js';
import { refuseBeyondBudget } from './policy.js';
import { evolve, improvementOf, isOpen, openImprovement, type ImprovementsState } from './state.js';

/** Events of one model's improvements, each of at most eight. */
const MAX_IMPROVEMENT_EVENTS = 5_000;

type Address = { readonly improvementId: string; readonly modelId: string; readonly workspaceId: string };

export type ImprovementCommand = CommandsOf<{
  'request-improvement': ImprovementRequest;
  'choose-dataset': Address & { dataset: DatasetChoice; collected?: CollectedFeedback };
  'start-training': Address & { jobId: string };
  'start-evaluations': Address & { evaluations: readonly EvaluationPair[] };
  'decide-gate': Address & { decision: GateDecision };
  'force-gate': Address & { actor: string; reason: string; confirmedBy?: string };
  'end-improvement': Address & { outcome: ImprovementOutcome; version: number | null; reason: string | null };
  'cancel-improvement': Address;
}>;

/** The improvements of one model: one at a time, each through its stages, within the budget. */
export const improvementDecider: Decider<ImprovementCommand, ImprovementEvent, ImprovementsState> = {
  category: 'improvement',
  eventTypes: IMPROVEMENT_EVENT_TYPES,
  initial: { recent: [], startedAt: [], events: 0 },
  decide,
  evolve,
};

function decide(command: ImprovementCommand, state: ImprovementsState, env: Env): readonly ImprovementEvent[] {
  const { improvementId, modelId, workspaceId } = command;
  const of = { improvementId, modelId, workspaceId };
  const known = improvementOf(state, improvementId);
  if (command.type === 'request-improvement') {
    if (known) return [];
    refuseBeyond(command, state, env);
    const { type: _, ...request } = command;
    return [{ type: 'improvement-requested.v1', data: { ...request, requestedAt: env.now } }];
  }
  if (known?.request.workspaceId !== workspaceId) throw new NotFoundError('improvement', improvementId);
  switch (command.type) {
    case 'choose-dataset': {
      if (!isOpen(known) || known.dataset) return [];
      const { dataset, collected } = command;
      const data = { ...of, dataset, ...(collected && { collected }), chosenAt: env.now };
      return [{ type: 'improvement-dataset-chosen.v1', data }];
    }
    case 'start-training':
      if (!isOpen(known) || known.jobId !== null) return [];
      return [{ type: 'improvement-training-started.v1', data: { ...of, jobId: command.jobId, startedAt: env.now } }];
    case 'start-evaluations': {
      if (!isOpen(known) || known.evaluations) return [];
      const { evaluations } = command;
      return [{ type: 'improvement-evaluations-started.v1', data: { ...of, evaluations, startedAt: env.now } }];
    }
    case 'decide-gate':
      if (!isOpen(known) || known.decision) return [];
      return [{ type: 'gate-decided.v1', data: { ...of, ...command.decision, decidedAt: env.now } }];
    case 'force-gate': {
      if (known.forced) return [];
      if (known.end?.outcome !== 'rejected')
        throw new ConflictError(
          `improvement ${improvementId} is ${known.end?.outcome ?? known.stage}; only one that the gate rejected can be forced`,
        );
      refuseAnother(state);
      const { actor, reason, confirmedBy } = command;
      const data = { ...of, actor, reason, ...(confirmedBy && { confirmedBy }), forcedAt: env.now };
      return [{ type: 'gate-forced.v1', data }];
    }
    case 'end-improvement': {
      if (!isOpen(known)) return [];
      const { outcome, version, reason } = command;
      return [{ type: 'improvement-ended.v1', data: { ...of, outcome, version, reason, endedAt: env.now } }];
    }
    case 'cancel-improvement': {
      if (known.end?.outcome === 'cancelled') return [];
      if (!isOpen(known))
        throw new ConflictError(`improvement ${improvementId} is ${known.end?.outcome}; only an open one is cancelled`);
      const end = { outcome: 'cancelled', version: null, reason: null } as const;
      return [{ type: 'improvement-ended.v1', data: { ...of, ...end, endedAt: env.now } }];
    }
  }
}

function refuseBeyond({ name, policy: { budget } }: ImprovementRequest, state: ImprovementsState, env: Env): void {
  refuseAnother(state);
  if (state.events >= MAX_IMPROVEMENT_EVENTS)
    throw new ConflictError(`model ${name} has a history of ${MAX_IMPROVEMENT_EVENTS} events; improve another name`);
  refuseBeyondBudget(budget, state.startedAt, env, `model ${name} was improved`);
}

function refuseAnother(state: ImprovementsState): void {
  const open = openImprovement(state);
  if (!open) return;
  const { name, improvementId } = open.request;
  throw new ConflictError(`model ${name} is being improved by ${improvementId}; one at a time`);
}
