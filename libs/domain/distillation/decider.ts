import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError, NotFoundError } from '../errors.js';
import { refuseBeyondBudget, type DatasetChoice, type ImprovementPolicy } from '../improvement/index.js';
import {
  DISTILLATION_EVENT_TYPES,
  type CalibratedBound,
  type CollectedCalls,
  type DistillationEvent,
  type DistillationOutcome,
  type DistillationRequest,
  type Labelled,
  type LabellingBegun,
  type StoredTask,
} from './events.js';
import { distillationOf, evolve, isOpen, type Distillation, type DistillationsState } from './state.js';

/** Events of one name's distillations. */
const MAX_DISTILLATION_EVENTS = 5_000;

type Address = { readonly distillationId: string; readonly modelId: string; readonly workspaceId: string };
type Audits = { audited: number; disagreements: number };

export type DistillationCommand = CommandsOf<{
  'request-distillation': DistillationRequest & Pick<ImprovementPolicy, 'budget'>;
  'start-labelling': Address & LabellingBegun;
  'end-labelling': Address & Labelled;
  'collect-rows': Address & { dataset: DatasetChoice; task: StoredTask; calls: CollectedCalls };
  'start-training': Address & { jobId: string };
  'start-validation': Address & { evaluationId: string };
  calibrate: Address & { bound: CalibratedBound };
  'end-distillation': Address & { outcome: DistillationOutcome; version: number | null; reason: string | null };
  'cancel-distillation': Address;
  'open-cascade': Address & { threshold: number; watched: number; disagreements: number };
  retarget: Address & { targetAgreement: number; bound: CalibratedBound };
  'suspect-cascade': Address & Audits & { suspected: boolean };
  'return-to-teacher': Address & Audits & { reason: string };
}>;

type Without<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;
/** A command without its address. */
export type DistillationStep = Without<DistillationCommand, keyof Address>;

/** The distillations of one name: one at a time, each through its stages, and then its cascade. */
export const distillationDecider: Decider<DistillationCommand, DistillationEvent, DistillationsState> = {
  category: 'distillation',
  eventTypes: DISTILLATION_EVENT_TYPES,
  initial: { recent: [], startedAt: [], events: 0 },
  decide,
  evolve,
};

function decide(command: DistillationCommand, state: DistillationsState, env: Env): readonly DistillationEvent[] {
  const known = distillationOf(state, command.distillationId);
  if (command.type === 'request-distillation') {
    if (known) return [];
    const { type: _, budget, ...request } = command;
    refuseBeyond(request.name, state);
    refuseBeyondBudget(budget, state.startedAt, env, `model ${request.name} was distilled`);
    return [{ type: 'distillation-requested.v1', data: { ...request, requestedAt: env.now } }];
  }
  if (known?.request.workspaceId !== command.workspaceId)
    throw new NotFoundError('distillation', command.distillationId);
  return isOpen(known) ? advanced(command, known, env) : cascaded(command, known, env);
}

type Later = Exclude<DistillationCommand, { type: 'request-distillation' }>;

function advanced(command: Later, known: Distillation, { now }: Env): readonly DistillationEvent[] {
  const { distillationId, modelId, workspaceId } = command;
  const of = { distillationId, modelId, workspaceId };
  switch (command.type) {
    case 'start-labelling': {
      if (known.labelling) return [];
      const { batchId, texts, copies } = command;
      return [{ type: 'distillation-labelling-started.v1', data: { ...of, batchId, texts, copies, startedAt: now } }];
    }
    case 'end-labelling': {
      if (known.labelling?.end !== null) return [];
      const { labelled, notLabelled, reason } = command;
      return [{ type: 'distillation-labelled.v1', data: { ...of, labelled, notLabelled, reason, labelledAt: now } }];
    }
    case 'collect-rows': {
      if (known.dataset) return [];
      const { dataset, task, calls } = command;
      return [{ type: 'distillation-collected.v1', data: { ...of, dataset, task, calls, collectedAt: now } }];
    }
    case 'start-training':
      if (known.jobId !== null) return [];
      return [{ type: 'distillation-training-started.v1', data: { ...of, jobId: command.jobId, startedAt: now } }];
    case 'start-validation': {
      if (known.evaluationId !== null) return [];
      const { evaluationId } = command;
      return [{ type: 'distillation-validation-started.v1', data: { ...of, evaluationId, startedAt: now } }];
    }
    case 'calibrate':
      if (known.bound) return [];
      return [{ type: 'distillation-calibrated.v1', data: { ...of, bound: command.bound, calibratedAt: now } }];
    case 'end-distillation': {
      const { outcome, version, reason } = command;
      return [{ type: 'distillation-ended.v1', data: { ...of, outcome, version, reason, endedAt: now } }];
    }
    case 'cancel-distillation': {
      const end = { outcome: 'cancelled', version: null, reason: null } as const;
      return [{ type: 'distillation-ended.v1', data: { ...of, ...end, endedAt: now } }];
    }
    default:
      return [];
  }
}

function cascaded(command: Later, { end, cascade, request }: Distillation, { now }: Env): readonly DistillationEvent[] {
  const { distillationId, modelId, workspaceId } = command;
  const of = { distillationId, modelId, workspaceId };
  if (command.type === 'cancel-distillation' && end?.outcome !== 'cancelled')
    throw new ConflictError(`distillation ${distillationId} is ${end?.outcome}; only an open one is cancelled`);
  if (end?.version === null || cascade.state === 'returned') return [];
  switch (command.type) {
    case 'open-cascade': {
      if (cascade.state !== 'watching') return [];
      const { threshold, watched, disagreements } = command;
      return [{ type: 'cascade-opened.v1', data: { ...of, threshold, watched, disagreements, openedAt: now } }];
    }
    case 'retarget': {
      const { targetAgreement, bound } = command;
      if (targetAgreement === request.targetAgreement) return [];
      return [{ type: 'distillation-retargeted.v1', data: { ...of, targetAgreement, bound, retargetedAt: now } }];
    }
    case 'suspect-cascade': {
      const { suspected, audited, disagreements } = command;
      if (cascade.isSuspected === suspected) return [];
      return [{ type: 'cascade-suspected.v1', data: { ...of, suspected, audited, disagreements, suspectedAt: now } }];
    }
    case 'return-to-teacher': {
      const { reason, audited, disagreements } = command;
      return [{ type: 'cascade-returned.v1', data: { ...of, reason, audited, disagreements, returnedAt: now } }];
    }
    default:
      return [];
  }
}

function refuseBeyond(name: string, { recent, events }: DistillationsState): void {
  const open = recent.find(isOpen);
  if (open)
    throw new ConflictError(`model ${name} is being distilled by ${open.request.distillationId}; one at a time`);
  if (events >= MAX_DISTILLATION_EVENTS)
    throw new ConflictError(`model ${name} has a history of ${MAX_DISTILLATION_EVENTS} events; distil another name`);
}
