import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  EventStoreUnavailableError,
  LogDamagedError,
  type EventFilter,
  type EventMetadata,
  type RecordedEvent,
} from '../port.js';
import type { JsonObject } from '#domain/json.js';
import type { CheckedPage } from './checked-page.js';
import { checksumOf } from './checksum.js';
import { isDamage } from './damage.js';
import { LogNotFoundError, openForReading } from './database.js';
import { toPosition } from './position.js';
import { HIGHEST_REMOVED, LOG_ID } from './tables.js';

type Direction = 'forwards' | 'backwards';

export interface Page {
  readonly events: readonly RecordedEvent[];
  /** Position of the last row read, after which the next page starts; unchanged if no row was read. */
  readonly next: number;
  /** Whether the page reached the end of the log. */
  readonly last: boolean;
  /** Characters of data and metadata together. */
  readonly characters: number;
}

/** `[position, stream, revision, kind, id, data, metadata, checksum]`: arrays cost a third of objects. */
type Row = readonly [number, number, number, number, string, string, string, number | null];
const COLUMNS = 'position, stream, revision, kind, id, data, metadata, checksum';

const STREAM_BY_NAME = 'SELECT id FROM streams WHERE name = ?';

/**
 * Characters of event data after which a page ends, whatever its limit: what is read and parsed before the event loop gets its turn.
 */
export const PAGE_CHARACTERS = 512 * 1024;
/** Events read at once, before their size is known: few at first, and more where those read last were small. Each is 1 MiB at most. */
const MIN_TAIL = 8;
const MAX_TAIL = 32;

const MAX_NAMES = 10_000;
const MAX_STATEMENTS = 64;
/** Above this, filtered reads look at every event: SQLite takes at most 500 parts of a compound query. */
const MAX_MERGED = 400;

/**
 * A read-only connection to the log, in any thread or process. Reads one page at a time, synchronously. Throws
 * LogDamagedError for damaged events instead of leaving them out.
 */
export class LogPages {
  readonly logId: string;
  private database: DatabaseSync;
  private readonly statements = new Map<string, Prepared>();
  private readonly names = new Map<number, string>();
  private kinds: readonly Kind[] = [];
  private tail = MIN_TAIL;
  /** The log is known to be damaged somewhere. */
  private suspect = false;

  /**
   * @param onDamage told of all damage that is met
   * @throws LogNotFoundError, LogVersionError, LogDamagedError
   */
  constructor(
    private readonly directory: string,
    private readonly onDamage: (error: LogDamagedError) => void = () => undefined,
  ) {
    this.database = openForReading(directory);
    const [logId] = this.get(`SELECT value FROM meta WHERE name = '${LOG_ID}'`) ?? [];
    if (typeof logId !== 'string') {
      const isFilled = this.get('SELECT 1 FROM events LIMIT 1') !== undefined;
      this.close();
      throw isFilled ? new LogDamagedError(null, 'its id is missing') : new LogNotFoundError(directory);
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
    const [id] = this.get(STREAM_BY_NAME, name) ?? [];
    if (id !== undefined) return id as number;
    if (!this.suspect) return null;
    // An index may have lost it, which SQLite does not notice.
    const [unindexed] = this.get('SELECT id FROM streams NOT INDEXED WHERE name = ?', name) ?? [];
    return (unindexed as number | undefined) ?? null;
  }

  /** Events of one stream, from a revision, inclusive. `next` is a revision. */
  streamPage(stream: number, direction: Direction, from: number, limit: number): Page {
    const [behind, order] = direction === 'forwards' ? ['>=', 'ASC'] : ['<=', 'DESC'];
    const { rows, last } = this.page(
      `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision ${behind} ? ORDER BY revision ${order} LIMIT ?`,
      [stream, from, limit],
    );
    const step = direction === 'forwards' ? 1 : -1;
    const next = rows.length > 0 ? rows.at(-1)![2] + step : from;
    this.requireAll(stream, rows, direction, from, last);
    return { ...this.decode(rows), next, last };
  }

  /**
   * Events of the log behind (forwards) or before (backwards) a position, exclusive. `next` is a position.
   * @param fresh they were written a moment ago: their checksums are left to those who read them later
   */
  logPage(direction: Direction, after: number, filter: EventFilter | undefined, limit: number, fresh = false): Page {
    const { rows, last } = this.rows(direction, after, filter, limit);
    return { ...this.decode(rows, fresh), next: rows.at(-1)?.[0] ?? after, last };
  }

  /**
   * Events of the log behind a position, each also found by every index: one that an index has lost would be missing from
   * some reads without a word.
   */
  checkedPage(after: number, limit: number): Omit<CheckedPage, 'head'> {
    const rows = this.all(logQuery('forwards', null), [after, limit]);
    for (const row of rows) if (this.event(row)) this.requireIndexed(row);
    return {
      damage: [],
      next: rows.at(-1)?.[0] ?? after,
      last: rows.length < limit,
      events: rows.length,
      unchecked: rows.filter((row) => row[7] === null).length,
    };
  }

  /** Problems that SQLite finds in the pages of the file. Takes seconds for each GB. */
  structure(): readonly string[] {
    return this.all<readonly [string]>('PRAGMA quick_check(100)', [])
      .map(([problem]) => problem)
      .filter((problem) => problem !== 'ok');
  }

  /** Damage that was met here, or by a check. */
  meet(error: LogDamagedError): void {
    this.suspect = true;
    this.onDamage(error);
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

  /**
   * Kinds are read after the rows, and the rows again where there are new kinds: an event of a kind that came between the two
   * reads would be missing, and never be looked for again where a later one is there.
   */
  private rows(direction: Direction, after: number, filter: EventFilter | undefined, limit: number): Rows {
    if (!filter?.types && !filter?.categories) return this.page(logQuery(direction, null), [after, limit]);
    for (;;) {
      const kinds = this.matching(filter);
      const read = kinds.length === 0 ? NO_ROWS : this.page(logQuery(direction, kinds), [after, limit]);
      if (!this.refreshKinds()) return read;
    }
  }

  private matching({ types, categories }: EventFilter): readonly number[] {
    return this.kinds
      .filter(({ type, category }) => (types?.includes(type) ?? true) && (categories?.includes(category) ?? true))
      .map(({ id }) => id);
  }

  /** @returns whether there are more than were known */
  private refreshKinds(): boolean {
    const [count] = this.get('SELECT count(*) FROM kinds')!;
    if (count === this.kinds.length) return false;
    const rows = this.all<readonly [number, string, string]>('SELECT id, category, type FROM kinds ORDER BY id', []);
    this.kinds = rows.map(([id, category, type]) => ({ id, category, type }));
    return true;
  }

  private decode(rows: readonly Row[], fresh = false): Pick<Page, 'events' | 'characters'> {
    const events: RecordedEvent[] = [];
    let characters = 0;
    for (const row of rows) {
      const event = this.event(row, fresh);
      if (!event) continue;
      characters += row[5].length + row[6].length;
      events.push(event);
    }
    return { events, characters };
  }

  /** null for what was deleted since the row was read. */
  private event(row: Row, fresh = false): RecordedEvent | null {
    const [position, stream, revision, kind, id, data, metadata, checksum] = row;
    const name = this.name(stream);
    if (name === null) {
      if (this.isDeleted(stream, position)) return null;
      throw this.damaged(position, 'the name of its stream is lost');
    }
    const type = this.type(kind);
    if (type === null) throw this.damaged(position, 'its type is lost');
    if (!fresh && checksum !== null && checksum !== checksumOf(position, name, revision, type, id, data, metadata))
      throw this.damaged(position, 'its checksum does not fit');
    try {
      return {
        id,
        type,
        data: JSON.parse(data) as JsonObject,
        metadata: JSON.parse(metadata) as EventMetadata,
        stream: name,
        revision,
        position: toPosition(position),
      };
    } catch {
      throw this.damaged(position, 'its content is no JSON');
    }
  }

  /** Revisions have no gaps. Events cleared away meanwhile go from the stream's end. */
  private requireAll(stream: number, rows: readonly Row[], direction: Direction, from: number, last: boolean): void {
    const forwards = direction === 'forwards';
    const start = forwards ? from : (rows[0]?.[2] ?? 0);
    const gap = rows.findIndex((row, index) => row[2] !== (forwards ? start + index : start - index));
    const [at] = gap < 0 ? [] : rows[gap]!;
    if (at !== undefined) throw this.damaged(at, 'an event before it in its stream is missing');
    const first = forwards ? from === 0 : from === Number.MAX_SAFE_INTEGER;
    const lost = rows.length === 0 ? first : !forwards && last && rows.at(-1)![2] !== 0;
    if (lost && this.get('SELECT 1 FROM streams WHERE id = ?', stream))
      throw this.damaged(rows.at(-1)?.[0] ?? null, 'events of a stream are missing');
  }

  private requireIndexed([position, stream, revision, kind]: Row): void {
    const name = this.name(stream);
    const found =
      (name === null || this.get(STREAM_BY_NAME, name)?.[0] === stream) &&
      this.get('SELECT position FROM events WHERE stream = ? AND revision = ?', stream, revision)?.[0] === position &&
      this.get('SELECT 1 FROM events INDEXED BY events_by_kind WHERE kind = ? AND position = ?', kind, position);
    if (!found && !this.isDeleted(stream, position)) throw this.damaged(position, 'an index has lost it');
  }

  private isDeleted(stream: number, position: number): boolean {
    if (this.get('SELECT 1 FROM removed WHERE stream = ?', stream)) return true;
    return this.get('SELECT 1 FROM events WHERE position = ?', position) === undefined;
  }

  private damaged(position: number | null, problem: string, options?: ErrorOptions): LogDamagedError {
    const error = new LogDamagedError(position === null ? null : toPosition(position), problem, options);
    this.meet(error);
    return error;
  }

  private name(stream: number): string | null {
    const known = this.names.get(stream);
    if (known !== undefined) return known;
    const [name] = this.get('SELECT name FROM streams WHERE id = ?', stream) ?? [];
    if (typeof name !== 'string') return null;
    if (this.names.size >= MAX_NAMES) this.names.delete(this.names.keys().next().value!);
    this.names.set(stream, name);
    return name;
  }

  /** Kinds are numbered from 1 without gaps, and never change. */
  private type(kind: number): string | null {
    if (kind > this.kinds.length) this.refreshKinds();
    return this.kinds[kind - 1]?.type ?? null;
  }

  private get(sql: string, ...parameters: (string | number)[]): readonly unknown[] | undefined {
    return this.reading(
      () => this.prepared(sql).statement.get(...parameters) as unknown as readonly unknown[] | undefined,
    );
  }

  /** @param parameters the last is the limit */
  private page(sql: string, parameters: readonly number[]): Rows {
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

  private all<T = Row>(sql: string, parameters: readonly number[]): readonly T[] {
    return this.reading(() => this.prepared(sql).statement.all(...parameters) as unknown as readonly T[]);
  }

  private reading<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (isDamage(error)) throw this.damaged(null, (error as Error).message, { cause: error });
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
  /** The last page read by it was the tail of the log or stream, and less than `MAX_TAIL` events. */
  isShort: boolean;
}

/** Length of the data. A damaged file may hold something other than a text there; the checksum reveals it. */
const charactersOf = (row: Row): number => String(row[5]).length;

/** Number of events of a mean size, in characters, that fill a quarter of a page. */
const tailOf = (mean: number): number =>
  Math.max(MIN_TAIL, Math.min(MAX_TAIL, Math.floor(PAGE_CHARACTERS / 4 / (mean + 1))));

interface Rows {
  readonly rows: readonly Row[];
  /** No more were there when they were read. */
  readonly last: boolean;
}

const NO_ROWS: Rows = { rows: [], last: true };

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
      : kinds.length > MAX_MERGED
        ? [select(`+kind IN (${kinds.join(', ')}) AND`)]
        : kinds.map((kind) => select(`kind = ${kind} AND`));
  return `${parts.join(' UNION ALL ')} ORDER BY position ${order} LIMIT ?2`;
}
