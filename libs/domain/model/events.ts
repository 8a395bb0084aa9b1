import type { EventsOf, EventTypes } from '../decider.js';
import type { DriftBaseline, DriftMeasure } from '../drift/index.js';
import type { JsonObject } from '../json.js';

// Type aliases rather than interfaces: only those are assignable to JSON.

/** The model of a workspace whose name a stream is about. */
type Named = {
  /** Id of the stream, derived from workspace and name. */
  readonly modelId: string;
  readonly workspaceId: string;
  readonly name: string;
  /** Actor of the event's metadata: `key:<id>`, `user:<id>` or a process. */
  readonly actor: string;
  readonly at: string;
};

/** Source of a version: a training job of the workspace, or a model of the catalog. */
export type VersionSource = {
  /** Id by which the version's model is called without the name: of the job, or of the catalog. */
  readonly target: string;
  /** null: a model of the catalog. */
  readonly trainingJobId: string | null;
  /** Catalog id of the model that runs. */
  readonly baseModel: string;
  /** The distillation that made it; absent from all others. */
  readonly distillationId?: string;
};

export type Traffic = {
  readonly version: number;
  /** Share of callers, 1 to 100, whose calls of the bare name go to this version. */
  readonly percent: number;
};

/** Distance of a week of a version's calls from the counts that it is compared with. */
export type DriftSeen = {
  readonly version: number;
  /** ISO 8601: `2030-W01`. */
  readonly week: string;
  readonly measure: DriftMeasure;
  readonly against: DriftBaseline;
  /** Population stability index, and the bound of the policy that it has reached. */
  readonly psi: number;
  readonly bound: number;
};

export type ModelEvent = EventsOf<{
  /** By a training that has this name, then once more by the person who claims it: the versions stay. */
  'model-created.v1': Named & {
    readonly description: string | null;
    /** The training whose name it is. Absent: a person gave the name. */
    readonly trainingJobId?: string;
  };
  'model-version-added.v1': Named & VersionSource & { readonly version: number };
  'model-version-promoted.v1': Named & {
    readonly version: number;
    /** The version in use before; null: none. */
    readonly previous: number | null;
    readonly rollback: boolean;
    readonly reason: string;
  };
  'model-label-set.v1': Named & {
    readonly label: string;
    readonly version: number;
    readonly previous: number | null;
    readonly reason: string | null;
  };
  'model-label-removed.v1': Named & { readonly label: string; readonly previous: number };
  'model-traffic-set.v1': Named & {
    /** null: all calls go to the version in use. */
    readonly traffic: Traffic | null;
    readonly reason: string | null;
  };
  'model-shadow-set.v1': Named & {
    /** The version that answers calls of the name as a shadow; null: none. */
    readonly version: number | null;
    readonly reason: string | null;
  };
  'model-policy-set.v1': Named & { readonly policy: JsonObject | null };
  /** Once for a version, a week and a measure. */
  'drift-detected.v1': Named & DriftSeen;
  'model-deleted.v1': Named;
}>;

export const MODEL_EVENT_TYPES: EventTypes<ModelEvent> = {
  'model-created.v1': true,
  'model-version-added.v1': true,
  'model-version-promoted.v1': true,
  'model-label-set.v1': true,
  'model-label-removed.v1': true,
  'model-traffic-set.v1': true,
  'model-shadow-set.v1': true,
  'model-policy-set.v1': true,
  'drift-detected.v1': true,
  'model-deleted.v1': true,
};
