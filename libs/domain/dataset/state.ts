import type { ClaimantKind, Contents, DatasetEvent, PinnedObject, RowErrors, VersionInitialized } from './events.js';

/** A dataset is its versions: one stream holds them all, so that numbers and claims have one owner. */
export interface DatasetState {
  readonly versions: readonly DatasetVersion[];
  /** Claims that stand: while one does, its version cannot be deleted. */
  readonly claims: readonly Claim[];
}

export interface Claim {
  readonly versionId: string;
  readonly claimantKind: ClaimantKind;
  readonly claimantId: string;
  readonly requested: number | 'latest';
}

export type DatasetVersion = Omit<VersionInitialized, 'initializedAt'> & {
  readonly createdAt: string;
  readonly updatedAt: string;
} & VersionStage;

export type VersionStage =
  | { readonly status: 'initialized' }
  | { readonly status: 'uploading'; readonly source: PinnedObject; readonly attempt: number }
  | {
      readonly status: 'converting' | 'validating';
      readonly source: PinnedObject;
      readonly attempt: number;
      readonly worker: string;
    }
  | {
      readonly status: 'ready';
      readonly source: PinnedObject;
      readonly contents: Contents;
      readonly object: PinnedObject;
    }
  | {
      readonly status: 'failed';
      readonly source: PinnedObject | null;
      readonly reason: string;
      readonly rowErrors: RowErrors | null;
    }
  | { readonly status: 'deleted' };

export type VersionStatus = DatasetVersion['status'];

export const initialDataset: DatasetState = { versions: [], claims: [] };

export function evolve(state: DatasetState, event: DatasetEvent): DatasetState {
  switch (event.type) {
    case 'dataset-version-initialized.v1': {
      const version = evolveVersion(null, event);
      return version === null ? state : { ...state, versions: [...state.versions, version] };
    }
    case 'dataset-version-claimed.v1': {
      const { claimedAt: _, ...claim } = event.data;
      return { ...state, claims: [...state.claims, claim] };
    }
    case 'dataset-claims-released.v1':
      return { ...state, claims: state.claims.filter((claim) => !isBy(claim, event.data)) };
    case 'dataset-version-sealed.v1':
    case 'dataset-version-conversion-started.v1':
    case 'dataset-version-validation-started.v1':
    case 'dataset-version-processing-interrupted.v1':
    case 'dataset-version-ready.v1':
    case 'dataset-version-failed.v1':
    case 'dataset-version-deleted.v1':
      return {
        ...state,
        versions: state.versions.map((version) =>
          version.versionId === event.data.versionId ? (evolveVersion(version, event) ?? version) : version,
        ),
      };
  }
}

/** One version after an event about it. Read models use this too. */
export function evolveVersion(version: DatasetVersion | null, event: DatasetEvent): DatasetVersion | null {
  if (event.type === 'dataset-version-initialized.v1') {
    const { initializedAt, ...fields } = event.data;
    return { ...fields, status: 'initialized', createdAt: initializedAt, updatedAt: initializedAt };
  }
  if (version === null || version.status === 'deleted') return version;
  switch (event.type) {
    case 'dataset-version-sealed.v1':
      return at(version, event.data.sealedAt, { status: 'uploading', source: event.data.source, attempt: 0 });
    case 'dataset-version-conversion-started.v1':
      return version.status === 'initialized' || version.status === 'failed' || version.status === 'ready'
        ? version
        : at(version, event.data.startedAt, {
            status: 'converting',
            source: version.source,
            attempt: event.data.attempt,
            worker: event.data.worker,
          });
    case 'dataset-version-validation-started.v1':
      return version.status === 'converting'
        ? at(version, event.data.startedAt, { ...stageOf(version), status: 'validating' })
        : version;
    case 'dataset-version-processing-interrupted.v1':
      return version.status === 'converting' || version.status === 'validating'
        ? at(version, event.data.interruptedAt, {
            status: 'uploading',
            source: version.source,
            attempt: event.data.attempt - 1,
          })
        : version;
    case 'dataset-version-ready.v1':
      return version.status === 'validating'
        ? at(version, event.data.readyAt, {
            status: 'ready',
            source: version.source,
            contents: event.data.contents,
            object: event.data.object,
          })
        : version;
    case 'dataset-version-failed.v1':
      return at(version, event.data.failedAt, {
        status: 'failed',
        source: 'source' in version ? version.source : null,
        reason: event.data.reason,
        rowErrors: event.data.rowErrors,
      });
    case 'dataset-version-deleted.v1':
      return at(version, event.data.deletedAt, { status: 'deleted' });
    case 'dataset-version-claimed.v1':
    case 'dataset-claims-released.v1':
      return version;
  }
}

export const isBy = (
  claim: Pick<Claim, 'claimantKind' | 'claimantId'>,
  claimant: Pick<Claim, 'claimantKind' | 'claimantId'>,
): boolean => claim.claimantKind === claimant.claimantKind && claim.claimantId === claimant.claimantId;

type InProgress = Extract<VersionStage, { status: 'converting' | 'validating' }>;
const stageOf = ({ source, attempt, worker }: InProgress) => ({ source, attempt, worker });

/** The version in another stage; nothing of the earlier stage stays. */
function at(version: DatasetVersion, updatedAt: string, stage: VersionStage): DatasetVersion {
  const { versionId, workspaceId, name, versionNumber, datasetType, kind, generationType } = version;
  const { format, fileName, columnMapping, projectId, uploadKey, createdAt } = version;
  const what = { versionId, workspaceId, name, versionNumber, datasetType, kind, generationType };
  return { ...what, format, fileName, columnMapping, projectId, uploadKey, createdAt, updatedAt, ...stage };
}
