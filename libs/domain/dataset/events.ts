import type { EventsOf, EventTypes } from '../decider.js';
import type { DestroyedKeys, Opened } from '../inference/index.js';

// Type aliases rather than interfaces: only those are assignable to JSON.

export type DatasetType = 'ner' | 'classification' | 'custom' | 'decoder' | 'records' | 'fields';
/** Heads that the rows of a version may be labelled for. */
export const HEADS = ['entities', 'classification', 'structures', 'relations', 'messages', 'preferences'] as const;
export type Head = (typeof HEADS)[number];
export type ClaimantKind = 'job' | 'evaluation';
export const DATASET_KINDS = ['training', 'benchmark'] as const;
/** `benchmark`: kept by the operator, for all workspaces to evaluate on. */
export type DatasetKind = (typeof DATASET_KINDS)[number];
export const GENERATION_TYPES = [
  'upload',
  'batch',
  'synthetic',
  'labelled',
  'merge',
  'hub',
  'feedback',
  'distilled',
] as const;
/**
 * Origin of the rows. `synthetic`: from a generator; `labelled`: given texts, labelled by a model; `merge`: from other
 * versions; `hub`: pulled from a hub; `batch`: what calls of a batch gave;
 * `feedback`: answers that people judged or corrected; `distilled`: recorded answers of a hosted model.
 */
export type GenerationType = (typeof GENERATION_TYPES)[number];
/** Purpose of a file whose rows are no examples: requests of a batch, or their answers and errors. */
export type FilePurpose = 'batch' | 'batch_output';
export const SOURCE_FORMATS = [
  'json',
  'jsonl',
  'csv',
  'tsv',
  'parquet',
  'arrow',
  'conll',
  'fasttext',
  'webanno',
  'brat',
] as const;
export type SourceFormat = (typeof SOURCE_FORMATS)[number];

export const ON_ERROR = ['fail', 'skip'] as const;
/** Whether invalid rows fail a version, or are left out of it. */
export type OnError = (typeof ON_ERROR)[number];

/** Names of the numbers 0, 1, ... in a column or in its lists; or such names for each field of its objects. */
export type LabelNames = readonly string[] | { readonly [field: string]: LabelNames };

/** An object's key, size and hash. */
export type PinnedObject = {
  readonly key: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly stored?: StoredBytes;
};

/** Size and hash of an encrypted object as stored, to verify it without the key. Absent: the object is stored unencrypted. */
export type StoredBytes = { readonly size: number; readonly sha256: string };

/** A summary of a version's rows. */
export type Contents = {
  readonly rows: number;
  /** Heads found in at least one row. */
  readonly heads: readonly Head[];
  /** Every label of every head, sorted. */
  readonly labels: readonly string[];
  readonly entityLabels: readonly string[];
  readonly classLabels: readonly string[];
  /** Structures with the fields that any row fills, and the types of relations, sorted. Absent if no row has one. */
  readonly structures?: readonly StructureShape[];
  readonly relations?: readonly string[];
  /** The classification tasks, if the rows name several, sorted; `classLabels` are those of all. Absent: one task without a name. */
  readonly classTasks?: readonly ClassTask[];
  /** Rows carry `labels` (any number each) instead of one `label`. False for rows with tasks. */
  readonly multiLabel: boolean;
  /** Some row describes tools that the assistant may call. Absent: none does. */
  readonly hasTools?: boolean;
  readonly format: SourceFormat;
  /**
   * Container of the rows in the file, in words: `CSV separated by semicolons, in a zip archive`. Absent if it is
   * obvious.
   */
  readonly container?: string;
  /** Keys of the rows, in the order in which they first come; null when there are too many to list, absent from older events. */
  readonly columns?: readonly string[] | null;
  /** Absent if the rows were stored as they are in the file. */
  readonly reading?: LayoutReading;
};

/** The reading of rows in the layout of another tool. */
export type LayoutReading = {
  readonly layout: string;
  /** Rows of the file. */
  readonly rows: number;
  /** Counts of rows left out or interpreted differently, such as `without annotations`. */
  readonly notes: readonly { readonly what: string; readonly count: number }[];
};

/** Keys that an answer has for entities, for the class of a trained model, and for relations: no structure has such a name. */
export const TAKEN_STRUCTURE_NAMES: readonly string[] = ['entities', 'classification', 'relation_extraction'];

/** One of several classification tasks, each answered by itself. */
export type ClassTask = {
  readonly name: string;
  /** Sorted. */
  readonly labels: readonly string[];
  /** Rows have a list for the task, with any number of labels, instead of one. */
  readonly multiLabel: boolean;
};

export const MAX_TASKS = 32;

/** Names of heads, and keys that an answer has for something else: no task has such a name, by which it is a head of its own. */
export const TAKEN_TASK_NAMES: readonly string[] = [...HEADS, 'relation_extraction', '__proto__'];

export type StructureShape = {
  readonly name: string;
  readonly fields: readonly {
    readonly name: string;
    /** `list`: some row has several values there. */
    readonly dtype: 'str' | 'list';
  }[];
};

export type RowError = {
  /** Row number from 1. */
  readonly row: number;
  /** Empty if the error concerns the whole row. */
  readonly field: string;
  readonly reason: string;
};

export type RowErrors = {
  readonly total: number;
  /** The first 100, of each kind at most 20. */
  readonly rows: readonly RowError[];
  /** Absent from older events. */
  readonly reasons?: readonly RowReason[];
};

/** Errors of one kind. */
export type RowReason = {
  /** As of the first row; `…` stands for what differs between the rows. */
  readonly reason: string;
  readonly rows: number;
  /** Row number from 1. */
  readonly firstRow: number;
};

/** Rows of the file that the version does not have. */
export type LeftOut = {
  /** A row that gives several is left out in part. */
  readonly rows: number;
  /** Those of them without a label, among rows that have one: they count as no error. */
  readonly unlabelled: number;
  /** Rows of the file. */
  readonly of: number;
  /** The first kinds. */
  readonly reasons: readonly RowReason[];
  /** The first of these rows, as lines of `{row, reason, data}`. */
  readonly list: PinnedObject;
  /** Rows in `list`. */
  readonly listed: number;
};

export type VersionInitialized = {
  readonly versionId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly versionNumber: number;
  readonly datasetType: DatasetType;
  readonly kind: DatasetKind;
  readonly generationType: GenerationType;
  /** The format that the client named; null: detect it from the content. */
  readonly format: SourceFormat | null;
  /** The layout of the rows that the client named. Absent: detected from the rows. */
  readonly layout?: string;
  readonly fileName: string | null;
  /** Our field -> the file's column. */
  readonly columnMapping: Readonly<Record<string, string>>;
  /** The file's columns of numbers that stand for names. Absent: only those that the file itself declares. */
  readonly labelNames?: Readonly<Record<string, LabelNames>>;
  /** Absent: up to 5 of 100 rows of an uploaded file may be left out. */
  readonly onError?: OnError;
  readonly projectId: string | null;
  readonly uploadKey: string;
  /** Absent: examples. */
  readonly purpose?: FilePurpose;
  /** The version that the feedback rows were merged with. Absent: none. */
  readonly mergedWith?: VersionReference;
  readonly initializedAt: string;
};

/** How the file of a version is read, as its request says. */
export type FileReading = {
  readonly datasetType: DatasetType;
  readonly format: SourceFormat | null;
  readonly layout?: string;
  readonly columnMapping: Readonly<Record<string, string>>;
  readonly labelNames?: Readonly<Record<string, LabelNames>>;
  readonly onError?: OnError;
};

export type VersionReference = { readonly name: string; readonly versionNumber: number; readonly versionId: string };

/** A version whose rows go into another one, as it was at the request. */
export type MergeSource = {
  readonly name: string;
  readonly versionNumber: number;
  readonly versionId: string;
  readonly rows: number;
  readonly object: PinnedObject;
};

/** The files of a hub repository that hold the rows, at one commit. */
export type HubSource = {
  readonly repoId: string;
  /** The requested revision; null: the default branch. */
  readonly revision: string | null;
  /** The commit of that revision at the time: 40 hexadecimal digits. */
  readonly commit: string;
  readonly config: string;
  readonly split: string;
  /** Files in the order of their rows. */
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** The format of each of several files that the client named. Absent: detected for each file. */
  readonly format?: SourceFormat;
  /** A client's token is sealed in coordination until the work ends. */
  readonly withToken: boolean;
};

export type VersionPushed = {
  /** Id of this push: pushing the same rows twice may give the same commit. */
  readonly pushId: string;
  readonly versionId: string;
  readonly repoId: string;
  /** The hub's id of the commit. */
  readonly commit: string;
  readonly url: string;
  readonly isNewRepository: boolean;
  readonly pushedAt: string;
};

/** What people say of a version's rows: plain texts, each null if nothing is said. */
export type VersionDescription = {
  /** What they are for. */
  readonly purpose: string | null;
  /** Where they come from. */
  readonly source: string | null;
  /** An SPDX id, such as `CC-BY-4.0`, or another text. */
  readonly license: string | null;
  /** On what grounds people's data is in them. */
  readonly consent: string | null;
  /** How they are to be labelled, in lines. Absent: nothing is said. */
  readonly guidelines?: string;
};

export type VersionDescribed = VersionDescription & {
  readonly versionId: string;
  /** `key:<id>` or `user:<id>` */
  readonly describedBy: string;
  readonly describedAt: string;
};

export type DatasetEvent = EventsOf<{
  'dataset-version-initialized.v1': VersionInitialized;
  /** Directly after `initialized`: the rows will come from other versions. */
  'dataset-version-merge-requested.v1': {
    versionId: string;
    /** Sources in the order of their rows. */
    sources: readonly MergeSource[];
    /** Contents of all sources together. */
    contents: Contents;
    requestedAt: string;
  };
  /** Directly after `initialized`: the file will be fetched from a hub and then sealed like an upload. */
  'dataset-version-import-requested.v1': { versionId: string; from: HubSource; requestedAt: string };
  'dataset-version-sealed.v1': {
    versionId: string;
    source: PinnedObject;
    /** What the request that made the rows kept for its repeat. Absent: none, or not recorded. */
    collected?: PinnedObject;
    /** Chosen once the file was there, instead of what the version began with. Absent: that. */
    reading?: FileReading;
    sealedAt: string;
  };
  'dataset-version-conversion-started.v1': {
    versionId: string;
    /** Attempt number from 1. */
    attempt: number;
    /** Id of the process that began the attempt. */
    worker: string;
    startedAt: string;
  };
  'dataset-version-validation-started.v1': { versionId: string; attempt: number; startedAt: string };
  /** The processing role was shut down in an orderly way: the attempt does not count against the file. */
  'dataset-version-processing-interrupted.v1': { versionId: string; attempt: number; interruptedAt: string };
  'dataset-version-ready.v1': {
    versionId: string;
    contents: Contents;
    object: PinnedObject;
    /** Offsets of its rows. Absent in older events. */
    index?: PinnedObject;
    /** Absent: none. */
    leftOut?: Omit<LeftOut, 'reasons'> & Partial<Pick<LeftOut, 'reasons'>>;
    /** Reasons of `leftOut`, which has them itself in older events. They quote rows. */
    leftOutReasons?: readonly RowReason[];
    readyAt: string;
  } & Opened;
  /** Reason and errors quote rows. */
  'dataset-version-failed.v1': {
    versionId: string;
    reason: string;
    rowErrors: RowErrors | null;
    failedAt: string;
  } & Opened;
  'dataset-version-claimed.v1': {
    versionId: string;
    claimantKind: ClaimantKind;
    claimantId: string;
    /** The request: a version number, or the newest ready version. */
    requested: number | 'latest';
    claimedAt: string;
  };
  'dataset-claims-released.v1': {
    versionIds: readonly string[];
    claimantKind: ClaimantKind;
    claimantId: string;
    releasedAt: string;
  };
  'dataset-version-deleted.v1': { versionId: string; deletedAt: string };
  /** The version returns to its state before the deletion. */
  'dataset-version-restored.v1': { versionId: string; restoredAt: string };
  /** The deleted version can no longer be restored: its stored files were removed. */
  'dataset-version-purged.v1': {
    versionId: string;
    purgedAt: string;
    /** Present if somebody requested it; absent if it was purged for room. */
    erased?: true;
    /** Removed objects outside of the version's own folder. Absent: none. */
    objects?: readonly string[];
    /** Keys of the rows that a requested removal destroyed. Absent: none, or an older event. */
    keys?: DestroyedKeys;
    /** Id of the key of what the log quotes of the rows, which is destroyed. Absent: it quotes nothing, or unencrypted. */
    contentKey?: string;
  };
  /** The rows were pushed to a hub. */
  'dataset-version-pushed.v1': VersionPushed;
  /** All that is said of the version from now on. Its rows stay as they were sealed. */
  'dataset-version-described.v1': VersionDescribed;
}>;

/** An event about one version: every type except the release of claims, which concerns several versions. */
export type DatasetVersionEvent = Extract<DatasetEvent, { readonly data: { readonly versionId: string } }>;

export const DATASET_EVENT_TYPES: EventTypes<DatasetEvent> = {
  'dataset-version-initialized.v1': true,
  'dataset-version-merge-requested.v1': true,
  'dataset-version-import-requested.v1': true,
  'dataset-version-sealed.v1': true,
  'dataset-version-conversion-started.v1': true,
  'dataset-version-validation-started.v1': true,
  'dataset-version-processing-interrupted.v1': true,
  'dataset-version-ready.v1': true,
  'dataset-version-failed.v1': true,
  'dataset-version-claimed.v1': true,
  'dataset-claims-released.v1': true,
  'dataset-version-deleted.v1': true,
  'dataset-version-restored.v1': true,
  'dataset-version-purged.v1': true,
  'dataset-version-pushed.v1': true,
  'dataset-version-described.v1': true,
};
