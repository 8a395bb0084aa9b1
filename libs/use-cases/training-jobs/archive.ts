import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import type { StoredFolder } from '#domain/training-job/index.js';
import { SIGNATURE_FILE } from '#audit/model-signature.js';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import { verified } from '#ports/object-store/verified.js';

/** Files named by an event are missing or differ. */
export class DamagedWeightsError extends Error {
  override readonly name = 'DamagedWeightsError';
}

/**
 * A stored folder and its signature as one gzipped tar, streamed: only one chunk is in memory. The same files give the
 * same bytes: entries are sorted by name, without time and owner, and the gzip header has no time (RFC 1952, MTIME 0).
 * @param directory in which the files lie when it is unpacked
 * @param signature content of the signature file
 * @throws DamagedWeightsError while it is read
 */
export async function* archiveOf(
  store: Pick<ObjectStore, 'get'>,
  folder: StoredFolder,
  directory: string,
  signature: string,
): AsyncIterable<Uint8Array> {
  const tar = pack();
  const gzip = createGzip();
  tar.on('error', (error) => gzip.destroy(error));
  tar.pipe(gzip);
  const packed = packAll(tar, store, folder, directory, signature).catch((error: unknown) => {
    tar.destroy(error as Error);
  });
  try {
    yield* gzip as AsyncIterable<Uint8Array>;
  } finally {
    tar.destroy();
    gzip.destroy();
    await packed;
  }
}

async function packAll(
  tar: Pack,
  store: Pick<ObjectStore, 'get'>,
  { objectPrefix, files }: StoredFolder,
  directory: string,
  signature: string,
): Promise<void> {
  for (const { name, size, sha256 } of files.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const stored = await opened(store, objectPrefix, name);
    const damaged = () => new DamagedWeightsError(`${name} differs from the recorded file`);
    await pipeline(verified(stored, sha256, damaged), tar.entry(headerOf(`${directory}/${name}`, size)));
  }
  const content = Buffer.from(signature);
  tar.entry(headerOf(`${directory}/${SIGNATURE_FILE}`, content.length), content);
  tar.finalize();
}

const headerOf = (name: string, size: number) => ({ name, size, mode: 0o644, uid: 0, gid: 0, mtime: new Date(0) });

async function opened(
  store: Pick<ObjectStore, 'get'>,
  prefix: string,
  name: string,
): Promise<AsyncIterable<Uint8Array>> {
  try {
    return await store.get(`${prefix}/${name}`);
  } catch (error) {
    if (error instanceof ObjectNotFoundError) throw new DamagedWeightsError(`${name} no longer exists`);
    throw error;
  }
}
