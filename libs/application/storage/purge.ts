import { datasetDecider } from '#domain/dataset/index.js';
import type { StorageDocument } from '#projections/storage/projection.js';
import { deletedVersions, keptIn, storageDocuments } from '#projections/storage/queries.js';
import type { Application } from '../application.js';
import { systemContext } from '../context.js';
import { derivedId } from '../execute.js';

const AT_ONCE = 1000;

/**
 * Purges the oldest deleted versions once they take more than the workspace's quota. Until then they can be restored.
 * This keeps repeated uploads and deletions from filling the disk.
 */
export async function purgeBeyondQuota(application: Application, workspaceId: string): Promise<void> {
  const { readStore } = application.ports;
  const { bytes: limit } = await application.storage.limit(workspaceId);
  let kept = await keptIn(readStore, workspaceId);
  if (kept <= limit) return;
  for (const deleted of await deletedVersions(readStore, workspaceId, AT_ONCE)) {
    if (kept <= limit) return;
    await purge(application, workspaceId, deleted);
    kept -= deleted.keptBytes;
  }
}

async function purge(application: Application, workspaceId: string, { id, stream }: StorageDocument): Promise<void> {
  const context = systemContext('storage', workspaceId, derivedId(id, 'purged'));
  const command = { type: 'purge-version', workspaceId, versionId: id } as const;
  const { state } = await application.execute(datasetDecider, stream, command, context, [storageDocuments.name]);
  const version = state.versions.find(({ versionId }) => versionId === id);
  if (version?.status !== 'deleted' || version.purgedAt === undefined) return;
  await removeObjects(application, workspaceId, id);
}

/** Removes the files of versions whose purging process died before it did. @throws the signal's reason */
export async function purgeLeftovers(application: Application, signal: AbortSignal): Promise<void> {
  const filter = { types: ['dataset-version-purged.v1'] };
  for await (const { data, metadata } of application.ports.eventStore.readAll({ filter })) {
    signal.throwIfAborted();
    if (metadata.workspaceId !== null)
      await removeObjects(application, metadata.workspaceId, data['versionId'] as string);
  }
}

const removeObjects = ({ ports }: Application, workspaceId: string, versionId: string): Promise<void> =>
  ports.objectStore.deletePrefix(`datasets/${workspaceId}/${versionId}/`);
