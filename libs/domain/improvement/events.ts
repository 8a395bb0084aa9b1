import type { EventsOf, EventTypes } from '../decider.js';
import type { GateDecision } from './gate.js';
import type { ImprovementPolicy } from './policy.js';

// Type aliases rather than interfaces: only those are assignable to JSON.

/** The improvement of a named model that an event is about. All of one model are on one stream. */
type Of = {
  readonly improvementId: string;
  /** Id of the model's stream. */
  readonly modelId: string;
  readonly workspaceId: string;
};

/** The caller on whose behalf the datasets, the job and the evaluations are requested. */
export type ImprovementRequester = {
  readonly kind: 'key' | 'session';
  readonly userId: string;
  readonly teamId: string;
  readonly keyId: string | null;
};

export const IMPROVEMENT_TRIGGERS = ['request', 'corrections', 'weekly'] as const;
export type ImprovementTrigger = (typeof IMPROVEMENT_TRIGGERS)[number];

/** A version of a dataset. */
export type DatasetChoice = { readonly name: string; readonly version: number; readonly versionId: string };

/** The verdicts on a model's calls, and their use. */
export type CollectedFeedback = {
  readonly rows: number;
  /** Texts on which verdicts differ. */
  readonly conflicts: number;
  /** Verdicts that are unsure, calls without content, calls of other tasks, and verdicts on a text that others gave a row. */
  readonly leftOut: {
    readonly unsure: number;
    readonly withoutContent: number;
    readonly otherTasks: number;
    readonly duplicates: number;
  };
};

export type ImprovementRequest = Of & {
  readonly name: string;
  readonly requestedBy: ImprovementRequester;
  readonly trigger: ImprovementTrigger;
  /** The version in use: its configuration is trained with, and the new one is compared with it. */
  readonly champion: { readonly version: number; readonly trainingJobId: string };
  /** Dataset learned besides the champion's; null: a new version made of the corrections. */
  readonly dataset: DatasetChoice | null;
  /** Corrected calls of the champion when it began; absent in events of the first days. */
  readonly corrections?: number;
  /** As it was then. */
  readonly policy: ImprovementPolicy;
};

export const COMPARED_ROWS = ['held_out', 'regression_dataset'] as const;
export type ComparedRows = (typeof COMPARED_ROWS)[number];

/** Evaluations of both models on the same rows. */
export type EvaluationPair = {
  /** The rows that the new job held out, of the champion's datasets and of the corrections; or the policy's regression dataset. */
  readonly rows: ComparedRows;
  readonly candidateId: string;
  readonly championId: string;
};

export const IMPROVEMENT_OUTCOMES = ['candidate', 'promoted', 'rejected', 'failed', 'cancelled'] as const;
/** Outcome of an improvement. */
export type ImprovementOutcome = (typeof IMPROVEMENT_OUTCOMES)[number];

export type ImprovementEvent = EventsOf<{
  'improvement-requested.v1': ImprovementRequest & { readonly requestedAt: string };
  /** Dataset learned besides the champion's; it may not be ready yet. */
  'improvement-dataset-chosen.v1': Of & {
    readonly dataset: DatasetChoice;
    /** Absent if the request named the dataset, and in older events. */
    readonly collected?: CollectedFeedback;
    readonly chosenAt: string;
  };
  'improvement-training-started.v1': Of & { readonly jobId: string; readonly startedAt: string };
  'improvement-evaluations-started.v1': Of & {
    readonly evaluations: readonly EvaluationPair[];
    readonly startedAt: string;
  };
  'gate-decided.v1': Of & GateDecision & { readonly decidedAt: string };
  /** A person accepts a version that the gate refused. */
  'gate-forced.v1': Of & {
    readonly actor: string;
    readonly reason: string;
    /** The second person, where the workspace wants two. */
    readonly confirmedBy?: string;
    readonly forcedAt: string;
  };
  'improvement-ended.v1': Of & {
    readonly outcome: ImprovementOutcome;
    /** Number of the model's new version; null: none was added. */
    readonly version: number | null;
    /** Why it failed, or was not promoted; null if there is no reason. */
    readonly reason: string | null;
    readonly endedAt: string;
  };
}>;

export const IMPROVEMENT_EVENT_TYPES: EventTypes<ImprovementEvent> = {
  'improvement-requested.v1': true,
  'improvement-dataset-chosen.v1': true,
  'improvement-training-started.v1': true,
  'improvement-evaluations-started.v1': true,
  'gate-decided.v1': true,
  'gate-forced.v1': true,
  'improvement-ended.v1': true,
};
