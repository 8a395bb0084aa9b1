import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Durability } from '#ports/event-store/sqlite/index.js';
import type { EventToAppend } from '#ports/event-store/port.js';

/**
 * The baseline of appends: the same rows inserted into SQLite in a loop, a number of them per transaction, each in its own
 * stream.
 */
export class PlainInserts {
  private readonly database: DatabaseSync;
  private readonly insert: StatementSync;
  private readonly begin: StatementSync;
  private readonly commit: StatementSync;
  private revision = 0;
  private rows = 0;
  private seconds = 0;

  constructor(
    directory: string,
    durability: Durability,
    private readonly options: {
      /** Whether the table has the one index that reading a stream needs. */
      readonly indexed: boolean;
      readonly streamLength: number;
      readonly anEvent: (revision: number) => EventToAppend;
    },
  ) {
    this.database = new DatabaseSync(join(directory, `plain-${randomUUID()}.db`));
    this.database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${durability};
      CREATE TABLE events (
        position INTEGER PRIMARY KEY, stream TEXT, revision INTEGER, type TEXT, id TEXT, data TEXT, metadata TEXT
      );
    `);
    if (options.indexed) this.database.exec('CREATE UNIQUE INDEX events_by_stream ON events (stream, revision)');
    this.insert = this.database.prepare(
      'INSERT INTO events (stream, revision, type, id, data, metadata) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.begin = this.database.prepare('BEGIN');
    this.commit = this.database.prepare('COMMIT');
  }

  /** Inserts for `seconds`, with `rows` rows in each transaction. */
  run(rows: number, seconds: number): void {
    const { anEvent, streamLength } = this.options;
    const newStreams = () => Array.from({ length: rows }, () => `bench-${randomUUID()}`);
    let streams = newStreams();
    const start = performance.now();
    while (performance.now() < start + seconds * 1000) {
      if (this.revision % streamLength === 0) streams = newStreams();
      this.begin.run();
      for (const stream of streams) {
        const { id, type, data, metadata } = anEvent(this.revision);
        this.insert.run(stream, this.revision, type, id, JSON.stringify(data), JSON.stringify(metadata));
      }
      this.commit.run();
      this.revision += 1;
      this.rows += rows;
    }
    this.seconds += (performance.now() - start) / 1000;
  }

  /** Rows a second so far. */
  get rate(): number {
    return this.rows / this.seconds;
  }

  close(): void {
    this.database.close();
  }
}
