import type {
  CollectedFeedback,
  EvaluationPair,
  ImprovementEvent,
  ImprovementOutcome,
  ImprovementRequest,
  DatasetChoice,
} from './events.js';
import type { GateDecision } from './gate.js';

type ImprovementStage = 'collecting' | 'training' | 'evaluating' | 'gating' | 'done' | 'failed' | 'cancelled';

export type Improvement = {
  readonly request: ImprovementRequest;
  readonly requestedAt: string;
  readonly stage: ImprovementStage;
  /** When each stage began, the first one first. */
  readonly stages: readonly { readonly stage: ImprovementStage; readonly at: string }[];
  readonly dataset: DatasetChoice | null;
  /** Absent if the dataset is not made of feedback, or not yet. */
  readonly collected?: CollectedFeedback;
  readonly jobId: string | null;
  readonly evaluations: readonly EvaluationPair[] | null;
  readonly decision: (GateDecision & { readonly decidedAt: string }) | null;
  readonly forced: {
    readonly actor: string;
    readonly reason: string;
    readonly confirmedBy?: string;
    readonly at: string;
  } | null;
  readonly end: {
    readonly outcome: ImprovementOutcome;
    readonly version: number | null;
    readonly reason: string | null;
    readonly at: string;
  } | null;
};

/** The improvements of one model. */
export type ImprovementsState = {
  /** By id, oldest first; of those that ended, the last few. */
  readonly recent: readonly Improvement[];
  /** When the last ones were requested, oldest first. */
  readonly startedAt: readonly string[];
  readonly events: number;
};

const MAX_RECENT = 20;
/** More than a budget can allow. */
const MAX_STARTS = 1_000;

export function evolve(state: ImprovementsState, event: ImprovementEvent): ImprovementsState {
  const { improvementId } = event.data;
  const before = improvementOf(state, improvementId);
  const after = evolveOne(before, event);
  if (!after) return { ...state, events: state.events + 1 };
  const isNew = event.type === 'improvement-requested.v1';
  const others = state.recent.filter((each) => each !== before);
  const recent = isNew
    ? [...others, after].slice(-MAX_RECENT)
    : state.recent.map((each) => (each === before ? after : each));
  const startedAt = isNew ? [...state.startedAt, event.data.requestedAt].slice(-MAX_STARTS) : state.startedAt;
  return { recent, startedAt, events: state.events + 1 };
}

export const improvementOf = ({ recent }: ImprovementsState, id: string): Improvement | null =>
  recent.find(({ request }) => request.improvementId === id) ?? null;

/** The one that has not ended. */
export const openImprovement = ({ recent }: ImprovementsState): Improvement | null => recent.find(isOpen) ?? null;

export const isOpen = ({ stage }: Pick<Improvement, 'stage'>): boolean =>
  stage !== 'done' && stage !== 'failed' && stage !== 'cancelled';

/** An improvement after an event of it; null: the event belongs to an unknown one. */
export function evolveOne(before: Improvement | null, event: ImprovementEvent): Improvement | null {
  if (event.type === 'improvement-requested.v1') {
    const { requestedAt, ...request } = event.data;
    return {
      ...{ request, requestedAt, stage: 'collecting', stages: [{ stage: 'collecting', at: requestedAt }] },
      ...{ dataset: null, jobId: null, evaluations: null, decision: null, forced: null, end: null },
    };
  }
  if (!before) return null;
  switch (event.type) {
    case 'improvement-dataset-chosen.v1':
      return {
        ...before,
        dataset: event.data.dataset,
        ...(event.data.collected && { collected: event.data.collected }),
      };
    case 'improvement-training-started.v1':
      return { ...at(before, 'training', event.data.startedAt), jobId: event.data.jobId };
    case 'improvement-evaluations-started.v1':
      return { ...at(before, 'evaluating', event.data.startedAt), evaluations: event.data.evaluations };
    case 'gate-decided.v1': {
      const { passed, rules, decidedAt } = event.data;
      return { ...at(before, 'gating', decidedAt), decision: { passed, rules, decidedAt } };
    }
    case 'gate-forced.v1': {
      const { actor, reason, confirmedBy, forcedAt } = event.data;
      const forced = { actor, reason, ...(confirmedBy && { confirmedBy }), at: forcedAt };
      return { ...at(before, 'gating', forcedAt), forced, end: null };
    }
    case 'improvement-ended.v1': {
      const { outcome, version, reason, endedAt } = event.data;
      const stage = outcome === 'failed' || outcome === 'cancelled' ? outcome : 'done';
      return { ...at(before, stage, endedAt), end: { outcome, version, reason, at: endedAt } };
    }
  }
}

const at = (before: Improvement, stage: ImprovementStage, when: string): Improvement => ({
  ...before,
  stage,
  stages: [...before.stages, { stage, at: when }],
});
