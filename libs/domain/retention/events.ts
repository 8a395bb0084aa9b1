import type { EventsOf, EventTypes } from '../decider.js';

/**
 * Kinds of contents kept for a time. With `calls` goes the feedback on them; `job_logs` are the lines that training jobs wrote,
 * `evaluations` their rows and answers; `training_jobs` go with their weights and all other files.
 */
export const RETENTION_KINDS = [
  'calls',
  'feedback',
  'job_logs',
  'dataset_versions',
  'evaluations',
  'training_jobs',
] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

export const HOLD_KINDS = [
  'workspace',
  'calls',
  'call',
  'model',
  'feedback',
  'job_logs',
  'job',
  'datasets',
  'dataset',
  'evaluations',
  'evaluation',
] as const;

/** Contents that a hold covers. */
export type HoldScope = {
  readonly kind: (typeof HOLD_KINDS)[number];
  /** Id of the `call`, the `job` or the `evaluation`, id that calls of the `model` name, or name of the `dataset`; null for the others. */
  readonly id: string | null;
  /** Version of the `dataset`; null for all. */
  readonly version: number | null;
};

export type Hold = {
  readonly holdId: string;
  readonly workspaceId: string;
  readonly covers: HoldScope;
  /** Why, in the words of the person who placed it. */
  readonly reason: string;
};

export type RetentionEvent = EventsOf<{
  /** Sets the number of days from the creation of contents of this kind to their erasure. */
  'retention-set.v1': {
    workspaceId: string;
    kind: RetentionKind;
    /** null: kept. */
    days: number | null;
    setAt: string;
  };
  /** Nothing covered by the hold is erased or purged until it is released. */
  'hold-placed.v1': Hold & { placedAt: string };
  'hold-released.v1': { holdId: string; workspaceId: string; reason: string; releasedAt: string };
}>;

export const RETENTION_EVENT_TYPES: EventTypes<RetentionEvent> = {
  'retention-set.v1': true,
  'hold-placed.v1': true,
  'hold-released.v1': true,
};
