import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { CHECKPOINT, TreeFiles, TREE_PREFIX } from '#audit/tree-files.js';
import { openSqliteEventReader } from '#ports/event-store/sqlite/index.js';
import { MARK } from '#ports/object-store/mark.js';
import { openObjectStore, type ObjectStoreAddress } from '#ports/object-store/open.js';
import { ObjectNotFoundError, type ListedObject, type ObjectStore } from '#ports/object-store/port.js';
import { withFolder } from '#primitives/confined-process/folder.js';
import { atOnce } from '#primitives/waiting/at-once.js';
import { contentOf, sizeOf, withCopy } from './copied-database.js';
import { backupId, FORMAT, type BackedUpFile, type Backup, type ObjectsMode, type Part } from './manifest.js';
import { BackupTarget, orDamaged } from './target.js';

/** The stores of a system, running or stopped. */
export interface BackupSources {
  /** Folder of `log.db`. */
  readonly log: string;
  /** Folder of `coordination.db`. */
  readonly coordination: string;
  readonly objects: ObjectStoreAddress;
}

export interface BackupOptions {
  readonly from: BackupSources;
  readonly to: ObjectStoreAddress;
  /** Of the purpose `backups` and the installation's secret: the first signs, all are believed. */
  readonly signingKeys: readonly Uint8Array[];
  readonly objects: ObjectsMode;
  readonly now?: () => Date;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

/** The target cannot take this backup. */
export class BackupRefusedError extends Error {
  override readonly name = 'BackupRefusedError';
}

/** Objects that are copied at once. */
const OBJECTS_AT_ONCE = 8;
const MAX_MS = 7 * 24 * 60 * 60_000;

/**
 * Backs up a system, which may be running: coordination, then the audit tree, then the log, then all other objects, so that each has
 * all that the one before names. Keys of contents and the secret are not in it. Stores what the target does not have yet.
 * @throws BackupRefusedError, NoRoomError
 * @throws ObjectStoreUnavailableError of either store
 */
export async function backUp(options: BackupOptions): Promise<Backup> {
  const source = await openObjectStore(options.from.objects);
  const target = await BackupTarget.open(options.to, options.signingKeys);
  try {
    return await new Run(options, source, target).backUp();
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

class Run {
  private readonly startedAt: Date;
  private readonly id: string;
  /** Objects of the newest backup, by key. */
  private known = new Map<string, BackedUpFile>();
  private present = new Set<string>();
  private readonly used = new Set<string>();
  private files = 0;
  private bytes = 0;
  private newBytes = 0;
  private gone = 0;
  private total = 0;
  private write: (file: BackedUpFile) => Promise<void> = async () => undefined;

  constructor(
    private readonly options: BackupOptions,
    private readonly source: ObjectStore,
    private readonly target: BackupTarget,
  ) {
    this.startedAt = this.now();
    this.id = backupId(this.startedAt);
  }

  async backUp(): Promise<Backup> {
    await this.requireOwnTarget();
    await this.target.begin(this.id);
    try {
      return await withFolder(MAX_MS, (folder) => this.into(join(folder, 'manifest.jsonl')));
    } catch (error) {
      await this.target.remove(this.id).catch(() => undefined);
      throw error;
    }
  }

  private now(): Date {
    return this.options.now?.() ?? new Date();
  }

  /**
   * Reads what the newest backup of this installation has: whoever writes to the target may have made or changed others. One that is
   * damaged does not prevent a new one.
   * @throws BackupRefusedError when the target has backups of another log
   */
  private async requireOwnTarget(): Promise<void> {
    const reader = openSqliteEventReader({ directory: this.options.from.log });
    const { logId } = await reader.head().finally(() => reader.close());
    for await (const before of this.target.newestFirst()) {
      if (before === null) continue;
      if (before.log.id !== logId)
        throw new BackupRefusedError(
          `this place has backups of another event log (${before.log.id}) than this one (${logId}): give a place of its own`,
        );
      const files = this.target.isSigned(before) === true ? await orDamaged(this.target.files(before)) : null;
      if (files === null) continue;
      this.known = new Map(files.filter(({ part }) => part === 'objects').map((file) => [file.name, file]));
      return;
    }
  }

  private async into(manifestFile: string): Promise<Backup> {
    const { from, objects } = this.options;
    this.present = await this.target.chunks();
    this.total = sizeOf(join(from.log, 'log.db')) + sizeOf(join(from.coordination, 'coordination.db'));
    for await (const { key, size } of this.source.list('')) if (this.isCopied(key)) this.total += size;
    const lines = await open(manifestFile, 'wx', 0o600);
    let log: Backup['log'];
    let checkpoint: string | null;
    try {
      let written = Promise.resolve();
      this.write = (file) => {
        this.files += 1;
        return (written = written.then(() => lines.appendFile(`${JSON.stringify(file)}\n`)));
      };
      await withCopy(from.coordination, 'coordination.db', (folder) => this.database('coordination', folder));
      checkpoint = await new TreeFiles(this.source).checkpoint();
      await this.tree(checkpoint);
      log = await withCopy(from.log, 'log.db', async (folder) => {
        const end = await endOf(folder);
        await this.database('log', folder);
        return end;
      });
      await this.all(this.source.list(''), ({ key }) => !key.startsWith(TREE_PREFIX));
    } finally {
      await lines.close();
    }
    const manifest = await this.target.putManifest(this.id, contentOf(manifestFile));
    await this.requireChunks();
    const { id, files, bytes, newBytes, gone } = this;
    const times = { createdAt: this.startedAt.toISOString(), completedAt: this.now().toISOString() };
    const backup: Backup = {
      format: FORMAT,
      id,
      ...times,
      log,
      checkpoint,
      objects,
      files,
      bytes,
      newBytes,
      gone,
      manifest,
    };
    return this.target.complete(backup);
  }

  private isCopied(key: string): boolean {
    return this.options.objects === 'copy' || key.startsWith(TREE_PREFIX) || key === MARK;
  }

  private async database(part: Part, folder: string): Promise<void> {
    const name = `${part}.db`;
    const stored = await this.store(contentOf(join(folder, name)));
    await this.write({ part, name, version: null, ...stored });
  }

  /** The checkpoint first, and as it was read: what it names is there, and stays. */
  private async tree(checkpoint: string | null): Promise<void> {
    if (checkpoint !== null) {
      const stored = await this.store([Buffer.from(checkpoint)]);
      await this.write({ part: 'objects', name: CHECKPOINT, version: null, ...stored });
    }
    await this.all(this.source.list(TREE_PREFIX), ({ key }) => key !== CHECKPOINT);
  }

  private async all(listed: AsyncIterable<ListedObject>, isWanted: (object: ListedObject) => boolean): Promise<void> {
    const wanted = async function* () {
      for await (const object of listed) if (isWanted(object)) yield object;
    };
    await atOnce(wanted(), OBJECTS_AT_ONCE, (object) => this.object(object));
  }

  private async object({ key, size, version }: ListedObject): Promise<void> {
    this.options.signal.throwIfAborted();
    if (!this.isCopied(key)) return this.write({ part: 'objects', name: key, size, sha256: null, chunks: [], version });
    const known = this.known.get(key);
    const isSame = known !== undefined && known.sha256 !== null && known.size === size && known.version === version;
    if (isSame && known.chunks.every((chunk) => this.present.has(chunk))) {
      for (const chunk of known.chunks) this.used.add(chunk);
      this.counted(size, false);
      return this.write(known);
    }
    try {
      const stored = await this.store(await this.source.get(key));
      await this.write({ part: 'objects', name: key, version, ...stored });
    } catch (error) {
      if (!(error instanceof ObjectNotFoundError)) throw error;
      this.gone += 1;
    }
  }

  private async store(content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    const { signal } = this.options;
    const pieces = async function* () {
      for await (const piece of content) {
        signal.throwIfAborted();
        yield piece;
      }
    };
    const stored = await this.target.store(pieces(), this.present, (bytes, isNew) => this.counted(bytes, isNew));
    for (const chunk of stored.chunks) this.used.add(chunk);
    return stored;
  }

  private counted(bytes: number, isNew: boolean): void {
    this.bytes += bytes;
    if (isNew) this.newBytes += bytes;
    this.total = Math.max(this.total, this.bytes);
    this.options.onProgress?.(this.bytes, this.total);
  }

  /** @throws BackupRefusedError if another process has removed chunks meanwhile */
  private async requireChunks(): Promise<void> {
    const missing = this.used.difference(await this.target.chunks());
    if (missing.size > 0)
      throw new BackupRefusedError(
        `${missing.size} chunks were removed while the backup ran, as by the removal of old backups: try again`,
      );
  }
}

/** The end of a copied log. */
async function endOf(folder: string): Promise<Backup['log']> {
  const reader = openSqliteEventReader({ directory: folder });
  const { logId, position } = await reader.head().finally(() => reader.close());
  if (logId === null || position === null)
    throw new BackupRefusedError('the event log is empty: there is nothing to keep');
  return { id: logId, position };
}
