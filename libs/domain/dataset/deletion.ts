import type { Env } from '../decider.js';
import { ConflictError, NotFoundError } from '../errors.js';
import { refuseWhileClaimed } from './claims.js';
import type { CommandOf } from './commands.js';
import type { DatasetEvent } from './events.js';
import type { DatasetState, DatasetVersion } from './state.js';
import { versionById } from './versions.js';

/** Soft: its number stays taken, and its rows stay in place. */
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
  return [deletedVersion(versionId, env)];
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
  return present.map(({ versionId }) => deletedVersion(versionId, env));
}

/** Does nothing for a version that was restored since. */
export function purgeVersion(
  { versionId }: CommandOf<'purge-version'>,
  state: DatasetState,
  env: Env,
): readonly DatasetEvent[] {
  const version = state.versions.find((candidate) => candidate.versionId === versionId);
  if (version === undefined || !isDeleted(version) || version.purgedAt !== undefined) return [];
  return [purgedVersion(version, env)];
}

/**
 * Nothing of the version can be restored afterwards. Does nothing for a version without stored data.
 * @throws NotFoundError; ConflictError while a job or an evaluation uses it
 */
export function eraseVersion(
  { versionId, workspaceId, keys = [] }: CommandOf<'erase-version'>,
  state: DatasetState,
  env: Env,
): readonly DatasetEvent[] {
  const version = state.versions.find((candidate) => candidate.versionId === versionId);
  if (version?.workspaceId !== workspaceId) throw new NotFoundError('dataset', versionId);
  if (isDeleted(version) && version.purgedAt !== undefined) return [];
  refuseWhileClaimed(state, [version]);
  const purged = purgedVersion(version, env);
  return [
    ...(isDeleted(version) ? [] : [deletedVersion(versionId, env)]),
    { ...purged, data: { ...purged.data, erased: true, ...(keys.length > 0 && { keys }) } },
  ];
}

type Purged = Extract<DatasetEvent, { type: 'dataset-version-purged.v1' }>;

function purgedVersion(version: DatasetVersion, env: Env): Purged {
  const { versionId } = version;
  const objects = objectsElsewhere(version);
  const contentKey = keyOfQuotes(version);
  const data = {
    ...{ versionId, purgedAt: env.now, ...(objects.length > 0 && { objects }) },
    ...(contentKey !== undefined && { contentKey }),
  };
  return { type: 'dataset-version-purged.v1', data };
}

const deletedVersion = (versionId: string, env: Env): DatasetEvent => ({
  type: 'dataset-version-deleted.v1',
  data: { versionId, deletedAt: env.now },
});

/** Whether the log may quote rows of the version, unencrypted. */
export function isQuotedOpenly(version: DatasetVersion): boolean {
  const stage = isDeleted(version) ? version.before : version;
  const isQuoted = stage.status === 'failed' || (stage.status === 'ready' && stage.leftOut !== undefined);
  return isQuoted && keyOfQuotes(version) === undefined;
}

/** Id of the key of what the log quotes of the version's rows; undefined if it quotes nothing, or unencrypted. */
export function keyOfQuotes(version: DatasetVersion): string | undefined {
  const stage = isDeleted(version) ? version.before : version;
  return 'contentKey' in stage ? stage.contentKey : undefined;
}

/**
 * Rows of feedback and rows that a model labelled are stored beside the answer to their request, rows of a generator in the folder
 * of their job.
 */
export function objectsElsewhere(version: DatasetVersion): readonly string[] {
  const stage = isDeleted(version) ? version.before : version;
  const key = 'source' in stage ? stage.source?.key : undefined;
  const beside = (name: string) => [key!, `${key!.slice(0, key!.lastIndexOf('/'))}/${name}`];
  if (key?.startsWith(`datasets/${version.workspaceId}/feedback/`)) return beside('collected.json');
  if (key?.startsWith(`generation/${version.workspaceId}/labelled/`)) return beside('answer.json');
  return key?.startsWith(`generation/${version.workspaceId}/`) ? [key] : [];
}

/**
 * Restores deleted versions. A version that was deleted while it was being built stays unfinished.
 * @throws NotFoundError, ConflictError for a version that was not ready, or has no stored data any more
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
  const restored = deleted.filter(({ before, purgedAt }) => before.status === 'ready' && purgedAt === undefined);
  const [first] = deleted;
  // Every requested version is already in the requested state.
  if (first && deleted.length === asked.length && restored.length === 0) {
    const version = `version ${first.versionNumber} of dataset ${JSON.stringify(name)}`;
    throw new ConflictError(
      first.purgedAt === undefined
        ? `${version} was ${first.before.status} when it was deleted; only ready versions are restored`
        : `${version} was removed for good at ${first.purgedAt}, ${first.erased ? 'as requested' : 'to make room for later deletions'}`,
    );
  }
  return restored.map(({ versionId }) => ({
    type: 'dataset-version-restored.v1',
    data: { versionId, restoredAt: env.now },
  }));
}

const isDeleted = (version: DatasetVersion): version is Extract<DatasetVersion, { status: 'deleted' }> =>
  version.status === 'deleted';
