import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StoredAnswers } from '#domain/evaluation/index.js';
import type { DatasetPin, StoredFile, StoredFolder } from '#domain/training-job/index.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import { readVerified, verified } from '#ports/object-store/verified.js';
import type { AttemptObjects } from './patient-objects.js';

/** An object is missing, or is not the one that an event names. The message is for the user. */
export class DamagedObjectError extends Error {
  override readonly name = 'DamagedObjectError';
}

/** Stores the files of a folder (and of those in it) below the prefix. @returns their names, hashes and sizes, by name */
export async function uploadFolder(store: AttemptObjects, directory: string, prefix: string): Promise<StoredFolder> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .toSorted();
  const files: StoredFile[] = [];
  for (const name of names) {
    const { sha256, size } = await store.put(`${prefix}/${name}`, fileAt(join(directory, name)));
    files.push({ name, sha256, size });
  }
  return { objectPrefix: prefix, files };
}

/** Content that can be read again from its beginning. */
const fileAt = (path: string): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => (createReadStream(path) as AsyncIterable<Uint8Array>)[Symbol.asyncIterator](),
});

/** Fetches a stored folder into a local one. @throws DamagedObjectError when a file is missing or is not the one stored */
export async function downloadFolder(store: AttemptObjects, folder: StoredFolder, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const file of folder.files) {
    const path = join(directory, file.name);
    await mkdir(dirname(path), { recursive: true });
    const what = `The stored weights (${file.name})`;
    const stored = await open(store, `${folder.objectPrefix}/${file.name}`, what);
    const content = verified(stored, file.sha256, () => damaged(what));
    await pipeline(Readable.from(content), createWriteStream(path));
  }
}

/**
 * Returns the result of `read` for the rows of a dataset version.
 * @throws what `read` throws over rows that are whole
 * @throws DamagedObjectError when they are missing or are not those stored
 */
export async function readRows<T>(
  store: AttemptObjects,
  { name, versionNumber, object }: DatasetPin,
  read: (content: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const what = `The stored rows of dataset ${JSON.stringify(name)} version ${versionNumber}`;
  return readVerified(await open(store, object.key, what), object.sha256, () => damaged(what), read);
}

/** Returns the result of `read` for the answers of a hosted model. @throws as `readRows` */
export async function readAnswers<T>(
  store: AttemptObjects,
  { objectKey, sha256 }: StoredAnswers,
  read: (content: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const what = 'The stored answers';
  return readVerified(await open(store, objectKey, what), sha256, () => damaged(what), read);
}

async function open(store: AttemptObjects, key: string, what: string): Promise<AsyncIterable<Uint8Array>> {
  try {
    return await store.get(key);
  } catch (error) {
    if (!(error instanceof ObjectNotFoundError)) throw error;
    throw new DamagedObjectError(`${what} no longer exist. ${RESTORE}`, { cause: error });
  }
}

const damaged = (what: string): DamagedObjectError =>
  new DamagedObjectError(`${what} are damaged: their sha256 is not the one recorded. ${RESTORE}`);
const RESTORE = 'Restore the object store from a backup.';
