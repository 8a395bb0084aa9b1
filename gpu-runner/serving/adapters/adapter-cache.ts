import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { v7 as uuid7 } from 'uuid';
import type { StoredFolder } from '#domain/training-job/index.js';
import { ObjectNotFoundError, ObjectStoreUnavailableError, type ObjectStore } from '#ports/object-store/port.js';
import { verified } from '#ports/object-store/verified.js';
import { cachedOnDisk, isDamagedCache, NOTE, syncFolder, type Note } from './cached-on-disk.js';
import type { AdapterReference } from '#gpu-runner/contract/inference.js';

/** The weights in the object store are missing, or differ from the log's record. The message is for the user. */
export class DamagedWeightsError extends Error {
  override readonly name = 'DamagedWeightsError';
}

interface AdapterCacheOptions {
  readonly objectStore: Pick<ObjectStore, 'get' | 'stat'>;
  /** Folder of this runner alone. */
  readonly directory: string;
  /** Beyond this number of bytes, the least recently used are removed. */
  readonly maxBytes?: number;
  /** Called once for a damaged folder, however many calls run on it. */
  readonly onDamage?: (adapter: AdapterReference, error: Error) => void;
}

interface Entry {
  /** Name of its folder. */
  readonly name: string;
  readonly note: Note;
  readonly fetched: Promise<string>;
  /** Whether the adapter is complete on disk. */
  ready: boolean;
  /** Calls that run on it: it is not removed to make room. */
  users: number;
}

const MAX_BYTES = 4 * 1024 ** 3;

/**
 * Adapters on local disk, fetched once from the object store. A folder's name is derived from the keys of its files and
 * their hashes, so that it can never be stale; it appears whole and synced or not at all, with a note beside it that
 * identifies it. A disk may still damage it: every load checks it against the note (`checkCached`), and drops a damaged
 * one.
 */
export class AdapterCache {
  /** Entries by object prefix (objects below one never change), least recently used first. */
  private readonly entries = new Map<string, Entry>();
  /** Folders being removed, by name: a folder is fetched again only once its removal has ended. */
  private readonly leaving = new Map<string, Promise<void>>();
  private readonly maxBytes: number;
  private readonly opened: Promise<void>;

  constructor(private readonly options: AdapterCacheOptions) {
    this.maxBytes = options.maxBytes ?? MAX_BYTES;
    this.opened = this.open();
    // The error is delivered to the first caller.
    this.opened.catch(() => undefined);
  }

  /** Whether the adapter is complete on disk. */
  has({ folder }: AdapterReference): boolean {
    return this.entries.get(folder.objectPrefix)?.ready ?? false;
  }

  /** Bytes of the adapters on this disk. */
  get bytes(): number {
    return [...this.entries.values()].reduce((sum, { ready, note }) => sum + (ready ? note.bytes : 0), 0);
  }

  /** Ids of the adapters on this disk, the most recently used first. */
  ids(): readonly string[] {
    return [...this.entries.values()].flatMap(({ ready, note }) => (ready ? [note.id] : [])).reverse();
  }

  /**
   * @param onBytes called with the number of further bytes received
   * @returns the local folder
   * @throws DamagedWeightsError when a file differs from the log's record of it, or is missing
   */
  async fetch(adapter: AdapterReference, onBytes: (count: number) => void = () => undefined): Promise<string> {
    return (await this.entry(adapter, onBytes)).fetched;
  }

  /**
   * Runs a function on the local folder, which stays until then. A damaged folder (`DamagedCacheError`) is dropped, so
   * that the next call fetches it again.
   * @throws as `fetch`, and what `run` throws
   */
  async use<T>(adapter: AdapterReference, run: (directory: string) => Promise<T>): Promise<T> {
    const entry = await this.entry(adapter, () => undefined);
    entry.users += 1;
    try {
      return await run(await entry.fetched);
    } catch (error) {
      const isCurrent = this.entries.get(entry.note.objectPrefix) === entry;
      if (isCurrent && isDamagedCache(error)) {
        this.options.onDamage?.(adapter, error as Error);
        await this.remove([entry]);
      }
      throw error;
    } finally {
      entry.users -= 1;
    }
  }

  /**
   * Removes all local files of a deleted model.
   * @returns the removed folders
   */
  async forget(id: string): Promise<readonly string[]> {
    await this.opened;
    return this.remove([...this.entries.values()].filter(({ note }) => note.id === id));
  }

  /**
   * Removes adapters whose weights are no longer in the object store.
   * @returns the removed folders
   */
  async sweep(): Promise<readonly string[]> {
    await this.opened;
    const orphans: Entry[] = [];
    for (const entry of this.entries.values())
      try {
        if (entry.ready && (await this.options.objectStore.stat(entry.note.probe)) === null) orphans.push(entry);
      } catch (error) {
        if (!(error instanceof ObjectStoreUnavailableError)) throw error;
      }
    return this.remove(orphans);
  }

  private async open(): Promise<void> {
    for (const { name, note } of await cachedOnDisk(this.options.directory))
      this.entries.set(note.objectPrefix, {
        name,
        note,
        fetched: Promise.resolve(this.path(name)),
        ready: true,
        users: 0,
      });
  }

  private async entry(adapter: AdapterReference, onBytes: (count: number) => void): Promise<Entry> {
    await this.opened;
    const { objectPrefix } = adapter.folder;
    const known = this.entries.get(objectPrefix);
    if (known) {
      this.entries.delete(objectPrefix);
      this.entries.set(objectPrefix, known);
      return known;
    }
    const name = folderName(adapter.folder);
    const entry: Entry = {
      name,
      note: noteOf(adapter),
      fetched: this.fetchOnce(adapter, name, onBytes),
      ready: false,
      users: 0,
    };
    this.entries.set(objectPrefix, entry);
    entry.fetched.then(
      () => {
        entry.ready = true;
        void this.makeRoom(entry);
      },
      () => this.entries.delete(objectPrefix),
    );
    return entry;
  }

  private async fetchOnce(adapter: AdapterReference, name: string, onBytes: (count: number) => void): Promise<string> {
    const { folder } = adapter;
    const target = this.path(name);
    const temporary = `${target}.${uuid7()}.partial`;
    await this.leaving.get(name);
    await mkdir(temporary, { recursive: true });
    try {
      for (const file of folder.files) await this.fetchFile(folder, file, temporary, onBytes);
      for (const each of new Set(folder.files.map((file) => dirname(join(temporary, file.name)))))
        await syncFolder(each);
      await writeFile(`${target}${NOTE}`, JSON.stringify(noteOf(adapter)), { flush: true });
      await rename(temporary, target);
      await syncFolder(this.options.directory);
    } catch (error) {
      await rm(temporary, { recursive: true, force: true });
      await rm(`${target}${NOTE}`, { force: true });
      throw error;
    }
    return target;
  }

  private async fetchFile(
    folder: StoredFolder,
    file: StoredFolder['files'][number],
    into: string,
    onBytes: (count: number) => void,
  ): Promise<void> {
    const path = join(into, file.name);
    await mkdir(dirname(path), { recursive: true });
    const content = await this.options.objectStore
      .get(`${folder.objectPrefix}/${file.name}`)
      .catch((error: unknown) => {
        if (!(error instanceof ObjectNotFoundError)) throw error;
        throw new DamagedWeightsError(`${file.name} is no longer stored`, { cause: error });
      });
    const damaged = () =>
      new DamagedWeightsError(`the stored ${file.name} is damaged (its sha256 is not the recorded ${file.sha256})`);
    const counted = async function* () {
      for await (const chunk of verified(content, file.sha256, damaged)) {
        onBytes(chunk.byteLength);
        yield chunk;
      }
    };
    await pipeline(counted, createWriteStream(path, { flush: true }));
  }

  /** Keeps entries in use and the newest one, whatever their size. */
  private async makeRoom(newest: Entry): Promise<void> {
    let bytes = [...this.entries.values()].reduce((sum, { note }) => sum + note.bytes, 0);
    const spare: Entry[] = [];
    for (const entry of this.entries.values()) {
      if (bytes <= this.maxBytes) break;
      if (entry === newest || !entry.ready || entry.users > 0) continue;
      spare.push(entry);
      bytes -= entry.note.bytes;
    }
    await this.remove(spare);
  }

  private async remove(entries: readonly Entry[]): Promise<readonly string[]> {
    for (const entry of entries) {
      const { name, note, fetched } = entry;
      if (this.entries.get(note.objectPrefix) === entry) this.entries.delete(note.objectPrefix);
      const removed = this.removeFolder(name, fetched);
      this.leaving.set(name, removed);
      await removed.finally(() => this.leaving.get(name) === removed && this.leaving.delete(name));
    }
    return entries.map(({ name }) => this.path(name));
  }

  private async removeFolder(name: string, fetched: Promise<unknown>): Promise<void> {
    await fetched.catch(() => undefined);
    // The folder first: a note without one is cleared away at the next start.
    await rm(this.path(name), { recursive: true, force: true });
    await rm(`${this.path(name)}${NOTE}`, { force: true });
  }

  private path(name: string): string {
    return join(this.options.directory, name);
  }
}

const noteOf = ({ id, folder }: AdapterReference): Note => ({
  id,
  objectPrefix: folder.objectPrefix,
  probe: `${folder.objectPrefix}/${folder.files[0]?.name ?? ''}`,
  bytes: folder.files.reduce((sum, { size }) => sum + size, 0),
  files: folder.files.map(({ name, sha256 }) => ({ name, sha256 })),
});

const folderName = ({ objectPrefix, files }: StoredFolder): string =>
  createHash('sha256')
    .update(JSON.stringify([objectPrefix, files.map(({ name, sha256 }) => [name, sha256])]))
    .digest('hex');
