import { createHash } from 'node:crypto';
import { openObjectStore, type ObjectStoreAddress } from '#ports/object-store/open.js';
import { ObjectNotFoundError, type ByteRange, type ObjectContent, type ObjectStore } from '#ports/object-store/port.js';
import { atOnce } from '#primitives/waiting/at-once.js';
import {
  BackupDamagedError,
  CHUNK_BYTES,
  isBackupId,
  isSigned,
  macOf,
  isSha256,
  parseBackup,
  parseFile,
  type BackedUpFile,
  type Backup,
} from './manifest.js';

const BACKUPS = 'backups/';
const CHUNKS = 'chunks/';
/** Chunks of one file that are written at once. */
const CHUNKS_AT_ONCE = 4;
/** A larger `backup.json` is none. */
const MAX_FACTS_BYTES = 1024 * 1024;

const chunkKey = (sha256: string): string => `${CHUNKS}${sha256.slice(0, 2)}/${sha256}`;
const keyOf = (id: string, name: string): string => `${BACKUPS}${id}/${name}`;

/** What a target holds. */
export interface Held {
  /** Ids of whole backups, oldest first. */
  readonly whole: readonly string[];
  /** Ids of backups that run now, or whose process was killed. */
  readonly unfinished: readonly string[];
}

/**
 * A place for backups in an object store:
 *
 *     backups/<id>/started           a backup that has begun
 *     backups/<id>/manifest.jsonl    its files, one a line
 *     backups/<id>/backup.json       written last: the backup is whole
 *     chunks/<xx>/<sha256>           content of files, shared by all backups
 */
export class BackupTarget {
  private constructor(
    private readonly objects: ObjectStore,
    private readonly keys: readonly Uint8Array[] | null,
  ) {}

  /** @param keys of the purpose `backups`, of which the first signs; null: the secret is not at hand, and nothing is compared with it */
  static async open(address: ObjectStoreAddress, keys: readonly Uint8Array[] | null): Promise<BackupTarget> {
    return new BackupTarget(await openObjectStore(address), keys);
  }

  async held(): Promise<Held> {
    const names = new Map<string, Set<string>>();
    for await (const { key } of this.objects.list(BACKUPS)) {
      const [id, name] = key.slice(BACKUPS.length).split('/') as [string, string | undefined];
      if (isBackupId(id) && name !== undefined) names.set(id, (names.get(id) ?? new Set()).add(name));
    }
    const ids = [...names.keys()].toSorted();
    const isWhole = (id: string) => names.get(id)!.has('backup.json');
    return { whole: ids.filter(isWhole), unfinished: ids.filter((id) => !isWhole(id)) };
  }

  /** @throws BackupDamagedError */
  async backup(id: string): Promise<Backup> {
    const range = { start: 0, end: MAX_FACTS_BYTES };
    return parseBackup((await this.read(keyOf(id, 'backup.json'), undefined, range)).toString('utf8'), id);
  }

  /** Whether this installation made the backup, and nobody has changed it since; null without the secret. */
  isSigned(backup: Backup): boolean | null {
    return this.keys && isSigned(backup, this.keys);
  }

  /** Ids and facts of whole backups, newest first; null for one that is damaged. */
  async *newestFirst(): AsyncGenerator<Backup | null> {
    for (const id of (await this.held()).whole.toReversed()) yield await orDamaged(this.backup(id));
  }

  /** Files of a backup, whose manifest is verified first. @throws BackupDamagedError */
  async files({ id, manifest }: Backup): Promise<readonly BackedUpFile[]> {
    // Not more, should somebody have put another file there.
    const range = { start: 0, end: manifest.size + 1 };
    const bytes = await this.read(keyOf(id, 'manifest.jsonl'), undefined, range);
    if (sha256Of(bytes) !== manifest.sha256)
      throw new BackupDamagedError(`the manifest of backup ${id} is damaged: its SHA-256 is another`);
    const files = bytes
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => parseFile(line, id));
    if (new Set(files.map(({ name }) => name)).size < files.length)
      throw new BackupDamagedError(`the manifest of backup ${id} is damaged: it names a file twice`);
    return files;
  }

  async begin(id: string): Promise<void> {
    await this.objects.put(keyOf(id, 'started'), Buffer.alloc(0));
  }

  async putManifest(id: string, content: ObjectContent): Promise<Backup['manifest']> {
    const { size, sha256 } = await this.objects.put(keyOf(id, 'manifest.jsonl'), content);
    return { size, sha256 };
  }

  /** Signs a backup, which is whole from here on. */
  async complete(backup: Backup): Promise<Backup> {
    const signed = { ...backup, mac: macOf(backup, this.keys![0]!) };
    await this.objects.put(keyOf(backup.id, 'backup.json'), Buffer.from(`${JSON.stringify(signed, null, 2)}\n`));
    return signed;
  }

  /** Removes a backup, but not its chunks. */
  async remove(id: string): Promise<void> {
    // From here on it is none.
    await this.objects.delete(keyOf(id, 'backup.json'));
    await this.objects.deletePrefix(keyOf(id, ''));
  }

  /** SHA-256 of all chunks of the right size, by which they are named. */
  async chunks(): Promise<Set<string>> {
    const found = new Set<string>();
    for await (const { key, size } of this.objects.list(CHUNKS)) {
      const sha256 = key.slice(key.lastIndexOf('/') + 1);
      if (isSha256(sha256) && size > 0 && size <= CHUNK_BYTES) found.add(sha256);
    }
    return found;
  }

  async removeChunk(sha256: string): Promise<void> {
    await this.objects.delete(chunkKey(sha256));
  }

  /**
   * Stores content in chunks, without those that are in `present`, and adds them to it.
   * @param onBytes told of each chunk, and whether it is new
   */
  async store(
    content: AsyncIterable<Uint8Array>,
    present: Set<string>,
    onBytes: (bytes: number, isNew: boolean) => void,
  ): Promise<Pick<BackedUpFile, 'size' | 'chunks'> & { readonly sha256: string }> {
    const whole = createHash('sha256');
    const chunks: string[] = [];
    let size = 0;
    async function* hashed() {
      for await (const bytes of inChunks(content)) {
        whole.update(bytes);
        size += bytes.byteLength;
        const sha256 = sha256Of(bytes);
        chunks.push(sha256);
        yield { sha256, bytes };
      }
    }
    await atOnce(hashed(), CHUNKS_AT_ONCE, async ({ sha256, bytes }) => {
      const isNew = !present.has(sha256);
      // Marked first, so that the same bytes are stored once: if that fails, so does the backup.
      present.add(sha256);
      if (isNew) await this.objects.put(chunkKey(sha256), bytes);
      onBytes(bytes.byteLength, isNew);
    });
    return { size, sha256: whole.digest('hex'), chunks };
  }

  /** The content of a file that was copied. @throws BackupDamagedError before the first byte that is another */
  async *content({ name, chunks }: Pick<BackedUpFile, 'name' | 'chunks'>): AsyncGenerator<Uint8Array> {
    for (const sha256 of chunks) {
      // Not more, should somebody have put another file there.
      const range = { start: 0, end: CHUNK_BYTES + 1 };
      const bytes = await this.read(chunkKey(sha256), `a chunk of ${name}`, range);
      if (sha256Of(bytes) !== sha256)
        throw new BackupDamagedError(`a chunk of ${name} is damaged: ${chunkKey(sha256)} has another SHA-256`);
      yield bytes;
    }
  }

  close(): Promise<void> {
    return this.objects.close();
  }

  /** @throws BackupDamagedError if it is missing */
  private async read(key: string, what = 'a part of the backup', range?: ByteRange): Promise<Buffer> {
    try {
      return Buffer.concat(await Array.fromAsync(await this.objects.get(key, range)));
    } catch (error) {
      if (error instanceof ObjectNotFoundError) throw new BackupDamagedError(`${what} is missing: ${key}`);
      throw error;
    }
  }
}

/** null for what is damaged: `backup verify` tells. */
export async function orDamaged<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof BackupDamagedError) return null;
    throw error;
  }
}

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The same bytes in pieces of `CHUNK_BYTES`, and a rest. */
async function* inChunks(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let held = 0;
  for await (const piece of content) {
    for (let at = 0; at < piece.byteLength;) {
      const part = piece.subarray(at, at + CHUNK_BYTES - held);
      pieces.push(part);
      [at, held] = [at + part.byteLength, held + part.byteLength];
      if (held < CHUNK_BYTES) continue;
      yield Buffer.concat(pieces);
      [pieces, held] = [[], 0];
    }
  }
  if (held > 0) yield Buffer.concat(pieces);
}
