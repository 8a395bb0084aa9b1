import type {
  ClaimantKind,
  Contents,
  DatasetKind,
  DatasetType,
  GenerationType,
  HubSource,
  MergeSource,
  PinnedObject,
  RowErrors,
  SourceFormat,
  VersionPushed,
} from './events.js';
import type { VersionRequest } from './versions.js';

export type DatasetCommand =
  | (NewVersion & {
      readonly type: 'initialize-version';
      /** Default: `upload`. */
      readonly generationType?: GenerationType;
      /** Default: `training`. */
      readonly kind?: DatasetKind;
    })
  /** Begins a version with the rows of others. */
  | (NewVersion & {
      readonly type: 'merge-versions';
      readonly sources: readonly MergeSource[];
      readonly contents: Contents;
    })
  | (OfVersion & { readonly type: 'complete-merge'; readonly object: PinnedObject })
  /** A new version whose file comes from a hub; it is then sealed as an upload is. */
  | (NewVersion & { readonly type: 'import-version'; readonly from: HubSource })
  /** The merge or import cannot be done, or the upload does not come. */
  | (OfVersion & { readonly type: 'abandon-version'; readonly reason: string })
  | (OfVersion & { readonly type: 'seal-version'; readonly source: PinnedObject })
  | (OfVersion & { readonly type: 'start-conversion'; readonly attempt: number; readonly worker: string })
  | (OfVersion & { readonly type: 'start-validation'; readonly attempt: number })
  | (OfVersion & { readonly type: 'interrupt-processing'; readonly attempt: number })
  | (OfVersion & {
      readonly type: 'complete-version';
      readonly attempt: number;
      readonly contents: Contents;
      readonly object: PinnedObject;
    })
  | (OfVersion & {
      readonly type: 'fail-version';
      /** The attempt that ended so; a later one is not touched. */
      readonly attempt: number;
      readonly reason: string;
      readonly rowErrors: RowErrors | null;
    })
  | (Claimant & {
      readonly type: 'claim-version';
      readonly workspaceId: string;
      readonly name: string;
      readonly requested: VersionRequest;
    })
  | (Claimant & { readonly type: 'release-claims' })
  | (OfVersion & { readonly type: 'delete-version' })
  | { readonly type: 'delete-dataset'; readonly name: string }
  /** Marks everything of a deleted version as removed. */
  | (OfVersion & { readonly type: 'purge-version' })
  /** Records a push to a hub. */
  | (OfVersion & { readonly type: 'record-push' } & Omit<VersionPushed, 'pushId' | 'versionId' | 'pushedAt'>)
  | {
      readonly type: 'restore-versions';
      readonly name: string;
      /** `all`: the versions that were ready when they were deleted. */
      readonly requested: number | 'all';
    };

export type CommandOf<Type extends DatasetCommand['type']> = Extract<DatasetCommand, { type: Type }>;

interface NewVersion {
  readonly workspaceId: string;
  readonly name: string;
  readonly datasetType: DatasetType;
  readonly format: SourceFormat | null;
  readonly fileName: string | null;
  readonly columnMapping: Readonly<Record<string, string>>;
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
