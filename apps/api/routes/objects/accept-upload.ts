import { Application } from '#application/application.js';
import {
  ObjectSealedError,
  type ServedObjectStore,
  type SignedAddress,
  type StoredObject,
} from '#ports/object-store/port.js';

/** Keys that `upload/url` gives addresses for: a workspace and a version. */
const UPLOAD = /^uploads\/([^/]+)\/([^/]+)$/;

/**
 * Stores the body of a PUT, as far as the workspace has room for it.
 * @param size of the content; null: unknown
 * @throws QuotaExceededError before anything is read if the size is known
 * @throws ObjectSealedError for a version that was processed, deleted or abandoned; else as `acceptPut`
 */
export async function acceptUpload(
  { storage, ports }: Application,
  store: ServedObjectStore,
  address: SignedAddress,
  content: AsyncIterable<Uint8Array>,
  size: number | null,
): Promise<StoredObject> {
  const [, workspaceId, versionId] = UPLOAD.exec(address.key) ?? [];
  if (workspaceId === undefined || versionId === undefined) return store.acceptPut(address, content);
  const refuseEnded = async () => {
    if (!(await storage.isOpenUpload(workspaceId, versionId))) throw new ObjectSealedError(address.key);
  };
  // Each PUT has its own reservation, because several to one address may run concurrently.
  const room = storage.reservation(workspaceId, versionId, 'put');
  // Begun only when the signature has been found good.
  async function* admitted(): AsyncGenerator<Uint8Array> {
    await refuseEnded();
    if (size !== null) await room.hold({ bytes: size, rows: 0 });
    yield* room.metered(content);
  }
  try {
    const stored = await store.acceptPut(address, admitted());
    await refuseEnded().catch(async (error: unknown) => {
      await ports.objectStore.delete(address.key);
      throw error;
    });
    await storage.reservation(workspaceId, versionId, 'upload').write({ bytes: stored.size, rows: 0 });
    return stored;
  } finally {
    await room.release();
  }
}
