import { datasetDecider, type DatasetState, type DatasetVersion } from '#domain/dataset/index.js';
import { holdOn, retentionDecider } from '#domain/retention/index.js';
import type { StorageDocument } from '#projections/storage/projection.js';
import { deletedVersions, keptIn, storageDocuments } from '#projections/storage/queries.js';
import type { Application } from '../application.js';
import { keysOfGeneration } from './generation-keys.js';
import { systemContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';

const MAX_AT_ONCE = 1000;

interface PurgedVersion {
  readonly versionId: string;
  /** In addition to those in its own folder. */
  readonly objects?: readonly string[] | undefined;
  readonly contentKey?: string | undefined;
}

/**
 * Purges the oldest deleted versions once they exceed the workspace's quota. Until then they can be restored. So
 * repeated uploads and deletions cannot fill the disk. Versions under a hold stay.
 */
export async function purgeBeyondQuota(application: Application, workspaceId: string): Promise<void> {
  const { readStore } = application.ports;
  const { bytes: limit } = await application.storage.limit(workspaceId);
  let kept = await keptIn(readStore, workspaceId);
  if (kept <= limit) return;
  for (const deleted of await deletedVersions(readStore, workspaceId, MAX_AT_ONCE)) {
    if (kept <= limit) return;
    if (await purge(application, workspaceId, deleted)) kept -= deleted.keptBytes;
  }
}

/** @returns whether all its data are removed; false for a version under a hold */
async function purge(application: Application, workspaceId: string, { id, stream }: StorageDocument): Promise<boolean> {
  const ofId = ({ versions }: DatasetState) => versions.find(({ versionId }) => versionId === id)!;
  const { name, versionNumber: version } = ofId(await application.load(datasetDecider, stream));
  const retention = await application.load(retentionDecider, workspaceId);
  if (holdOn(retention, { kind: 'dataset', name, version })) return false;
  const context = systemContext('storage', workspaceId, derivedId(id, 'purged'));
  const command = { type: 'purge-version', workspaceId, versionId: id } as const;
  const { state } = await application.execute(datasetDecider, stream, command, context, [storageDocuments.collection]);
  await removePurged(application, ofId(state));
  return true;
}

/** Removes the files of a version that is marked as purged. */
export async function removePurged(application: Application, version: DatasetVersion): Promise<void> {
  if (version.status !== 'deleted' || version.purgedAt === undefined) return;
  await removeStored(application, version.workspaceId, version);
}

/** Removes the files of versions whose purging process died before it did. @throws the signal's reason */
export async function purgeLeftovers(application: Application, signal: AbortSignal): Promise<void> {
  const filter = { types: ['dataset-version-purged.v1'] };
  for await (const { data, metadata } of application.ports.eventStore.readAll({ filter })) {
    signal.throwIfAborted();
    if (metadata.workspaceId !== null)
      await removeStored(application, metadata.workspaceId, data as unknown as PurgedVersion);
  }
}

async function removeStored(
  application: Application,
  workspaceId: string,
  { versionId, objects = [], contentKey }: PurgedVersion,
): Promise<void> {
  const { objectStore } = application.ports;
  const keys = [...(contentKey === undefined ? [] : [contentKey]), ...(await keysOfGeneration(application, objects))];
  if (keys.length > 0) await application.contentKeys?.destroy(keys);
  await objectStore.deletePrefix(`datasets/${workspaceId}/${versionId}/`);
  for (const key of objects) await objectStore.delete(key);
}
