import type { PinnedObject } from '../dataset/index.js';
import type { EventsOf, EventTypes } from '../decider.js';
import type { DatasetChoice, ImprovementRequester, ImprovementTrigger } from '../improvement/index.js';

// Type aliases rather than interfaces: only those are assignable to JSON.

/** The distillation that an event is about. All of one name are on one stream. */
type Of = {
  readonly distillationId: string;
  /** Id of the name's stream. */
  readonly modelId: string;
  readonly workspaceId: string;
};

/** Calls that are learned from. */
export type CallsToLearn = {
  /** The model that answered them, as the calls name it; null or absent: the teacher. */
  readonly model?: string | null;
  readonly projectId: string | null;
  /** ISO 8601, inclusive and exclusive. */
  readonly since: string | null;
  readonly until: string | null;
};

export const UNMAPPED = ['null', 'refuse'] as const;
/** What becomes of fields of the answers that cannot be learned: they are written as null, or the task is refused. */
export type Unmapped = (typeof UNMAPPED)[number];

export const PROMPT_VERSIONS = ['newest', 'all'] as const;
/** Whether calls of the newest version of a prompt are learned, or those of all its versions. */
export type PromptVersions = (typeof PROMPT_VERSIONS)[number];

export const HEAD_KINDS = [
  'class',
  'classes',
  'span',
  'spans',
  'entities',
  'records',
  'constant',
  'null',
  'omitted',
] as const;
/**
 * What becomes of a place of the answers: one label of a few, or several; a stretch of the text, or several; stretches with their kind;
 * records of a list of objects; the one value that all answers have; `null`: null is written; `omitted`: its key is left out.
 */
export type HeadKind = (typeof HEAD_KINDS)[number];

/** What a person wants to become of a place of the answers. */
export type WantedHead = { readonly path: string; readonly kind: HeadKind };

/** Texts that the teacher is asked about before its calls are learned. */
export type TextsToLabel = {
  readonly dataset: DatasetChoice;
  /** What its answers may cost, in picodollars. */
  readonly budget: string;
};

/** What becomes of them. */
export type LabellingBegun = {
  /** null: there is nothing to ask. */
  readonly batchId: string | null;
  /** Texts of the dataset. */
  readonly texts: number;
  /** Those that are in the calls already, or twice in the dataset. */
  readonly copies: number;
};

export type Labelled = {
  readonly labelled: number;
  /** Texts that were not asked about, or without an answer. */
  readonly notLabelled: number;
  /** Why the rest was not asked about; null: all were. */
  readonly reason: string | null;
};

export type DistillationRequest = Of & {
  readonly name: string;
  readonly requestedBy: ImprovementRequester;
  /** Catalog id of the model whose answers are learned, and which is asked where the small model is not sure. */
  readonly teacher: string;
  readonly from: CallsToLearn;
  /** Id of the task's template; null: the only one that can be learned. */
  readonly task: string | null;
  readonly unmapped: Unmapped;
  /** Absent in older ones: `newest`. */
  readonly promptVersions?: PromptVersions;
  /** Where they differ from what is proposed; absent in older ones: nowhere. */
  readonly heads?: readonly WantedHead[];
  /** null or absent: none. */
  readonly label?: TextsToLabel | null;
  /** Share of the answers of the small model alone that have to be the teacher's, 0 to 1. */
  readonly targetAgreement: number;
  /** Share of its answers that the teacher is asked for as well, 0 to 1. */
  readonly auditShare: number;
  /** Catalog id of the model that is trained. */
  readonly baseModel: string;
  /** A language model learns answers of any form as they are, and no bound is shown for it. Absent: an encoder is trained. */
  readonly taskType?: 'decoder';
  /** Absent in older ones: `request`. */
  readonly trigger?: ImprovementTrigger;
  /** Version of the name that was in use, null: none; and corrected answers of the name then. Absent in older ones. */
  readonly inUse?: number | null;
  readonly corrections?: number;
};

/** The calls that were read, and what became of them. */
export type CollectedCalls = {
  readonly read: number;
  /** Calls that were not read to be learned, by reason. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Calls of the task. */
  readonly ofTask: number;
  /** Those whose answer cannot be learned: a label that is too rare, a value that is not in the text. */
  readonly notMapped: number;
  /** Calls of other versions of the prompt, which are learned as well or left out, as is wanted; absent in older ones: not counted. */
  readonly otherVersions?: number;
  readonly copies: number;
  readonly nearCopies: number;
  readonly rows: number;
  /** Agreement of the teacher with itself, on copies with one text; null: there were none. */
  readonly ownAgreement: number | null;
};

/** A task's template and mapping, with quotes from prompts: an encrypted object that goes with the dataset version. */
export type StoredTask = { readonly id: string; readonly object: PinnedObject };

/** From which certainty the student answers, as `Bound` of libs/distillation. */
export type CalibratedBound = {
  readonly threshold: number;
  readonly answered: number;
  readonly disagreements: number;
  readonly judged: number;
};

export const DISTILLATION_OUTCOMES = ['in_use', 'candidate', 'refused', 'failed', 'cancelled'] as const;
/** `refused`: no bound can be shown, or nothing can be learned. */
export type DistillationOutcome = (typeof DISTILLATION_OUTCOMES)[number];

export type DistillationEvent = EventsOf<{
  'distillation-requested.v1': DistillationRequest & { readonly requestedAt: string };
  /** The teacher is being asked about texts of a dataset, by a batch. */
  'distillation-labelling-started.v1': Of & LabellingBegun & { readonly startedAt: string };
  'distillation-labelled.v1': Of & Labelled & { readonly labelledAt: string };
  'distillation-collected.v1': Of & {
    readonly dataset: DatasetChoice;
    readonly task: StoredTask;
    readonly calls: CollectedCalls;
    readonly collectedAt: string;
  };
  'distillation-training-started.v1': Of & { readonly jobId: string; readonly startedAt: string };
  'distillation-validation-started.v1': Of & { readonly evaluationId: string; readonly startedAt: string };
  'distillation-calibrated.v1': Of & { readonly bound: CalibratedBound; readonly calibratedAt: string };
  'distillation-ended.v1': Of & {
    readonly outcome: DistillationOutcome;
    /** Number of the name's new version; null: none was added. */
    readonly version: number | null;
    readonly reason: string | null;
    readonly endedAt: string;
  };
  /** The first live calls, all answered by the teacher, have shown from which certainty the student answers. */
  'cascade-opened.v1': Of & {
    readonly threshold: number;
    readonly watched: number;
    readonly disagreements: number;
    readonly openedAt: string;
  };
  /** Another target is to be held, which the calibration shows as well: the first live calls are judged by it, and audits counted, anew. */
  'distillation-retargeted.v1': Of & {
    readonly targetAgreement: number;
    readonly bound: CalibratedBound;
    readonly retargetedAt: string;
  };
  /** Audits speak against the target, so that more calls are audited; or no longer. */
  'cascade-suspected.v1': Of & {
    readonly suspected: boolean;
    readonly audited: number;
    readonly disagreements: number;
    readonly suspectedAt: string;
  };
  /** The teacher answers all calls from here on. */
  'cascade-returned.v1': Of & {
    readonly reason: string;
    readonly audited: number;
    readonly disagreements: number;
    readonly returnedAt: string;
  };
}>;

export const DISTILLATION_EVENT_TYPES: EventTypes<DistillationEvent> = {
  'distillation-requested.v1': true,
  'distillation-labelling-started.v1': true,
  'distillation-labelled.v1': true,
  'distillation-collected.v1': true,
  'distillation-training-started.v1': true,
  'distillation-validation-started.v1': true,
  'distillation-calibrated.v1': true,
  'distillation-ended.v1': true,
  'cascade-opened.v1': true,
  'distillation-retargeted.v1': true,
  'cascade-suspected.v1': true,
  'cascade-returned.v1': true,
};
