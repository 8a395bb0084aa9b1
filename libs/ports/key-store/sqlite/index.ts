import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { requireNoTriggers } from '#primitives/sqlite/triggers.js';
import { KeyStoreUnavailableError, type KeyStore, type StoredSecret } from '../port.js';
import { KEYS_FILE } from './keys-file.js';

/**
 * Secrets in a SQLite file of its own folder, for any number of threads. Writes are rare (once in thousands of calls,
 * and at each erasure), so the calling thread makes them. A replaced secret is overwritten (`secure_delete`), and there
 * is no write-ahead log in which it could remain.
 */
export class SqliteKeyStore implements KeyStore {
  private readonly database: DatabaseSync;

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.database = new DatabaseSync(join(directory, KEYS_FILE), { timeout: 5_000 });
    this.database.exec(`
      PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; PRAGMA secure_delete = ON;
      CREATE TABLE IF NOT EXISTS secrets (id TEXT PRIMARY KEY, version INTEGER NOT NULL, bytes BLOB NOT NULL);
    `);
    try {
      requireNoTriggers(this.database, KEYS_FILE);
    } catch (error) {
      this.database.close();
      throw error;
    }
  }

  async get(id: string): Promise<StoredSecret | null> {
    const row = this.asking(() => this.database.prepare('SELECT version, bytes FROM secrets WHERE id = ?').get(id));
    return row ? { version: row['version'] as number, bytes: row['bytes'] as Uint8Array } : null;
  }

  async create(id: string, bytes: Uint8Array): Promise<void> {
    this.asking(() => this.database.prepare('INSERT INTO secrets VALUES (?, 1, ?)').run(id, bytes));
  }

  async replace(id: string, version: number, bytes: Uint8Array | null): Promise<boolean> {
    const { changes } = this.asking(() =>
      bytes === null
        ? this.database.prepare('DELETE FROM secrets WHERE id = ? AND version = ?').run(id, version)
        : this.database
            .prepare('UPDATE secrets SET version = version + 1, bytes = ? WHERE id = ? AND version = ?')
            .run(bytes, id, version),
    );
    return Number(changes) > 0;
  }

  async ids(): Promise<readonly string[]> {
    const rows = this.asking(() => this.database.prepare('SELECT id FROM secrets ORDER BY id').all());
    return rows.map(({ id }) => id as string);
  }

  async close(): Promise<void> {
    this.database.close();
  }

  private asking<T>(ask: () => T): T {
    try {
      return ask();
    } catch (error) {
      throw new KeyStoreUnavailableError(`the keys of contents: ${(error as Error).message}`, { cause: error });
    }
  }
}
