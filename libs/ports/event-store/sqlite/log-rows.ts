import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { EventStoreUnavailableError, type LogDamagedError } from '../port.js';
import { isDamage } from './damage.js';
import { openForReading } from './database.js';

export type Direction = 'forwards' | 'backwards';

/**
 * `[position, stream, revision, kind, id, data, metadata, checksum]`: arrays cost a third of objects. A packed event has bytes
 * as id and data.
 */
export type Row = readonly [
  ...[position: number, stream: number, revision: number, kind: number],
  ...[id: string | Uint8Array, data: string | Uint8Array, metadata: string, checksum: number | null],
];
export const COLUMNS = 'position, stream, revision, kind, id, data, metadata, checksum';

export interface Rows {
  readonly rows: readonly Row[];
  /** Whether the read found no more events. */
  readonly last: boolean;
}

export const NO_ROWS: Rows = { rows: [], last: true };

/**
 * Characters of event data after which a page ends, whatever its limit: the amount read and parsed before the event
 * loop gets its turn.
 */
export const PAGE_CHARACTERS = 512 * 1024;
/** Number of events of one read, whose size is not yet known: few at first, and more after small events. Each is 1 MiB at most. */
const MIN_TAIL = 8;
const MAX_TAIL = 32;

const MAX_STATEMENTS = 64;
/** Above this, filtered reads look at every event: SQLite takes at most 500 parts of a compound query. */
const MAX_MERGED = 400;

/** Rows of the log's file, read as many at once as a page may have. */
export class LogRows {
  private database: DatabaseSync;
  private readonly statements = new Map<string, Prepared>();
  private tail = MIN_TAIL;

  /**
   * @param damaged the error for damage that SQLite meets
   * @throws LogNotFoundError, LogVersionError, LogDamagedError
   */
  constructor(
    private readonly directory: string,
    private readonly damaged: (problem: string, options: ErrorOptions) => LogDamagedError,
  ) {
    this.database = openForReading(directory);
  }

  /** Opens a new connection after an error of the database. */
  reconnect(): void {
    this.close();
    this.statements.clear();
    this.database = openForReading(this.directory);
  }

  close(): void {
    if (this.database.isOpen) this.database.close();
  }

  get(sql: string, ...parameters: (string | number)[]): readonly unknown[] | undefined {
    return this.reading(
      () => this.prepared(sql).statement.get(...parameters) as unknown as readonly unknown[] | undefined,
    );
  }

  /** @param parameters the last is the limit */
  page(sql: string, parameters: readonly number[]): Rows {
    const limit = parameters.at(-1)!;
    const tail = Math.min(this.tail, limit);
    const query = this.reading(() => this.prepared(sql));
    // Most pages are the tail of the log: some events, which `all` reads in less time than `iterate`. A page that is longer would
    // be read twice, so none is tried after a long page of the same query: while history is read, and under load.
    const tried = tail === limit || query.isShort ? this.tailPage(sql, parameters, tail) : null;
    const page = tried ?? this.longPage(sql, parameters);
    query.isShort = page.last && page.rows.length < MAX_TAIL;
    return page;
  }

  /** @returns null when the page is longer than the tail */
  private tailPage(sql: string, parameters: readonly number[], tail: number): Rows | null {
    const limit = parameters.at(-1)!;
    const rows = this.all(sql, [...parameters.slice(0, -1), tail]);
    const size = rows.reduce((sum, row) => sum + charactersOf(row), 0);
    if (rows.length > 0) this.tail = tailOf(size / rows.length);
    const isWhole = rows.length < tail || tail === limit;
    return isWhole && size <= PAGE_CHARACTERS ? { rows, last: rows.length < limit } : null;
  }

  private longPage(sql: string, parameters: readonly number[]): Rows {
    return this.reading(() => {
      const rows: Row[] = [];
      let characters = 0;
      for (const row of this.prepared(sql).statement.iterate(...parameters) as unknown as Iterable<Row>) {
        rows.push(row);
        characters += charactersOf(row);
        if (characters > PAGE_CHARACTERS) break;
      }
      this.tail = tailOf(characters / Math.max(1, rows.length));
      return { rows, last: characters <= PAGE_CHARACTERS && rows.length < parameters.at(-1)! };
    });
  }

  all<T = Row>(sql: string, parameters: readonly number[]): readonly T[] {
    return this.reading(() => this.prepared(sql).statement.all(...parameters) as unknown as readonly T[]);
  }

  private reading<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (isDamage(error)) throw this.damaged((error as Error).message, { cause: error });
      throw new EventStoreUnavailableError(`the event log cannot be read now: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  private prepared(sql: string): Prepared {
    const known = this.statements.get(sql);
    if (known) return known;
    const prepared = { statement: this.database.prepare(sql), isShort: true };
    if (this.statements.size >= MAX_STATEMENTS) this.statements.delete(this.statements.keys().next().value!);
    this.statements.set(sql, prepared);
    return prepared;
  }
}

interface Prepared {
  readonly statement: StatementSync;
  /** Whether the last page read by it was the tail of the log or stream, and less than `MAX_TAIL` events. */
  isShort: boolean;
}

/** Length of the data. A damaged file may hold something other than a text there; the checksum reveals it. */
const charactersOf = ({ 5: data }: Row): number => (data instanceof Uint8Array ? data.length : String(data).length);

/** Number of events of a mean size, in characters, that fill a quarter of a page. */
const tailOf = (mean: number): number =>
  Math.max(MIN_TAIL, Math.min(MAX_TAIL, Math.floor(PAGE_CHARACTERS / 4 / (mean + 1))));

/**
 * Filtered reads merge one index range for each kind: SQLite runs a sorted UNION ALL as a merge, row by row, so that a
 * page's cost depends on its own size, however rare its events are. (`kind IN (...)` would sort all remaining rows for
 * each page.) SQLite plans by the value of a bare `LIMIT ?`, and so plans again each time one is bound: 0.2 ms for 40 kinds.
 */
export function logQuery(direction: Direction, kinds: readonly number[] | null): string {
  const [behind, order] = direction === 'forwards' ? ['>', 'ASC'] : ['<', 'DESC'];
  const select = (where: string) =>
    `SELECT ${COLUMNS} FROM events WHERE ${where} position ${behind} ?1 AND stream NOT IN (SELECT stream FROM removed)`;
  const parts =
    kinds === null
      ? [select('')]
      : kinds.length > MAX_MERGED
        ? [select(`+kind IN (${kinds.join(', ')}) AND`)]
        : kinds.map((kind) => select(`kind = ${kind} AND`));
  return `${parts.join(' UNION ALL ')} ORDER BY position ${order} LIMIT CAST(?2 AS INTEGER)`;
}
