import type { DatasetChoice } from '../improvement/index.js';
import type {
  CalibratedBound,
  CollectedCalls,
  DistillationEvent,
  DistillationOutcome,
  DistillationRequest,
  Labelled,
  LabellingBegun,
  StoredTask,
} from './events.js';

export const DISTILLATION_STAGES = [
  'labelling',
  'collecting',
  'training',
  'validating',
  'calibrating',
  'in_use',
  'candidate',
  'refused',
  'failed',
  'cancelled',
] as const;
export type DistillationStage = (typeof DISTILLATION_STAGES)[number];

/**
 * Who answers the calls of a distilled version. `watching`: the teacher, while the student's answers to the first calls are compared.
 * `open`: the student where it is sure. `returned`: the teacher, since the target was not held.
 */
export const CASCADE_STATES = ['watching', 'open', 'returned'] as const;
export type CascadeState = {
  readonly state: (typeof CASCADE_STATES)[number];
  /** The student answers calls of this certainty or more; null: not known yet. */
  readonly threshold: number | null;
  readonly isSuspected: boolean;
  /** Why the teacher answers again; null unless it does. */
  readonly reason: string | null;
};

export type Distillation = {
  readonly request: DistillationRequest;
  readonly requestedAt: string;
  readonly stage: DistillationStage;
  /** When each stage began, the first one first. */
  readonly stages: readonly { readonly stage: DistillationStage; readonly at: string }[];
  /** Texts that the teacher is asked about first; null or absent: none are, or not yet. */
  readonly labelling?: (LabellingBegun & { readonly end: Labelled | null }) | null;
  readonly dataset: DatasetChoice | null;
  readonly task: StoredTask | null;
  readonly calls: CollectedCalls | null;
  readonly jobId: string | null;
  readonly evaluationId: string | null;
  readonly bound: CalibratedBound | null;
  readonly end: {
    readonly outcome: DistillationOutcome;
    readonly version: number | null;
    readonly reason: string | null;
    readonly at: string;
  } | null;
  readonly cascade: CascadeState;
};

/** The distillations of one name. */
export type DistillationsState = {
  /** Oldest first; those that made a version, and of the others the last few. */
  readonly recent: readonly Distillation[];
  /** When the last ones were requested, oldest first. */
  readonly startedAt: readonly string[];
  readonly events: number;
};

const MAX_RECENT = 100;
/** More than a budget can allow. */
const MAX_STARTS = 1_000;

export function evolve(state: DistillationsState, event: DistillationEvent): DistillationsState {
  const events = state.events + 1;
  const before = distillationOf(state, event.data.distillationId);
  const after = evolveOne(before, event);
  if (!after) return { ...state, events };
  if (before) return { ...state, recent: state.recent.map((each) => (each === before ? after : each)), events };
  const startedAt = [...state.startedAt, after.requestedAt].slice(-MAX_STARTS);
  return { recent: withoutOldest([...state.recent, after]), startedAt, events };
}

/** A version that was made may answer calls for as long as there is its name. */
function withoutOldest(all: readonly Distillation[]): readonly Distillation[] {
  const madeNothing = all.filter(({ end }) => end?.version === null);
  const [oldest] = madeNothing;
  return madeNothing.length < MAX_RECENT ? all : all.filter((each) => each !== oldest);
}

export const distillationOf = ({ recent }: DistillationsState, id: string | undefined): Distillation | null =>
  recent.find(({ request }) => request.distillationId === id) ?? null;

export const isOpen = ({ end }: Pick<Distillation, 'end'>): boolean => end === null;

const WATCHING: CascadeState = { state: 'watching', threshold: null, isSuspected: false, reason: null };

/** A distillation after an event of it; null: the event belongs to an unknown one. */
export function evolveOne(before: Distillation | null, event: DistillationEvent): Distillation | null {
  if (event.type === 'distillation-requested.v1') {
    const { requestedAt, ...request } = event.data;
    const stage = request.label ? 'labelling' : 'collecting';
    return {
      ...{ request, requestedAt, stage, stages: [{ stage, at: requestedAt }] },
      ...{ dataset: null, task: null, calls: null, jobId: null, evaluationId: null, bound: null, end: null },
      cascade: WATCHING,
    };
  }
  if (!before) return null;
  const { cascade, request } = before;
  switch (event.type) {
    case 'distillation-labelling-started.v1': {
      const { batchId, texts, copies } = event.data;
      return { ...before, labelling: { batchId, texts, copies, end: null } };
    }
    case 'distillation-labelled.v1': {
      const { labelled, notLabelled, reason, labelledAt } = event.data;
      const end = { labelled, notLabelled, reason };
      return { ...at(before, 'collecting', labelledAt), labelling: { ...before.labelling!, end } };
    }
    case 'distillation-collected.v1': {
      const { dataset, task, calls } = event.data;
      return { ...before, dataset, task, calls };
    }
    case 'distillation-training-started.v1':
      return { ...at(before, 'training', event.data.startedAt), jobId: event.data.jobId };
    case 'distillation-validation-started.v1':
      return { ...at(before, 'validating', event.data.startedAt), evaluationId: event.data.evaluationId };
    case 'distillation-calibrated.v1':
      return { ...at(before, 'calibrating', event.data.calibratedAt), bound: event.data.bound };
    case 'distillation-ended.v1': {
      const { outcome, version, reason, endedAt } = event.data;
      return { ...at(before, outcome, endedAt), end: { outcome, version, reason, at: endedAt } };
    }
    case 'cascade-opened.v1':
      return { ...before, cascade: { ...cascade, state: 'open', threshold: event.data.threshold } };
    case 'distillation-retargeted.v1': {
      const { targetAgreement, bound } = event.data;
      return { ...before, request: { ...request, targetAgreement }, bound, cascade: WATCHING };
    }
    case 'cascade-suspected.v1':
      return { ...before, cascade: { ...cascade, isSuspected: event.data.suspected } };
    case 'cascade-returned.v1':
      return { ...before, cascade: { ...cascade, state: 'returned', reason: event.data.reason } };
  }
}

const at = (before: Distillation, stage: DistillationStage, when: string): Distillation => ({
  ...before,
  stage,
  stages: [...before.stages, { stage, at: when }],
});
