import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Collection, Index } from '../port.js';
import { isDamage } from './result-codes.js';

export interface CatalogedFile {
  readonly name: string;
  readonly version: number;
  /** File name within the folder; a new one each time the collection is created. */
  readonly file: string;
  readonly indexes: readonly Index[];
}

interface Contents {
  readonly collections: ReadonlyMap<string, CatalogedFile>;
  readonly active: ReadonlyMap<string, number>;
}

/** Format of the catalog and the collection files. */
export const READ_MODELS_FORMAT = 1;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS collections (
    name TEXT NOT NULL, version INTEGER NOT NULL, file TEXT NOT NULL, indexes TEXT NOT NULL,
    PRIMARY KEY (name, version)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS active (name TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
`;

/**
 * The collections, their files, and the active version of each. Every thread opens its own catalog; a change in one is
 * seen by all at their next step.
 */
export class FileCatalog {
  private readonly database: DatabaseSync;
  private readonly dataVersion: StatementSync;
  private seenVersion = -1;
  private contents: Contents = { collections: new Map(), active: new Map() };

  constructor(
    private readonly directory: string,
    readOnly: boolean,
  ) {
    mkdirSync(directory, { recursive: true });
    const file = join(directory, 'catalog.db');
    if (!readOnly || !existsSync(file)) ensureCatalog(file);
    this.database = new DatabaseSync(file, { readOnly, timeout: 5_000 });
    if (!readOnly) this.database.exec('PRAGMA synchronous = NORMAL');
    this.dataVersion = this.database.prepare('PRAGMA data_version');
  }

  /** The catalog's present contents; the same object until they change. */
  read(): Contents {
    const version = this.dataVersion.get()?.['data_version'] as number;
    if (version !== this.seenVersion) {
      this.seenVersion = version;
      this.contents = this.load();
    }
    return this.contents;
  }

  entry(name: string, version: number): CatalogedFile | undefined {
    return this.read().collections.get(entryKey(name, version));
  }

  activeEntry(name: string): CatalogedFile | undefined {
    const version = this.read().active.get(name);
    return version === undefined ? undefined : this.entry(name, version);
  }

  /** A name for a new file. The collection exists once it has been recorded. */
  newFile({ name, version }: Collection): string {
    return `${name}-v${version}-${randomBytes(4).toString('hex')}.db`;
  }

  record({ name, version, file, indexes }: CatalogedFile): void {
    this.database
      .prepare(
        `INSERT INTO collections (name, version, file, indexes) VALUES (?, ?, ?, ?)
         ON CONFLICT (name, version) DO UPDATE SET file = excluded.file, indexes = excluded.indexes`,
      )
      .run(name, version, file, JSON.stringify(indexes));
    this.seenVersion = -1;
  }

  forget(name: string, version: number): void {
    this.database.prepare('DELETE FROM collections WHERE name = ? AND version = ?').run(name, version);
    this.seenVersion = -1;
  }

  activate(name: string, version: number): void {
    this.database
      .prepare('INSERT INTO active VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET version = excluded.version')
      .run(name, version);
    this.seenVersion = -1;
  }

  /** Removes files that no collection owns: leftovers of a crash. */
  removeOrphans(): void {
    const owned = [...this.read().collections.values()].map((entry) => entry.file);
    for (const file of readdirSync(this.directory)) {
      const known = file.startsWith('catalog.db') || owned.some((own) => file.startsWith(own));
      if (!known && /-v\d+-[0-9a-f]{8}\.db(-wal|-shm)?$/.test(file))
        rmSync(join(this.directory, file), { force: true });
    }
  }

  close(): void {
    this.database.close();
  }

  private load(): Contents {
    const collections = new Map<string, CatalogedFile>();
    for (const row of this.database.prepare('SELECT name, version, file, indexes FROM collections').all()) {
      const { name, version, file, indexes } = row as { name: string; version: number; file: string; indexes: string };
      collections.set(entryKey(name, version), { name, version, file, indexes: JSON.parse(indexes) as Index[] });
    }
    const rows = this.database.prepare('SELECT name, version FROM active').all();
    return {
      collections,
      active: new Map(rows.map((row) => [row['name'] as string, row['version'] as number])),
    };
  }
}

const entryKey = (name: string, version: number): string => `${name}@${version}`;

export function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

/** A catalog that is damaged or of another format is recreated: every collection can be rebuilt. */
function ensureCatalog(file: string): void {
  try {
    if (createCatalog(file)) return;
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  removeDatabase(file);
  createCatalog(file);
}

/** @returns whether it is of this format */
function createCatalog(file: string): boolean {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    database.exec('PRAGMA synchronous = NORMAL; PRAGMA journal_mode = WAL');
    const format = database.prepare('PRAGMA user_version').get()!['user_version'];
    if (format !== 0 && format !== READ_MODELS_FORMAT) return false;
    database.exec(`${SCHEMA}; PRAGMA user_version = ${READ_MODELS_FORMAT}`);
    return true;
  } finally {
    database.close();
  }
}
