import type { DestroyedKeys, Opened } from '../inference/index.js';
import type { EventsOf, EventTypes } from '../decider.js';
import type { DatasetType, PinnedObject } from '../dataset/index.js';

// Type aliases rather than interfaces: only those are assignable to JSON.

/** The kind of rows, which is also the type of the resulting dataset. */
export type GenerationTask = DatasetType;

export type FieldType = 'string' | 'number' | 'boolean' | 'list';

export type FieldSpec = {
  readonly name: string;
  readonly type: FieldType;
  readonly description: string | null;
  /** The only values that the field may have; null: any value. */
  readonly choices: readonly string[] | null;
};

/** A record that texts hold, with the fields that are copied from them. */
export type StructureSpec = { readonly name: string; readonly fields: readonly FieldSpec[] };

/** A directed relation, with the types of its ends if given. */
export type RelationSpec = {
  readonly name: string;
  readonly head: string | null;
  readonly tail: string | null;
  readonly description: string | null;
};

/** A labelled text as an example. */
type LabelledText = { readonly text: string; readonly label: string };

/** A request to a generator. Fields that a task does not use are null or empty. */
export type RowsRequest = {
  readonly taskType: GenerationTask;
  readonly count: number;
  readonly labels: readonly string[];
  /** Of `ner` rows; absent if none were requested. */
  readonly structures?: readonly StructureSpec[];
  readonly relations?: readonly RelationSpec[];
  readonly domainDescription: string | null;
  readonly prompt: string | null;
  readonly instruction: string | null;
  readonly fields: readonly FieldSpec[];
  readonly inputFields: readonly FieldSpec[];
  readonly outputFields: readonly FieldSpec[];
  readonly classifiedExamples: readonly LabelledText[];
  readonly seed: number;
};

export type GenerationRequester = {
  readonly kind: 'key' | 'session';
  readonly userId: string;
  readonly teamId: string;
  readonly keyId: string | null;
};

export type GenerationJobRequest = {
  readonly jobId: string;
  readonly workspaceId: string;
  readonly requestedBy: GenerationRequester;
  /** Name of the generator: the built-in one, or the id of a decoder as the caller named it. */
  readonly generator: string;
  readonly rows: RowsRequest;
  /** Name of the dataset that gets the rows as a new version; null: they are only returned. */
  readonly datasetName: string | null;
  readonly projectId: string | null;
};

/** A remark about rows that were made nevertheless. */
export type GenerationWarning = { readonly code: string; readonly message: string };

export type GeneratedRows = {
  /** JSONL in the shape that an upload of this type has. */
  readonly object: PinnedObject;
  readonly count: number;
  /** Rows made, including repetitions and invalid ones that were dropped. */
  readonly drawn: number;
  /** Share of valid rows that were kept, 0 to 1: the others were repetitions. */
  readonly distinctShare: number;
  readonly warnings: readonly GenerationWarning[];
};

export type ErasedGeneration = {
  readonly jobId: string;
  readonly workspaceId: string;
  /** The rows, which are removed; null if none were made. */
  readonly objectKey: string | null;
  /** The keys that were destroyed: of the request's texts, the reason of the failure, and the rows. */
  readonly keys: DestroyedKeys;
};

export type GenerationJobEvent = EventsOf<{
  'generation-job-requested.v1': GenerationJobRequest & { requestedAt: string } & Opened;
  'generation-job-attempt-started.v1': {
    jobId: string;
    /** Attempt number from 1. */
    attempt: number;
    /** Id of the process that began the attempt. */
    worker: string;
    startedAt: string;
  };
  /** The worker was shut down in an orderly way, or a store was away: the attempt does not count. */
  'generation-job-attempt-interrupted.v1': { jobId: string; attempt: number; interruptedAt: string };
  'generation-job-rows-made.v1': GeneratedRows & { jobId: string; attempt: number; madeAt: string };
  /** The dataset has given the rows a version, which is now processed like an upload. */
  'generation-job-version-assigned.v1': { jobId: string; versionId: string; versionNumber: number; assignedAt: string };
  'generation-job-completed.v1': { jobId: string; completedAt: string };
  /** The reason may quote rows. */
  'generation-job-failed.v1': { jobId: string; reason: string; failedAt: string } & Opened;
  /** Texts and rows of a job that made no dataset version were erased. */
  'generation-job-erased.v1': ErasedGeneration & { erasedAt: string };
}>;

export const GENERATION_JOB_EVENT_TYPES: EventTypes<GenerationJobEvent> = {
  'generation-job-requested.v1': true,
  'generation-job-attempt-started.v1': true,
  'generation-job-attempt-interrupted.v1': true,
  'generation-job-rows-made.v1': true,
  'generation-job-version-assigned.v1': true,
  'generation-job-completed.v1': true,
  'generation-job-failed.v1': true,
  'generation-job-erased.v1': true,
};
