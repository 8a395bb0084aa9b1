import { existsSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf, place, writeSynced } from '#ports/object-store/folder/files.js';
import { markedFor } from '#ports/object-store/mark.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { sha256OfStream } from '#primitives/files/sha256.js';
import { atOnce } from '#primitives/waiting/at-once.js';
import { BackupDamagedError, type BackedUpFile, type Backup, type Part } from './manifest.js';
import type { BackupTarget } from './target.js';

export interface RestoreOptions {
  readonly target: BackupTarget;
  readonly backup: Backup;
  readonly parts: readonly Part[];
  /** Whether an object is brought back: not one that was deleted since, when the log of now stays. Default: each. */
  readonly isKept?: (key: string) => boolean;
  readonly to: {
    /** Folder of `log.db`. */
    readonly log: string;
    /** Folder of `coordination.db`. */
    readonly coordination: string;
    readonly objects: ObjectStore;
  };
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

export interface Restored {
  /** Files that were written. */
  readonly written: number;
  readonly bytes: number;
  /** Files that were there already, as they were backed up. */
  readonly kept: number;
  /** Objects that are there, but are not those of the backup: they stay as they are. */
  readonly others: readonly string[];
  /** Objects that the backup only names, and that the object store does not have. */
  readonly missing: readonly string[];
  /** Objects that were not brought back, as `isKept` says. */
  readonly deleted: number;
}

/** Something is in the way of a restore. */
export class RestoreRefusedError extends Error {
  override readonly name = 'RestoreRefusedError';
}

const OBJECTS_AT_ONCE = 8;

/**
 * Restores parts of a backup, each byte compared with what was backed up: objects first, the log last, so that a system whose restore was
 * interrupted does not start, and the same command continues. Replaces no database, and objects only together with the log.
 * @throws RestoreRefusedError before anything is written
 * @throws BackupDamagedError
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { target, backup, parts, to, isKept = () => true } = options;
  const all = (await target.files(backup)).filter(({ part }) => parts.includes(part));
  const files = all.filter(({ part, name }) => part !== 'objects' || isKept(name));
  for (const part of ['log', 'coordination'] as const)
    if (parts.includes(part) && !files.some((file) => file.part === part))
      throw new BackupDamagedError(`backup ${backup.id} is damaged: it has no ${part}.db`);
  const databases = files.filter(({ part }) => part !== 'objects');
  for (const file of databases) await requireFree(pathOf(file, to), file);
  if (parts.includes('objects')) await requireObjectsOf(backup, to.objects);
  const restored = await new Restore(options, files).run();
  return { ...restored, deleted: all.length - files.length };
}

const pathOf = ({ part, name }: BackedUpFile, to: RestoreOptions['to']): string =>
  join(part === 'log' ? to.log : to.coordination, name);

/** @throws RestoreRefusedError when another database is there, or what another one left */
async function requireFree(path: string, file: BackedUpFile): Promise<void> {
  for (const left of [`${path}-wal`, `${path}-journal`])
    if ((statSync(left, { throwIfNoEntry: false })?.size ?? 0) > 0)
      throw new RestoreRefusedError(
        `${left} is left from another ${file.name}, and would change the restored one: move both away first`,
      );
  if (existsSync(path) && (await digestOf(path)).sha256 !== file.sha256)
    throw new RestoreRefusedError(
      `${path} is there, and nothing is overwritten: move it away, restore into another folder (ANNEAL_DATA_DIR), or name with --only what is lost`,
    );
}

/** @throws RestoreRefusedError */
async function requireObjectsOf(backup: Backup, objects: ObjectStore): Promise<void> {
  const marked = await markedFor(objects);
  if (marked !== null && marked !== backup.log.id)
    throw new RestoreRefusedError(
      `the object store has objects of another event log (${marked}) than the backup (${backup.log.id}): name an empty one`,
    );
}

class Restore {
  private readonly total: number;
  private done = 0;
  private written = 0;
  private bytes = 0;
  private kept = 0;
  private readonly others: string[] = [];
  private readonly missing: string[] = [];

  constructor(
    private readonly options: RestoreOptions,
    private readonly files: readonly BackedUpFile[],
  ) {
    this.total = files.reduce((sum, { sha256, size }) => sum + (sha256 === null ? 0 : size), 0);
  }

  async run(): Promise<Omit<Restored, 'deleted'>> {
    const of = (part: Part) => this.files.filter((file) => file.part === part);
    await atOnce(of('objects'), OBJECTS_AT_ONCE, (file) => this.object(file));
    for (const file of [...of('coordination'), ...of('log')]) await this.database(file);
    const { written, bytes, kept } = this;
    return { written, bytes, kept, others: this.others.toSorted(), missing: this.missing.toSorted() };
  }

  private async object(file: BackedUpFile): Promise<void> {
    const { name, size, sha256 } = file;
    const { objects } = this.options.to;
    const found = await objects.stat(name);
    if (sha256 === null) {
      if (found?.size !== size) this.missing.push(name);
      return;
    }
    if (found?.size === size && (await sha256OfStream(await objects.get(name))) === sha256) return this.keep(size);
    if (found !== null && !this.options.parts.includes('log')) {
      this.others.push(name);
      return;
    }
    const stored = await objects.put(name, this.content(file));
    if (stored.sha256 !== sha256) throw isOther(name);
    this.wrote(size);
  }

  private async database(file: BackedUpFile): Promise<void> {
    const path = pathOf(file, this.options.to);
    if (existsSync(path)) return this.keep(file.size);
    const incoming = `${path}.restoring`;
    await mkdir(this.options.to[file.part === 'log' ? 'log' : 'coordination'], { recursive: true, mode: 0o700 });
    await rm(incoming, { force: true });
    const { sha256 } = await writeSynced(incoming, this.content(file), Infinity);
    if (sha256 !== file.sha256) throw isOther(file.name);
    await place(incoming, path);
    this.wrote(file.size);
  }

  private async *content(file: BackedUpFile): AsyncGenerator<Uint8Array> {
    for await (const bytes of this.options.target.content(file)) {
      this.options.signal.throwIfAborted();
      yield bytes;
      this.progressed(bytes.byteLength);
    }
  }

  private keep(size: number): void {
    this.kept += 1;
    this.progressed(size);
  }

  private wrote(size: number): void {
    this.written += 1;
    this.bytes += size;
  }

  private progressed(bytes: number): void {
    this.done += bytes;
    this.options.onProgress?.(this.done, this.total);
  }
}

const isOther = (name: string) =>
  new BackupDamagedError(`${name} is not what was copied: its SHA-256 is another than in the manifest`);
