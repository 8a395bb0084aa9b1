import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkKey } from '../keys.js';
import {
  ObjectNotFoundError,
  ObjectSealedError,
  ObjectTooLargeError,
  type ByteRange,
  type ListedObject,
  type ObjectContent,
  type ServedObject,
  type ServedObjectStore,
  type SignedAddress,
  type StoredObject,
} from '../port.js';
import { SignedAddresses } from '../signed-addresses.js';
import { Digests } from './digests.js';
import {
  digestOf,
  isMissing,
  nothing,
  nullWhenMissing,
  place,
  removeEmptyFolders,
  requireInside,
  writeSynced,
  type Digest,
} from './files.js';

interface FolderObjectStoreOptions {
  readonly directory: string;
  /** The first signs presigned addresses, and all are accepted; derived from the installation's secret. */
  readonly signingKeys: readonly Uint8Array[];
  /** Public address of the API, such as `https://anneal.example.org`. */
  readonly publicUrl: string | (() => string);
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

const READ_CHUNK = 256 * 1024;
/** A running write touches its file continually; a file untouched for so long is abandoned. */
const ABANDONED_MS = 60 * 60 * 1000;

/**
 * Objects as files of a local folder. A write goes to a temporary name, is synced and then renamed, so that a key shows a
 * whole object or none, whatever happens to the process.
 *
 *     objects/<key>          content
 *     sealed/<key>           an empty mark: presigned PUTs to this key are refused from now on
 *     digests/<key>          hashes of uploads, so that sealing need not read them again
 *     incoming/<random>      unfinished writes; those of killed processes are removed at start
 */
export class FolderObjectStore implements ServedObjectStore {
  private readonly directory: string;
  private readonly objects: string;
  private readonly sealed: string;
  private readonly incoming: string;
  private readonly digests: Digests;
  private readonly addresses: SignedAddresses;
  private readonly clock: () => number;
  private readonly ready: Promise<unknown>;

  constructor({ directory, signingKeys, publicUrl, clock = Date.now }: FolderObjectStoreOptions) {
    this.directory = directory;
    this.objects = join(directory, 'objects');
    this.sealed = join(directory, 'sealed');
    this.incoming = join(directory, 'incoming');
    this.digests = new Digests(join(directory, 'digests'));
    this.addresses = new SignedAddresses(signingKeys, typeof publicUrl === 'string' ? () => publicUrl : publicUrl);
    this.clock = clock;
    this.ready = this.prepare();
    // The first use of the store throws the error; an unused store must not end the process.
    this.ready.catch(() => undefined);
  }

  async put(key: string, content: ObjectContent, options: { readonly maxBytes?: number } = {}): Promise<StoredObject> {
    const path = this.path(key);
    return this.write(content, options.maxBytes ?? Infinity, async (incoming) => {
      await place(incoming, path, this.objects);
      return key;
    });
  }

  async get(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>> {
    if ((await this.stat(key)) === null) throw new ObjectNotFoundError(key);
    await requireInside(this.path(key), this.objects);
    if (range?.end !== undefined && range.end <= range.start) return nothing();
    return this.read(key, range);
  }

  /** Opens the file only when it is read: a caller that disconnected may never read it. */
  private async *read(key: string, range?: ByteRange): AsyncGenerator<Uint8Array, void, undefined> {
    const file = await open(this.path(key)).catch((error: unknown) => {
      throw isMissing(error) ? new ObjectNotFoundError(key) : error;
    });
    // A read stream's `end` is inclusive.
    const bounds = range && { start: range.start, ...(range.end === undefined ? {} : { end: range.end - 1 }) };
    yield* file.createReadStream({ highWaterMark: READ_CHUNK, ...bounds }) as AsyncIterable<Uint8Array>;
  }

  async stat(key: string): Promise<{ readonly size: number; readonly version: string } | null> {
    const entry = await stat(this.path(key), { bigint: true }).catch(nullWhenMissing);
    if (!entry?.isFile()) return null;
    return { size: Number(entry.size), version: `${entry.ino} ${entry.mtimeNs} ${entry.ctimeNs}` };
  }

  /**
   * The copy is a hard link, created in no time: content is never written in place, so the copy stays the same whatever
   * later happens to the first name.
   */
  async seal(
    from: string,
    to: string,
    { maxBytes = Infinity }: { readonly maxBytes?: number } = {},
  ): Promise<StoredObject> {
    const source = this.path(from);
    const target = this.path(to);
    const present = await this.stat(from);
    if (present === null) throw new ObjectNotFoundError(from);
    await requireInside(source, this.objects);
    // An address that was signed while more was allowed may have brought more.
    if (present.size > maxBytes) throw new ObjectTooLargeError(maxBytes);
    await this.ready;
    const mark = join(this.sealed, from);
    await mkdir(dirname(mark), { recursive: true });
    await writeFile(mark, '');
    // From here on no PUT takes effect; the link points to the last one that did.
    const incoming = join(this.incoming, randomUUID());
    await link(source, incoming).catch((error: unknown) => {
      throw isMissing(error) ? new ObjectNotFoundError(from) : error;
    });
    const digest = (await this.digests.recall(from, incoming)) ?? (await digestOf(incoming));
    await place(incoming, target, this.objects);
    return { key: to, ...digest };
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    for (const key of await this.keys(prefix)) {
      const entry = await this.stat(key);
      if (entry) yield { key, ...entry };
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.path(key);
    await this.ready;
    await requireInside(dirname(path), this.objects);
    await rm(path, { force: true });
    await this.digests.forget(key);
    await removeEmptyFolders(dirname(path), this.objects);
  }

  async deletePrefix(prefix: string): Promise<void> {
    for (const key of await this.keys(prefix)) await this.delete(key);
  }

  async presignPut(key: string, options: { readonly expiresInSeconds: number; readonly maxBytes: number }) {
    checkKey(key);
    const expires = this.expiry(options.expiresInSeconds);
    return this.addresses.address({ method: 'PUT', key, expires, maxBytes: options.maxBytes });
  }

  async presignGet(key: string, options: { readonly expiresInSeconds: number; readonly fileName: string }) {
    checkKey(key);
    const expires = this.expiry(options.expiresInSeconds);
    return this.addresses.address({ method: 'GET', key, expires, fileName: options.fileName });
  }

  async acceptPut(address: SignedAddress, content: AsyncIterable<Uint8Array>): Promise<StoredObject> {
    const { key, maxBytes } = this.addresses.verify('PUT', address, this.clock());
    const mark = join(this.sealed, key);
    const isSealed = async () => (await stat(mark).catch(nullWhenMissing)) !== null;
    if (await isSealed()) throw new ObjectSealedError(key);
    const path = this.path(key);
    return this.write(content, maxBytes, async (incoming, digest) => {
      if (await isSealed()) throw new ObjectSealedError(key);
      // Remembered before the rename: afterwards another upload may have replaced the file.
      await this.digests.remember(key, incoming, digest);
      await place(incoming, path, this.objects);
      return key;
    });
  }

  async openGet(address: SignedAddress): Promise<ServedObject> {
    const { key, fileName } = this.addresses.verify('GET', address, this.clock());
    const entry = await this.stat(key);
    if (entry === null) throw new ObjectNotFoundError(key);
    return { ...entry, fileName, read: (range) => this.get(key, range) };
  }

  async close(): Promise<void> {
    await this.ready;
  }

  private async prepare(): Promise<void> {
    for (const folder of [this.objects, this.sealed, this.incoming]) {
      await mkdir(folder, { recursive: true });
      await requireInside(folder, this.directory);
    }
    // Files that a killed process was writing never got their names and never will.
    for (const name of await readdir(this.incoming)) {
      const path = join(this.incoming, name);
      const entry = await stat(path).catch(nullWhenMissing);
      if (entry && entry.mtimeMs < Date.now() - ABANDONED_MS) await rm(path, { force: true });
    }
  }

  /** Writes to a synced temporary file, then lets `name` rename it; leaves nothing behind after a failure. */
  private async write(
    content: ObjectContent,
    maxBytes: number,
    name: (incoming: string, digest: Digest) => Promise<string>,
  ): Promise<StoredObject> {
    await this.ready;
    const incoming = join(this.incoming, randomUUID());
    try {
      const digest = await writeSynced(incoming, content, maxBytes);
      return { key: await name(incoming, digest), ...digest };
    } catch (error) {
      await rm(incoming, { force: true });
      throw error;
    }
  }

  private async keys(prefix: string): Promise<string[]> {
    await this.ready;
    const folder = prefix.includes('/') ? prefix.slice(0, prefix.lastIndexOf('/')) : '';
    if (folder) checkKey(folder);
    await requireInside(join(this.objects, folder), this.objects);
    const keys: string[] = [];
    for (const pending = [folder]; pending.length > 0;) {
      const current = pending.pop()!;
      // Another deletion may have removed this folder meanwhile: the others are still listed, which a recursive `readdir` does not do.
      const entries = await readdir(join(this.objects, current), { withFileTypes: true }).catch(nullWhenMissing);
      for (const entry of entries ?? []) {
        const key = current === '' ? entry.name : `${current}/${entry.name}`;
        if (entry.isDirectory()) pending.push(key);
        else if (entry.isFile() && key.startsWith(prefix)) keys.push(key);
      }
    }
    return keys.sort();
  }

  private path(key: string): string {
    checkKey(key);
    return join(this.objects, key);
  }

  private expiry = (seconds: number): number => Math.floor(this.clock() / 1000) + seconds;
}
