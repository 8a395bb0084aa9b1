import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { EventStoreUnavailableError, type EventFilter, type EventMetadata, type RecordedEvent } from '../port.js';
import type { JsonObject } from '#domain/json.js';
import { LogNotFoundError, openForReading } from './database.js';
import { toPosition } from './position.js';
import { HIGHEST_REMOVED, LOG_ID } from './tables.js';

export type Direction = 'forwards' | 'backwards';

export interface Page {
  readonly events: readonly RecordedEvent[];
  /** Of the last row read: where the next page begins behind. Unchanged when nothing was read. */
  readonly next: number;
  /** No more rows were there when it was read. */
  readonly last: boolean;
  /** Of data and metadata, together. */
  readonly characters: number;
}

/** `[position, stream, revision, kind, id, data, metadata]`: arrays cost a third of objects. */
type Row = readonly [number, number, number, number, string, string, string];
const COLUMNS = 'position, stream, revision, kind, id, data, metadata';

const MOST_NAMES = 10_000;
const MOST_STATEMENTS = 64;
/** Above this, filtered reads look at every event: SQLite takes at most 500 parts of a compound query. */
const MOST_MERGED = 400;

/** One read-only connection to the log, in any thread or process. Synchronous: one page at a time. */
export class LogPages {
  readonly logId: string;
  private database: DatabaseSync;
  private readonly statements = new Map<string, StatementSync>();
  private readonly names = new Map<number, string>();
  private kinds: readonly Kind[] = [];

  /** @throws LogNotFoundError, LogVersionError */
  constructor(private readonly directory: string) {
    this.database = openForReading(directory);
    const [logId] = this.get(`SELECT value FROM meta WHERE name = '${LOG_ID}'`) ?? [];
    if (typeof logId !== 'string') {
      this.close();
      throw new LogNotFoundError(directory);
    }
    this.logId = logId;
  }

  /** The highest position given so far that the file knows of. */
  head(): number {
    const highest = `SELECT value FROM meta WHERE name = '${HIGHEST_REMOVED}'`;
    const [position] = this.get(
      `SELECT max(coalesce((SELECT max(position) FROM events), 0), coalesce((${highest}), 0))`,
    )!;
    return position as number;
  }

  /** The number of a stream, null when there is none of that name. */
  stream(name: string): number | null {
    const [id] = this.get('SELECT id FROM streams WHERE name = ?', name) ?? [];
    return (id as number | undefined) ?? null;
  }

  /** Events of one stream, from a revision, inclusive. `next` is a revision. */
  streamPage(stream: number, direction: Direction, from: number, limit: number): Page {
    const [behind, order] = direction === 'forwards' ? ['>=', 'ASC'] : ['<=', 'DESC'];
    const rows = this.all(
      `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision ${behind} ? ORDER BY revision ${order} LIMIT ?`,
      [stream, from, limit],
    );
    const step = direction === 'forwards' ? 1 : -1;
    const next = rows.length > 0 ? rows.at(-1)![2] + step : from;
    return { ...this.decode(rows), next, last: rows.length < limit };
  }

  /** Events of the log behind (forwards) or before (backwards) a position, exclusive. `next` is a position. */
  logPage(direction: Direction, after: number, filter: EventFilter | undefined, limit: number): Page {
    const kinds = filter && (filter.types || filter.categories) ? this.matching(filter) : null;
    if (kinds?.length === 0) return { events: [], next: after, last: true, characters: 0 };
    const rows = this.all(logQuery(direction, kinds), [after, limit]);
    return { ...this.decode(rows), next: rows.at(-1)?.[0] ?? after, last: rows.length < limit };
  }

  /** After an error of the database: a new connection. */
  reconnect(): void {
    this.close();
    this.statements.clear();
    this.database = openForReading(this.directory);
  }

  close(): void {
    if (this.database.isOpen) this.database.close();
  }

  private matching({ types, categories }: EventFilter): readonly number[] {
    this.refreshKinds();
    return this.kinds
      .filter(({ type, category }) => (types?.includes(type) ?? true) && (categories?.includes(category) ?? true))
      .map(({ id }) => id);
  }

  private refreshKinds(): void {
    const [count] = this.get('SELECT count(*) FROM kinds')!;
    if (count === this.kinds.length) return;
    const rows = this.prepared('SELECT id, category, type FROM kinds ORDER BY id').all() as unknown as Row[];
    this.kinds = (rows as unknown as [number, string, string][]).map(([id, category, type]) => ({
      id,
      category,
      type,
    }));
  }

  private decode(rows: readonly Row[]): Pick<Page, 'events' | 'characters'> {
    const events: RecordedEvent[] = [];
    let characters = 0;
    for (const [position, stream, revision, kind, id, data, metadata] of rows) {
      const name = this.name(stream);
      // Deleted since the row was read.
      if (name === null) continue;
      characters += data.length + metadata.length;
      events.push({
        id,
        type: this.type(kind),
        data: JSON.parse(data) as JsonObject,
        metadata: JSON.parse(metadata) as EventMetadata,
        stream: name,
        revision,
        position: toPosition(position),
      });
    }
    return { events, characters };
  }

  private name(stream: number): string | null {
    const known = this.names.get(stream);
    if (known !== undefined) return known;
    const [name] = this.get('SELECT name FROM streams WHERE id = ?', stream) ?? [];
    if (typeof name !== 'string') return null;
    if (this.names.size >= MOST_NAMES) this.names.delete(this.names.keys().next().value!);
    this.names.set(stream, name);
    return name;
  }

  /** Kinds are numbered from 1 without gaps, and never change. */
  private type(kind: number): string {
    if (kind > this.kinds.length) this.refreshKinds();
    return this.kinds[kind - 1]!.type;
  }

  private get(sql: string, ...parameters: (string | number)[]): readonly unknown[] | undefined {
    return this.reading(() => this.prepared(sql).get(...parameters) as unknown as readonly unknown[] | undefined);
  }

  private all<T = Row>(sql: string, parameters: readonly number[]): readonly T[] {
    return this.reading(() => this.prepared(sql).all(...parameters) as unknown as readonly T[]);
  }

  private reading<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw new EventStoreUnavailableError(`the event log cannot be read now: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  private prepared(sql: string): StatementSync {
    const known = this.statements.get(sql);
    if (known) return known;
    const statement = this.database.prepare(sql);
    if (this.statements.size >= MOST_STATEMENTS) this.statements.delete(this.statements.keys().next().value!);
    this.statements.set(sql, statement);
    return statement;
  }
}

interface Kind {
  readonly id: number;
  readonly category: string;
  readonly type: string;
}

/**
 * Filtered reads merge one index range for each kind: SQLite runs a sorted UNION ALL as a merge, row by row, so that a
 * page costs what it holds, however rare its events are. (`kind IN (...)` would sort all that are left, for each page.)
 */
function logQuery(direction: Direction, kinds: readonly number[] | null): string {
  const [behind, order] = direction === 'forwards' ? ['>', 'ASC'] : ['<', 'DESC'];
  const select = (where: string) =>
    `SELECT ${COLUMNS} FROM events WHERE ${where} position ${behind} ?1 AND stream NOT IN (SELECT stream FROM removed)`;
  const parts =
    kinds === null
      ? [select('')]
      : kinds.length > MOST_MERGED
        ? [select(`+kind IN (${kinds.join(', ')}) AND`)]
        : kinds.map((kind) => select(`kind = ${kind} AND`));
  return `${parts.join(' UNION ALL ')} ORDER BY position ${order} LIMIT ?2`;
}
