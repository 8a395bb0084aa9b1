import type { Decider, Env } from '../decider.js';
import { ConflictError, InvalidError, NotFoundError } from '../errors.js';
import type {
  ClaimantKind,
  Contents,
  DatasetEvent,
  DatasetType,
  GenerationType,
  PinnedObject,
  RowErrors,
  SourceFormat,
} from './events.js';
import { newVersionId } from './ids.js';
import { evolve, initialDataset, isBy, type DatasetState, type DatasetVersion } from './state.js';
import { readableVersion, versionById, type VersionRequest } from './versions.js';

/** A file that kills the process that reads it is given up after so many attempts. */
export const PROCESSING_ATTEMPTS = 3;

export const DATASET_NAME = /^[A-Za-z0-9._ -]{1,128}$/;

export type DatasetCommand =
  | {
      readonly type: 'initialize-version';
      readonly workspaceId: string;
      readonly name: string;
      readonly datasetType: DatasetType;
      readonly format: SourceFormat | null;
      readonly fileName: string | null;
      readonly columnMapping: Readonly<Record<string, string>>;
      readonly projectId: string | null;
      /** Default: `upload`. */
      readonly generationType?: GenerationType;
    }
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
  | { readonly type: 'delete-dataset'; readonly name: string };

interface OfVersion {
  readonly workspaceId: string;
  readonly versionId: string;
}

interface Claimant {
  readonly claimantKind: ClaimantKind;
  readonly claimantId: string;
}

/**
 * All versions of one dataset. Its stream holds about five events a version and two a job or evaluation. Nothing is
 * refused beyond the bound of 1,000 in the table of streams (versions are promised to be unlimited): a command reads the
 * stream once, so the cost past it is a slower command, in proportion.
 */
export const datasetDecider: Decider<DatasetCommand, DatasetEvent, DatasetState> = {
  category: 'dataset',
  initial: initialDataset,
  decide,
  evolve,
};

function decide(command: DatasetCommand, state: DatasetState, env: Env): readonly DatasetEvent[] {
  switch (command.type) {
    case 'initialize-version':
      return initialize(command, state, env);
    case 'claim-version':
      return claim(command, state, env);
    case 'release-claims':
      return release(command, state, env);
    case 'delete-version':
      return deleteVersion(command, state, env);
    case 'delete-dataset':
      return deleteDataset(command, state, env);
    case 'seal-version':
    case 'start-conversion':
    case 'start-validation':
    case 'interrupt-processing':
    case 'complete-version':
    case 'fail-version':
      return advance(command, versionById(state, command.versionId, command.workspaceId), env);
  }
}

function initialize(
  command: Extract<DatasetCommand, { type: 'initialize-version' }>,
  state: DatasetState,
  env: Env,
): readonly DatasetEvent[] {
  if (!DATASET_NAME.test(command.name))
    throw new InvalidError({
      path: ['body', 'dataset_name'],
      message: 'must be 1 to 128 letters, digits, spaces or any of . _ -',
      type: 'out_of_range',
    });
  const versionId = newVersionId(env);
  if (state.versions.some((version) => version.versionId === versionId)) return [];
  const { type: _, ...fields } = command;
  // Deleted versions stay in the list, so their numbers are never given out again.
  const versionNumber = 1 + Math.max(0, ...state.versions.map((version) => version.versionNumber));
  const uploadKey = `uploads/${command.workspaceId}/${versionId}`;
  const kind = 'training' as const;
  const generationType = command.generationType ?? 'upload';
  const data = { ...fields, versionId, versionNumber, uploadKey, kind, generationType };
  return [{ type: 'dataset-version-initialized.v1', data: { ...data, initializedAt: env.now } }];
}

type Advance = Extract<DatasetCommand, { versionId: string }>;

/** The steps of one version, each from the state before it; a step that was taken already is taken no more. */
function advance(
  command: Exclude<Advance, { type: 'delete-version' }>,
  version: DatasetVersion,
  env: Env,
): readonly DatasetEvent[] {
  const { versionId } = version;
  switch (command.type) {
    case 'seal-version':
      if (version.status !== 'initialized') return [];
      return [{ type: 'dataset-version-sealed.v1', data: { versionId, source: command.source, sealedAt: env.now } }];
    case 'start-conversion': {
      const { attempt, worker } = command;
      if (!('attempt' in version) || version.attempt !== attempt - 1) {
        if ('worker' in version && version.attempt === attempt && version.worker === worker) return [];
        throw new ConflictError(`version ${versionId} is ${version.status}; attempt ${attempt} is not the next one`);
      }
      const started = { versionId, attempt, worker, startedAt: env.now };
      return [{ type: 'dataset-version-conversion-started.v1', data: started }];
    }
    case 'start-validation':
      if (version.status !== 'converting' || version.attempt !== command.attempt) return [];
      return [
        {
          type: 'dataset-version-validation-started.v1',
          data: { versionId, attempt: command.attempt, startedAt: env.now },
        },
      ];
    case 'interrupt-processing':
      if (!isInAttempt(version, command.attempt)) return [];
      return [
        {
          type: 'dataset-version-processing-interrupted.v1',
          data: { versionId, attempt: command.attempt, interruptedAt: env.now },
        },
      ];
    case 'complete-version': {
      if (version.status !== 'validating' || version.attempt !== command.attempt) return [];
      const { contents, object } = command;
      return [{ type: 'dataset-version-ready.v1', data: { versionId, contents, object, readyAt: env.now } }];
    }
    case 'fail-version': {
      if (!isInAttempt(version, command.attempt)) return [];
      const { reason, rowErrors } = command;
      return [{ type: 'dataset-version-failed.v1', data: { versionId, reason, rowErrors, failedAt: env.now } }];
    }
  }
}

const isInAttempt = (version: DatasetVersion, attempt: number): boolean =>
  (version.status === 'converting' || version.status === 'validating') && version.attempt === attempt;

function claim(
  command: Extract<DatasetCommand, { type: 'claim-version' }>,
  state: DatasetState,
  env: Env,
): readonly DatasetEvent[] {
  const { claimantKind, claimantId, requested } = command;
  const own = state.claims.find((claim) => isBy(claim, command) && claim.requested === requested);
  if (own) return [];
  const versions = state.versions.filter((version) => version.workspaceId === command.workspaceId);
  const { versionId } = readableVersion(versions, command.name, requested);
  const claimed = { versionId, claimantKind, claimantId, requested, claimedAt: env.now };
  return [{ type: 'dataset-version-claimed.v1', data: claimed }];
}

function release(
  command: Extract<DatasetCommand, { type: 'release-claims' }>,
  state: DatasetState,
  env: Env,
): readonly DatasetEvent[] {
  const { claimantKind, claimantId } = command;
  const own = state.claims.filter((claim) => isBy(claim, command));
  if (own.length === 0) return [];
  const versionIds = [...new Set(own.map((claim) => claim.versionId))];
  const released = { versionIds, claimantKind, claimantId, releasedAt: env.now };
  return [{ type: 'dataset-claims-released.v1', data: released }];
}

function deleteVersion(
  command: Extract<DatasetCommand, { type: 'delete-version' }>,
  state: DatasetState,
  env: Env,
): readonly DatasetEvent[] {
  const { versionId } = command;
  const deleted = state.versions.some((version) => version.versionId === versionId && version.status === 'deleted');
  if (deleted) return [];
  const version = versionById(state, versionId, command.workspaceId);
  refuseWhileClaimed(state, [version]);
  return [{ type: 'dataset-version-deleted.v1', data: { versionId, deletedAt: env.now } }];
}

function deleteDataset(
  command: Extract<DatasetCommand, { type: 'delete-dataset' }>,
  state: DatasetState,
  env: Env,
): readonly DatasetEvent[] {
  const present = state.versions.filter((version) => version.status !== 'deleted');
  if (state.versions.length === 0) throw new NotFoundError('dataset', command.name);
  if (present.length === 0) return [];
  refuseWhileClaimed(state, present);
  return present.map(({ versionId }) => ({
    type: 'dataset-version-deleted.v1',
    data: { versionId, deletedAt: env.now },
  }));
}

function refuseWhileClaimed(state: DatasetState, versions: readonly DatasetVersion[]): void {
  for (const { versionId, name, versionNumber } of versions) {
    const claim = state.claims.find((candidate) => candidate.versionId === versionId);
    if (claim === undefined) continue;
    const claimant = claim.claimantKind === 'job' ? 'training job' : 'evaluation';
    throw new ConflictError(
      `version ${versionNumber} of dataset ${JSON.stringify(name)} is in use by ${claimant} ${claim.claimantId}; ` +
        'wait until it has ended, or stop it',
    );
  }
}
