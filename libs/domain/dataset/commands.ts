import type { CommandsOf } from '../decider.js';
import type { DestroyedKeys } from '../inference/index.js';
import type {
  ClaimantKind,
  Contents,
  DatasetKind,
  DatasetType,
  FilePurpose,
  FileReading,
  GenerationType,
  HubSource,
  LabelNames,
  LeftOut,
  MergeSource,
  OnError,
  PinnedObject,
  RowErrors,
  SourceFormat,
  VersionDescription,
  VersionPushed,
  VersionReference,
} from './events.js';
import type { VersionRequest } from './versions.js';

/** What a change says of a version's rows. Absent: as before; null: nothing any more. */
export type GivenDescription = { readonly [Field in keyof VersionDescription]?: string | null };

export type DatasetCommand = CommandsOf<{
  'initialize-version': NewVersion & {
    /** Default: `upload`. */
    generationType?: GenerationType;
    /** Default: `training`. */
    kind?: DatasetKind;
    /** Default: examples. */
    purpose?: FilePurpose;
    /** Default: none. */
    mergedWith?: VersionReference;
    /** Default: nothing is said. `by`: the actor. */
    described?: { description: GivenDescription; by: string };
  };
  /** Begins a version with the rows of others. */
  'merge-versions': NewVersion & { sources: readonly MergeSource[]; contents: Contents };
  'complete-merge': OfVersion & { object: PinnedObject; index?: PinnedObject };
  /** A new version whose file comes from a hub; it is then sealed as an upload is. */
  'import-version': NewVersion & { from: HubSource };
  /** The merge or import cannot be done, or the upload does not come. */
  'abandon-version': OfVersion & { reason: string };
  'seal-version': OfVersion & {
    source: PinnedObject;
    collected?: PinnedObject;
    /** Default: as the version began. */
    reading?: FileReading;
  };
  'start-conversion': OfVersion & { attempt: number; worker: string };
  'start-validation': OfVersion & { attempt: number };
  'interrupt-processing': OfVersion & { attempt: number };
  'complete-version': OfVersion & {
    attempt: number;
    contents: Contents;
    object: PinnedObject;
    index?: PinnedObject;
    leftOut?: LeftOut;
  };
  'fail-version': OfVersion & {
    /** The attempt that ended; a later attempt is not affected. */
    attempt: number;
    reason: string;
    rowErrors: RowErrors | null;
  };
  'claim-version': Claimant & { workspaceId: string; name: string; requested: VersionRequest };
  'release-claims': Claimant;
  'delete-version': OfVersion;
  'delete-dataset': { name: string };
  /** Marks everything of a deleted version as removed. */
  'purge-version': OfVersion;
  /** Deletes a version unless it is deleted already, and marks all its stored data as removed. `keys`: those of its rows, which are destroyed next. */
  'erase-version': OfVersion & { keys?: DestroyedKeys };
  /** Records a push to a hub. */
  'record-push': OfVersion & Omit<VersionPushed, 'pushId' | 'versionId' | 'pushedAt'>;
  /** Changes what is said of a version. `by`: the actor. */
  'describe-version': OfVersion & { description: GivenDescription; by: string };
  'restore-versions': {
    name: string;
    /** `all`: the versions that were ready when they were deleted. */
    requested: number | 'all';
  };
}>;

export type CommandOf<Type extends DatasetCommand['type']> = Extract<DatasetCommand, { type: Type }>;

interface NewVersion {
  readonly workspaceId: string;
  readonly name: string;
  readonly datasetType: DatasetType;
  readonly format: SourceFormat | null;
  /** Absent: the rows decide. */
  readonly layout?: string;
  readonly fileName: string | null;
  readonly columnMapping: Readonly<Record<string, string>>;
  /** Default: none. */
  readonly labelNames?: Readonly<Record<string, LabelNames>>;
  /** Absent: a few rows may be left out. */
  readonly onError?: OnError;
  readonly projectId: string | null;
}

interface OfVersion {
  readonly workspaceId: string;
  readonly versionId: string;
}

interface Claimant {
  readonly claimantKind: ClaimantKind;
  readonly claimantId: string;
}
