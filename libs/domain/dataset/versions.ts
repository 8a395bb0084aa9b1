import { ConflictError, NotFoundError } from '../errors.js';
import type { DatasetState, DatasetVersion } from './state.js';

export type ReadyVersion = Extract<DatasetVersion, { status: 'ready' }>;
export type VersionRequest = number | 'latest';

/**
 * The version to read: the one with that number, or for `latest` the newest ready one.
 * @throws NotFoundError when there is none
 * @throws ConflictError when it is not ready, naming its state
 */
export function readableVersion(
  versions: readonly DatasetVersion[],
  name: string,
  requested: VersionRequest,
): ReadyVersion {
  const present = versions.filter((version) => version.status !== 'deleted');
  const newestFirst = present.toSorted((a, b) => b.versionNumber - a.versionNumber);
  const newest = newestFirst[0];
  if (newest === undefined) throw new NotFoundError('dataset', name);
  if (requested === 'latest') {
    const ready = newestFirst.find(isReady);
    if (ready) return ready;
    throw notReady(newest, `no version of dataset ${JSON.stringify(name)} is ready; version ${newest.versionNumber}`);
  }
  const found = present.find((version) => version.versionNumber === requested);
  if (found === undefined) throw new NotFoundError('dataset version', `${name}/${requested}`);
  if (isReady(found)) return found;
  throw notReady(found, `version ${found.versionNumber} of dataset ${JSON.stringify(name)}`);
}

/** @throws NotFoundError when it does not exist, was deleted, or is of another workspace */
export function versionById(state: DatasetState, versionId: string, workspaceId: string): DatasetVersion {
  const version = state.versions.find((candidate) => candidate.versionId === versionId);
  if (version === undefined || version.status === 'deleted' || version.workspaceId !== workspaceId)
    throw new NotFoundError('dataset', versionId);
  return version;
}

const isReady = (version: DatasetVersion): version is ReadyVersion => version.status === 'ready';

/** A state by the name that clients know it by. */
type ShownStatus = Exclude<DatasetVersion['status'], 'importing' | 'merging' | 'deleted'>;

/** The status that clients see: an import counts as uploading, a merge as converting. */
export function shownStatus({ status }: Pick<DatasetVersion, 'status'>): ShownStatus {
  if (status === 'importing') return 'uploading';
  if (status === 'merging') return 'converting';
  // Deleted versions are never shown.
  return status === 'deleted' ? 'failed' : status;
}

function notReady(version: DatasetVersion, subject: string): ConflictError {
  const state = `${subject} is ${shownStatus(version)}, not ready`;
  if (version.status === 'initialized') return new ConflictError(state, { mend: 'process-upload' });
  return new ConflictError(
    `${state}; ${version.status === 'failed' ? 'upload a corrected file' : 'wait until it is ready'}`,
  );
}
