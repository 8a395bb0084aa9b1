import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, open, opendir, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { checkKey } from '../keys.js';
import {
  ObjectNotFoundError,
  ObjectSealedError,
  ObjectTooLargeError,
  type ObjectContent,
  type ServedObject,
  type ServedObjectStore,
  type SignedAddress,
  type StoredObject,
} from '../port.js';
import { SignedAddresses } from '../signed-addresses.js';

export interface FolderObjectStoreOptions {
  readonly directory: string;
  /** Signs the presigned addresses; derived from the installation's secret. */
  readonly signingKey: Uint8Array;
  /** Where clients reach the API: `https://anneal.example.org`. */
  readonly publicUrl: string | (() => string);
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

const READ_CHUNK = 256 * 1024;
/** A write under way touches its file all the time; one untouched for so long is nobody's. */
const ABANDONED_MS = 60 * 60 * 1000;

/**
 * Objects as files of a local folder. A write goes to a temporary name, is synced and then renamed, so that a key shows a
 * whole object or none, whatever happens to the process.
 *
 *     objects/<key>          content
 *     sealed/<key>           an empty mark: presigned PUTs to this key are refused from now on
 *     incoming/<random>      writes under way; those of killed processes are removed at start
 */
export class FolderObjectStore implements ServedObjectStore {
  readonly #objects: string;
  readonly #sealed: string;
  readonly #incoming: string;
  readonly #addresses: SignedAddresses;
  readonly #clock: () => number;
  readonly #ready: Promise<unknown>;

  constructor({ directory, signingKey, publicUrl, clock = Date.now }: FolderObjectStoreOptions) {
    this.#objects = join(directory, 'objects');
    this.#sealed = join(directory, 'sealed');
    this.#incoming = join(directory, 'incoming');
    this.#addresses = new SignedAddresses(signingKey, typeof publicUrl === 'string' ? () => publicUrl : publicUrl);
    this.#clock = clock;
    this.#ready = this.#prepare();
    // Whoever first uses the store gets the error; an unused one must not end the process.
    this.#ready.catch(() => undefined);
  }

  async put(key: string, content: ObjectContent, options: { readonly maxBytes?: number } = {}): Promise<StoredObject> {
    const path = this.#path(key);
    return this.#write(content, options.maxBytes ?? Infinity, async (incoming) => {
      await place(incoming, path);
      return key;
    });
  }

  async get(
    key: string,
    range?: { readonly start: number; readonly end?: number },
  ): Promise<AsyncIterable<Uint8Array>> {
    const file = await open(this.#path(key)).catch((error: unknown) => {
      throw isMissing(error) ? new ObjectNotFoundError(key) : error;
    });
    // A read stream's `end` is inclusive.
    if (range?.end !== undefined && range.end <= range.start) return file.close().then(() => nothing());
    const bounds = range && { start: range.start, ...(range.end === undefined ? {} : { end: range.end - 1 }) };
    return file.createReadStream({ highWaterMark: READ_CHUNK, ...bounds });
  }

  async stat(key: string): Promise<{ readonly size: number } | null> {
    const entry = await stat(this.#path(key)).catch(nullWhenMissing);
    return entry?.isFile() ? { size: entry.size } : null;
  }

  /**
   * The copy is a second name of the same file, made in no time: content is never written in place, so it stays as it is
   * whatever later happens to the first name.
   */
  async seal(from: string, to: string): Promise<StoredObject> {
    const source = this.#path(from);
    const target = this.#path(to);
    if ((await this.stat(from)) === null) throw new ObjectNotFoundError(from);
    await this.#ready;
    const mark = join(this.#sealed, from);
    await mkdir(dirname(mark), { recursive: true });
    await writeFile(mark, '');
    // From here on no PUT lands, and what is linked is the last one that did.
    const incoming = join(this.#incoming, randomUUID());
    await link(source, incoming).catch((error: unknown) => {
      throw isMissing(error) ? new ObjectNotFoundError(from) : error;
    });
    const digest = await digestOf(incoming);
    await place(incoming, target);
    return { key: to, ...digest };
  }

  async *list(prefix: string): AsyncIterable<{ readonly key: string; readonly size: number }> {
    for (const key of await this.#keys(prefix)) {
      const entry = await this.stat(key);
      if (entry) yield { key, size: entry.size };
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.#path(key);
    await rm(path, { force: true });
    await removeEmptyFolders(dirname(path), this.#objects);
  }

  async deletePrefix(prefix: string): Promise<void> {
    for (const key of await this.#keys(prefix)) await this.delete(key);
  }

  async presignPut(key: string, options: { readonly expiresInSeconds: number; readonly maxBytes: number }) {
    checkKey(key);
    const expires = this.#expiry(options.expiresInSeconds);
    return this.#addresses.address({ method: 'PUT', key, expires, maxBytes: options.maxBytes });
  }

  async presignGet(key: string, options: { readonly expiresInSeconds: number; readonly fileName: string }) {
    checkKey(key);
    const expires = this.#expiry(options.expiresInSeconds);
    return this.#addresses.address({ method: 'GET', key, expires, fileName: options.fileName });
  }

  async acceptPut(address: SignedAddress, content: AsyncIterable<Uint8Array>): Promise<StoredObject> {
    const { key, maxBytes } = this.#addresses.verify('PUT', address, this.#clock());
    const mark = join(this.#sealed, key);
    const isSealed = async () => (await stat(mark).catch(nullWhenMissing)) !== null;
    if (await isSealed()) throw new ObjectSealedError(key);
    const path = this.#path(key);
    return this.#write(content, maxBytes, async (incoming) => {
      if (await isSealed()) throw new ObjectSealedError(key);
      await place(incoming, path);
      return key;
    });
  }

  async openGet(address: SignedAddress): Promise<ServedObject> {
    const { key, fileName } = this.#addresses.verify('GET', address, this.#clock());
    const entry = await this.stat(key);
    if (entry === null) throw new ObjectNotFoundError(key);
    return { content: await this.get(key), size: entry.size, fileName };
  }

  async close(): Promise<void> {
    await this.#ready;
  }

  async #prepare(): Promise<void> {
    for (const folder of [this.#objects, this.#sealed, this.#incoming]) await mkdir(folder, { recursive: true });
    // What a killed process was writing never got its name and never will.
    for (const name of await readdir(this.#incoming)) {
      const path = join(this.#incoming, name);
      const entry = await stat(path).catch(nullWhenMissing);
      if (entry && entry.mtimeMs < Date.now() - ABANDONED_MS) await rm(path, { force: true });
    }
  }

  /** Writes to a temporary name, synced, then lets `name` give it its own; leaves nothing behind when anything fails. */
  async #write(
    content: ObjectContent,
    maxBytes: number,
    name: (incoming: string) => Promise<string>,
  ): Promise<StoredObject> {
    await this.#ready;
    const incoming = join(this.#incoming, randomUUID());
    try {
      const digest = await writeSynced(incoming, content, maxBytes);
      return { key: await name(incoming), ...digest };
    } catch (error) {
      await rm(incoming, { force: true });
      throw error;
    }
  }

  async #keys(prefix: string): Promise<string[]> {
    await this.#ready;
    const folder = prefix.includes('/') ? prefix.slice(0, prefix.lastIndexOf('/')) : '';
    if (folder) checkKey(folder);
    const names = await readdir(join(this.#objects, folder), { recursive: true, withFileTypes: true }).catch(
      nullWhenMissing,
    );
    return (names ?? [])
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(this.#objects.length + 1)
          .split(sep)
          .join('/'),
      )
      .filter((key) => key.startsWith(prefix))
      .sort();
  }

  #path(key: string): string {
    checkKey(key);
    return join(this.#objects, key);
  }

  #expiry = (seconds: number): number => Math.floor(this.#clock() / 1000) + seconds;
}

async function writeSynced(path: string, content: ObjectContent, maxBytes: number) {
  const hash = createHash('sha256');
  let size = 0;
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new ObjectTooLargeError(maxBytes);
      hash.update(chunk);
      await writeAll(file, chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { size, sha256: hash.digest('hex') };
}

async function writeAll(file: Awaited<ReturnType<typeof open>>, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength;) offset += (await file.write(chunk, offset)).bytesWritten;
}

/** Renames and syncs the folder, so that the name survives a power cut too. */
async function place(from: string, to: string): Promise<void> {
  for (;;) {
    await mkdir(dirname(to), { recursive: true });
    try {
      await rename(from, to);
      break;
    } catch (error) {
      // The folder was emptied and removed in between: make it again.
      if (!isMissing(error) || (await stat(from).catch(nullWhenMissing)) === null) throw error;
    }
  }
  const folder = await open(dirname(to));
  await folder.sync().finally(() => folder.close());
}

async function digestOf(path: string) {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.byteLength;
  }
  return { size, sha256: hash.digest('hex') };
}

async function removeEmptyFolders(folder: string, root: string): Promise<void> {
  for (let current = folder; current.length > root.length; current = dirname(current)) {
    const empty = await isEmpty(current);
    if (!empty) return;
    const removed = await rmdir(current).then(
      () => true,
      () => false,
    );
    if (!removed) return;
  }
}

async function isEmpty(folder: string): Promise<boolean> {
  const entries = await opendir(folder).catch(nullWhenMissing);
  if (entries === null) return true;
  const first = await entries.read();
  await entries.close();
  return first === null;
}

async function* nothing(): AsyncIterable<Uint8Array> {}

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException | null)?.code ?? '');
const nullWhenMissing = (error: unknown): null => {
  if (isMissing(error)) return null;
  throw error;
};
