import type { Env } from '../decider.js';
import { ConflictError, NotFoundError } from '../errors.js';
import { refuseWhileClaimed } from './claims.js';
import type { CommandOf } from './commands.js';
import type { DatasetEvent } from './events.js';
import type { DatasetState, DatasetVersion } from './state.js';
import { versionById } from './versions.js';

/** Soft: its number stays taken and its rows stay where they are. */
export function deleteVersion(
  command: CommandOf<'delete-version'>,
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

export function deleteDataset(
  command: CommandOf<'delete-dataset'>,
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

/**
 * Takes deletions back. What was still being made when it was deleted stays so: nobody goes on with it.
 * @throws NotFoundError, ConflictError for a version that was not ready
 */
export function restore(
  { name, requested }: CommandOf<'restore-versions'>,
  state: DatasetState,
  env: Env,
): readonly DatasetEvent[] {
  const asked = state.versions.filter(({ versionNumber }) => requested === 'all' || versionNumber === requested);
  if (asked.length === 0)
    throw requested === 'all'
      ? new NotFoundError('dataset', name)
      : new NotFoundError('dataset version', `${name}/${requested}`);
  const deleted = asked.filter(isDeleted);
  const restored = deleted.filter(({ before }) => before.status === 'ready');
  // With nothing else there, what was asked for is one of those.
  if (deleted.length === asked.length && restored.length === 0)
    throw new ConflictError(
      `version ${deleted[0]!.versionNumber} of dataset ${JSON.stringify(name)} was ${deleted[0]!.before.status} when it ` +
        'was deleted; only ready versions are restored',
    );
  return restored.map(({ versionId }) => ({
    type: 'dataset-version-restored.v1',
    data: { versionId, restoredAt: env.now },
  }));
}

const isDeleted = (version: DatasetVersion): version is Extract<DatasetVersion, { status: 'deleted' }> =>
  version.status === 'deleted';
