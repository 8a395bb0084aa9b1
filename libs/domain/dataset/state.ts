import type { Folding } from '../decider.js';
import type { DestroyedKeys, Opened } from '../inference/index.js';
import type {
  ClaimantKind,
  Contents,
  DatasetEvent,
  FileReading,
  HubSource,
  LeftOut,
  MergeSource,
  PinnedObject,
  RowErrors,
  VersionDescribed,
  VersionInitialized,
  VersionPushed,
} from './events.js';

/** The versions of a dataset. One stream holds them all, so that numbers and claims are decided in one place. */
export interface DatasetState {
  readonly versions: readonly DatasetVersion[];
  /** Open claims; a claimed version cannot be deleted. */
  readonly claims: readonly Claim[];
  /** The last time that a version was pushed to a hub. */
  readonly lastPush: VersionPushed | null;
  /** Number of events in the stream. */
  readonly eventCount: number;
}

interface Claim {
  readonly versionId: string;
  readonly claimantKind: ClaimantKind;
  readonly claimantId: string;
  readonly requested: number | 'latest';
}

export type DatasetVersion = Omit<VersionInitialized, 'initializedAt'> & {
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Absent: nothing was ever said of it. */
  readonly description?: Omit<VersionDescribed, 'versionId'>;
} & VersionStage;

type VersionStage =
  | PresentStage
  | {
      readonly status: 'deleted';
      readonly before: PresentStage;
      /** When all stored data was removed; absent while the version can be restored. */
      readonly purgedAt?: string;
      /** The removal was requested. */
      readonly erased?: true;
      /** Removed objects outside its own folder. Absent: none. */
      readonly objects?: readonly string[];
      /** Keys that the removal destroyed. Absent: none, or not recorded. */
      readonly keys?: DestroyedKeys;
      readonly contentKey?: string;
    };

type PresentStage =
  | { readonly status: 'initialized' }
  /** The file is being pulled from a hub. */
  | { readonly status: 'importing'; readonly from: HubSource }
  /** The rows are being copied from other versions. */
  | { readonly status: 'merging'; readonly sources: readonly MergeSource[]; readonly contents: Contents }
  | ({ readonly status: 'uploading'; readonly source: PinnedObject; readonly attempt: number } & LostInVain)
  | ({
      readonly status: 'converting' | 'validating';
      readonly source: PinnedObject;
      readonly attempt: number;
      readonly worker: string;
    } & LostInVain)
  | {
      readonly status: 'ready';
      readonly source: PinnedObject;
      readonly contents: Contents;
      readonly object: PinnedObject;
      /** Absent: none. */
      readonly leftOut?: LeftOut;
      readonly contentKey?: string;
    }
  | {
      readonly status: 'failed';
      readonly source: PinnedObject | null;
      readonly reason: string;
      readonly rowErrors: RowErrors | null;
      readonly contentKey?: string;
    };

type LostInVain = {
  /** Attempts after which the same worker began another one, because only the process that read the file had ended. Absent: none. */
  readonly lostInVain?: number;
};

export const initialDataset: DatasetState = { versions: [], claims: [], lastPush: null, eventCount: 0 };

export function evolve(state: DatasetState, event: DatasetEvent): DatasetState {
  const folding = foldDataset(state);
  folding.add(event);
  return folding.state();
}

/** Takes each event in constant time: a stream of a thousand versions is folded for each command. */
export function foldDataset(state: DatasetState): Folding<DatasetEvent, DatasetState> {
  const versions = [...state.versions];
  const places = new Map(versions.map(({ versionId }, place) => [versionId, place]));
  const claims = new Set(state.claims);
  const held = Map.groupBy(claims, claimantOf);
  let { lastPush, eventCount } = state;
  const change = (event: VersionEvent) => {
    const place = places.get(event.data.versionId) ?? versions.length;
    const version = evolveVersion(versions[place] ?? null, event);
    if (version === null) return;
    versions[place] = version;
    places.set(version.versionId, place);
  };
  return {
    add(event) {
      eventCount += 1;
      switch (event.type) {
        case 'dataset-version-claimed.v1': {
          const { claimedAt: _, ...claim } = event.data;
          claims.add(claim);
          held.set(claimantOf(claim), [...(held.get(claimantOf(claim)) ?? []), claim]);
          return;
        }
        case 'dataset-claims-released.v1':
          for (const claim of held.get(claimantOf(event.data)) ?? []) claims.delete(claim);
          held.delete(claimantOf(event.data));
          return;
        case 'dataset-version-pushed.v1':
          lastPush = event.data;
          return;
        default:
          change(event);
      }
    },
    state: () => ({ versions: [...versions], claims: [...claims], lastPush, eventCount }),
  };
}

type VersionEvent = Exclude<
  DatasetEvent,
  { type: 'dataset-version-claimed.v1' | 'dataset-claims-released.v1' | 'dataset-version-pushed.v1' }
>;

function lostInVain(version: LostInVain, more = 0): LostInVain {
  const lost = (version.lostInVain ?? 0) + more;
  return lost === 0 ? {} : { lostInVain: lost };
}

/** Applies an event to one version; read models use it too. */
export function evolveVersion(version: DatasetVersion | null, event: DatasetEvent): DatasetVersion | null {
  if (event.type === 'dataset-version-initialized.v1') {
    const { initializedAt, ...fields } = event.data;
    return { ...fields, status: 'initialized', createdAt: initializedAt, updatedAt: initializedAt };
  }
  if (version === null) return version;
  if (version.status === 'deleted') {
    if (event.type === 'dataset-version-purged.v1') {
      const { versionId: _, ...purged } = event.data;
      return { ...version, ...purged, before: withoutQuotes(version.before, 'erased') };
    }
    return event.type === 'dataset-version-restored.v1' ? at(version, event.data.restoredAt, version.before) : version;
  }
  switch (event.type) {
    case 'dataset-version-merge-requested.v1': {
      const { sources, contents, requestedAt } = event.data;
      return at(version, requestedAt, { status: 'merging', sources, contents });
    }
    case 'dataset-version-import-requested.v1':
      return at(version, event.data.requestedAt, { status: 'importing', from: event.data.from });
    case 'dataset-version-sealed.v1': {
      const { source, reading, sealedAt } = event.data;
      return at(readAs(version, reading), sealedAt, { status: 'uploading', source, attempt: 0 });
    }
    case 'dataset-version-conversion-started.v1':
      return 'attempt' in version
        ? at(version, event.data.startedAt, {
            status: 'converting',
            source: version.source,
            attempt: event.data.attempt,
            worker: event.data.worker,
            ...lostInVain(version, 'worker' in version && version.worker === event.data.worker ? 1 : 0),
          })
        : version;
    case 'dataset-version-validation-started.v1':
      return version.status === 'converting'
        ? at(version, event.data.startedAt, { ...inProgress(version), status: 'validating' })
        : version;
    case 'dataset-version-processing-interrupted.v1':
      return version.status === 'converting' || version.status === 'validating'
        ? at(version, event.data.interruptedAt, {
            status: 'uploading',
            source: version.source,
            attempt: event.data.attempt - 1,
            ...lostInVain(version),
          })
        : version;
    case 'dataset-version-ready.v1': {
      if (version.status !== 'validating' && version.status !== 'merging') return version;
      const { contents, object, leftOut, leftOutReasons: reasons = leftOut?.reasons ?? [], readyAt } = event.data;
      // A merge has no source file.
      const source = version.status === 'validating' ? version.source : object;
      return at(version, readyAt, {
        ...{ status: 'ready', source, contents, object, ...(leftOut && { leftOut: { ...leftOut, reasons } }) },
        ...keyOf(event.data),
      });
    }
    case 'dataset-version-failed.v1':
      return at(version, event.data.failedAt, {
        status: 'failed',
        source: 'source' in version ? version.source : null,
        reason: event.data.reason,
        rowErrors: event.data.rowErrors,
        ...keyOf(event.data),
      });
    case 'dataset-version-deleted.v1':
      return at(version, event.data.deletedAt, { status: 'deleted', before: stageOf(version) });
    case 'dataset-version-described.v1': {
      const { versionId: _, ...description } = event.data;
      return { ...version, description };
    }
    case 'dataset-version-claimed.v1':
    case 'dataset-claims-released.v1':
    case 'dataset-version-restored.v1':
    case 'dataset-version-purged.v1':
    case 'dataset-version-pushed.v1':
      return version;
  }
}

export const isBy = (
  claim: Pick<Claim, 'claimantKind' | 'claimantId'>,
  claimant: Pick<Claim, 'claimantKind' | 'claimantId'>,
): boolean => claim.claimantKind === claimant.claimantKind && claim.claimantId === claimant.claimantId;

const claimantOf = ({ claimantKind, claimantId }: Pick<Claim, 'claimantKind' | 'claimantId'>): string =>
  `${claimantKind}/${claimantId}`;

/** The version whose file is read otherwise than it began with. */
function readAs(version: DatasetVersion, reading: FileReading | undefined): DatasetVersion {
  if (!reading) return version;
  const { layout: _, labelNames: __, onError: ___, ...rest } = version;
  return { ...rest, ...reading };
}

const keyOf = ({ contentKey }: Opened) => (contentKey === undefined ? {} : { contentKey });

/** Without reasons that quote rows. @param instead of the reason why it failed */
export function withoutQuotes<Stage extends VersionStage>(stage: Stage, instead: string): Stage {
  if (stage.status === 'failed') return { ...stage, reason: instead, rowErrors: null };
  if (stage.status !== 'ready' || !stage.leftOut) return stage;
  return { ...stage, leftOut: { ...stage.leftOut, reasons: [] } };
}

type InProgress = Extract<VersionStage, { status: 'converting' | 'validating' }>;
const inProgress = ({ source, attempt, worker }: InProgress) => ({ source, attempt, worker });

/** The version in another stage, without the former stage's fields. */
const at = (version: DatasetVersion, updatedAt: string, stage: VersionStage): DatasetVersion => ({
  ...split(version).fields,
  updatedAt,
  ...stage,
});

const stageOf = (version: DatasetVersion): PresentStage => split(version).stage as PresentStage;

function split(version: DatasetVersion) {
  const { versionId, workspaceId, name, versionNumber, datasetType, kind, generationType, ...rest } = version;
  const { format, layout, fileName, columnMapping, labelNames, onError, projectId, uploadKey, purpose, ...others } =
    rest;
  const { createdAt, updatedAt: _, description, ...stage } = others;
  const what = { versionId, workspaceId, name, versionNumber, datasetType, kind, generationType };
  const named = {
    ...(layout !== undefined && { layout }),
    ...(labelNames && { labelNames }),
    ...(onError && { onError }),
  };
  const file = { format, ...named, fileName, columnMapping, ...(purpose && { purpose }) };
  const said = description && { description };
  return { fields: { ...what, ...file, projectId, uploadKey, createdAt, ...said }, stage };
}
