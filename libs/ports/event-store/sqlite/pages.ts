import { ARCHIVED, ArchiveReader, isSegmentKey } from '../archive/index.js';
import { LogDamagedError, type EventFilter, type EventMetadata, type HeldEvent, type RecordedEvent } from '../port.js';
import type { JsonObject } from '#domain/json.js';
import { categoryOf } from '#domain/streams.js';
import type { CheckedPage } from './checked-page.js';
import { checksumOf, packedChecksumOf } from './checksum.js';
import { LogNotFoundError } from './database.js';
import { HELD_AT, HELD_COLUMNS, type HeldRow } from './held.js';
import { COLUMNS, LogRows, logQuery, NO_ROWS, type Direction, type Row, type Rows } from './log-rows.js';
import { Unpacker, uuidText } from '#primitives/packing/index.js';
import { toPosition } from './position.js';
import { positionOfEnd, SEALED_END } from './sealed-rows.js';
import { TEXT_COLUMNS, Texts, type TextRow } from './texts.js';
import { HIGHEST_REMOVED, LOG_ID } from './tables.js';

export interface Page {
  readonly events: readonly RecordedEvent[];
  /** Position of the last row read, after which the next page starts; unchanged if no row was read. */
  readonly next: number;
  /** Whether the page reached the end of the log. */
  readonly last: boolean;
  /** Characters of data and metadata together. */
  readonly characters: number;
  /** The rows of a page of which some are archived: `events` is empty until `complete` has read those. */
  readonly incomplete?: readonly Row[];
}

const STREAM_BY_NAME = 'SELECT id FROM streams WHERE name = ?';

/** The lowest position. Reads of the whole log begin here. */
const FIRST = 1;

const MAX_NAMES = 10_000;

/**
 * A read-only connection to the log, in any thread or process. Reads one page at a time, synchronously. Throws
 * LogDamagedError for damaged events instead of leaving them out.
 */
export class LogPages {
  readonly logId: string;
  private readonly read: LogRows;
  private readonly names = new Map<number, string>();
  private kinds: readonly Kind[] = [];
  private readonly texts = new Texts((id) =>
    this.read.all<TextRow>(`SELECT ${TEXT_COLUMNS} FROM texts WHERE id > ? ORDER BY id`, [id]),
  );
  private readonly unpacker = new Unpacker((id) => this.texts.get(id));
  /** Whether the log is known to be damaged. */
  private suspect = false;

  /**
   * @param onDamage called with all damage found
   * @throws LogNotFoundError, LogVersionError, LogDamagedError
   */
  constructor(
    directory: string,
    private readonly onDamage: (error: LogDamagedError) => void = () => undefined,
    private readonly archive = new ArchiveReader(undefined),
  ) {
    this.read = new LogRows(directory, (problem, options) => this.damaged(null, problem, options));
    const [logId] = this.read.get(`SELECT value FROM meta WHERE name = '${LOG_ID}'`) ?? [];
    if (typeof logId !== 'string') {
      const isFilled = this.read.get('SELECT 1 FROM events LIMIT 1') !== undefined;
      this.close();
      throw isFilled ? new LogDamagedError(null, 'its id is missing') : new LogNotFoundError(directory);
    }
    this.logId = logId;
  }

  /** The highest position given so far that the file knows of. */
  head(): number {
    const highest = `SELECT value FROM meta WHERE name = '${HIGHEST_REMOVED}'`;
    const [position] = this.read.get(
      `SELECT max(coalesce((SELECT max(position) FROM events), 0), coalesce((${highest}), 0))`,
    )!;
    return position as number;
  }

  /** The position up to which this installation has written the log; null: it has no seal. Later events are somebody else's. */
  sealedEnd(): number | null {
    const meta = (name: string) => this.read.get('SELECT value FROM meta WHERE name = ?', name)?.[0] ?? null;
    const end = meta(SEALED_END);
    const position = typeof end === 'string' ? positionOfEnd(end) : null;
    return position && Math.max(position, Number(meta(HIGHEST_REMOVED)));
  }

  /** The texts that packed events refer to, by their ids. */
  knownTexts(): ReadonlyMap<number, string> {
    return this.texts.all();
  }

  /** The events that are held beside the log. @throws LogDamagedError */
  heldEvents(): readonly HeldEvent[] {
    return this.read.all<HeldRow>(`SELECT ${HELD_COLUMNS} FROM open_calls`, []).map((row) => {
      const [id, stream, type, data, metadata, checksum] = row;
      const expected =
        data instanceof Uint8Array
          ? packedChecksumOf(HELD_AT, stream, HELD_AT, type, id, data)
          : checksumOf(HELD_AT, stream, HELD_AT, type, id, data, metadata);
      if (checksum !== expected) throw this.damaged(null, 'the checksum of a call that was open does not fit');
      const [fields, facts] = this.contents(null, data, metadata);
      return { id, type, data: fields, metadata: facts, stream };
    });
  }

  /** The number of a stream, null if no stream has that name. */
  stream(name: string): number | null {
    const [id] = this.read.get(STREAM_BY_NAME, name) ?? [];
    if (id !== undefined) return id as number;
    if (!this.suspect) return null;
    // An index may have lost it, which SQLite does not notice.
    const [unindexed] = this.read.get('SELECT id FROM streams NOT INDEXED WHERE name = ?', name) ?? [];
    return (unindexed as number | undefined) ?? null;
  }

  /** Events of one stream, from a revision, inclusive. `next` is a revision. */
  streamPage(stream: number, direction: Direction, from: number, limit: number): Page {
    const [behind, order] = direction === 'forwards' ? ['>=', 'ASC'] : ['<=', 'DESC'];
    const { rows, last } = this.read.page(
      `SELECT ${COLUMNS} FROM events WHERE stream = ? AND revision ${behind} ? ORDER BY revision ${order} LIMIT CAST(? AS INTEGER)`,
      [stream, from, limit],
    );
    const step = direction === 'forwards' ? 1 : -1;
    const next = rows.length > 0 ? rows.at(-1)![2] + step : from;
    this.requireAll(stream, rows, direction, from, last);
    return { ...this.decodeStored(rows), next, last };
  }

  /**
   * Events of the log after (forwards) or before (backwards) a position, exclusive. `next` is a position.
   * @param fresh they were just written: their checksums are left to later readers
   */
  logPage(direction: Direction, after: number, filter: EventFilter | undefined, limit: number, fresh = false): Page {
    const { rows, last } = this.rows(direction, after, filter, limit);
    return { ...this.decodeStored(rows, fresh), next: rows.at(-1)?.[0] ?? after, last };
  }

  /**
   * The same page with its archived events.
   * @throws LogDamagedError, EventStoreUnavailableError
   */
  complete(page: Page): Page | Promise<Page> {
    return page.incomplete ? this.completed(page, page.incomplete) : page;
  }

  /**
   * Events of the log after a position, each also found by every index: one that an index has lost would be missing from
   * some reads without a word. Of archived events only the place is checked.
   */
  checkedPage(after: number, limit: number): Omit<CheckedPage, 'head'> {
    const rows = this.read.all(logQuery('forwards', null), [after, limit]);
    for (const row of rows) if (this.isInArchive(row) || this.event(row)) this.requireIndexed(row);
    return {
      damage: [],
      next: rows.at(-1)?.[0] ?? after,
      last: rows.length < limit,
      events: rows.length,
      unchecked: rows.filter((row) => row[7] === null || isArchived(row)).length,
    };
  }

  /** Problems of the whole file, and those that SQLite finds in its pages. Takes seconds for each GB. */
  structure(): readonly string[] {
    const texts = (sql: string) => this.read.all<readonly [string]>(sql, []).map(([text]) => text);
    return [
      ...texts(`SELECT 'events stand before the first position' FROM events WHERE position < ${FIRST} LIMIT 1`),
      ...texts(`SELECT 'the stream ' || name || ' is marked as removed, and is still there'
                FROM streams WHERE id IN (SELECT stream FROM removed) LIMIT 100`),
      ...this.heldProblems(),
      ...texts('PRAGMA quick_check(100)').filter((problem) => problem !== 'ok'),
    ];
  }

  private heldProblems(): readonly string[] {
    // Earlier formats have no such table.
    if (!this.read.get(`SELECT 1 FROM sqlite_schema WHERE name = 'open_calls'`)) return [];
    try {
      this.heldEvents();
      return [];
    } catch (error) {
      if (!(error instanceof LogDamagedError)) throw error;
      return [error.problem];
    }
  }

  /** Damage found by a read of this process, or by a check. */
  meet(error: LogDamagedError): void {
    this.suspect = true;
    this.onDamage(error);
  }

  /** Opens a new connection after an error of the database. */
  reconnect(): void {
    this.read.reconnect();
  }

  close(): void {
    this.read.close();
  }

  /**
   * Kinds are read after the rows, and the rows again if there are new kinds: an event of a kind added between the two
   * reads would be missing, and never be searched again if a later one exists.
   */
  private rows(direction: Direction, after: number, filter: EventFilter | undefined, limit: number): Rows {
    if (!filter?.types && !filter?.categories) return this.read.page(logQuery(direction, null), [after, limit]);
    for (;;) {
      const kinds = this.matching(filter);
      const read = kinds.length === 0 ? NO_ROWS : this.read.page(logQuery(direction, kinds), [after, limit]);
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
    const [count] = this.read.get('SELECT count(*) FROM kinds')!;
    if (count === this.kinds.length) return false;
    const rows = this.read.all<readonly [number, string, string]>(
      'SELECT id, category, type FROM kinds ORDER BY id',
      [],
    );
    this.kinds = rows.map(([id, category, type]) => ({ id, category, type }));
    return true;
  }

  private decodeStored(rows: readonly Row[], fresh = false): Pick<Page, 'events' | 'characters' | 'incomplete'> {
    return rows.some(isArchived) ? { events: [], characters: 0, incomplete: rows } : this.decode(rows, fresh);
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

  /** null for content that was deleted since the row was read. */
  private event(row: Row, fresh = false): RecordedEvent | null {
    const [position, stream, revision, kind, storedId, data, metadata, checksum] = row;
    const id = storedId instanceof Uint8Array ? uuidText(storedId) : storedId;
    if (position < FIRST) throw this.damaged(position, 'it stands before the first position');
    const name = this.name(stream);
    if (name === null) {
      if (this.isDeleted(stream, position)) return null;
      throw this.damaged(position, 'the name of its stream is lost');
    }
    const type = this.type(kind);
    if (type === null) throw this.damaged(position, 'its type is lost');
    const expected = () =>
      data instanceof Uint8Array
        ? packedChecksumOf(position, name, revision, type, id, data)
        : checksumOf(position, name, revision, type, id, data, metadata);
    if (!fresh && checksum !== null && checksum !== expected())
      throw this.damaged(position, 'its checksum does not fit');
    const [fields, facts] = this.contents(position, data, metadata);
    return { id, type, data: fields, metadata: facts, stream: name, revision, position: toPosition(position) };
  }

  private contents(position: number | null, data: string | Uint8Array, metadata: string): [JsonObject, EventMetadata] {
    if (data instanceof Uint8Array)
      try {
        return this.unpacker.unpack(data) as unknown as [JsonObject, EventMetadata];
      } catch (error) {
        throw this.damaged(position, `its content cannot be unpacked: ${(error as Error).message}`);
      }
    try {
      return [JSON.parse(data) as JsonObject, JSON.parse(metadata) as EventMetadata];
    } catch {
      throw this.damaged(position, 'its content is no JSON');
    }
  }

  private async completed({ next, last }: Page, incomplete: readonly Row[]): Promise<Page> {
    const rows: Row[] = [];
    for (const row of incomplete) rows.push(isArchived(row) ? await this.fromArchive(row) : row);
    return { ...this.decode(rows), next, last };
  }

  private async fromArchive([position, stream, revision, kind, id, , segment, checksum]: Row): Promise<Row> {
    try {
      const { data, metadata } = await this.archive.event(segment, toPosition(position));
      return [position, stream, revision, kind, id, data, metadata, checksum];
    } catch (error) {
      if (error instanceof LogDamagedError) this.meet(error);
      throw error;
    }
  }

  /** Whether the row names a segment of the archive. A row that lost its texts does not. */
  private isInArchive(row: Row): boolean {
    return isArchived(row) && isSegmentKey(row[6]);
  }

  /** Revisions have no gaps. Events cleared since the read are missing from the stream's end. */
  private requireAll(stream: number, rows: readonly Row[], direction: Direction, from: number, last: boolean): void {
    const forwards = direction === 'forwards';
    const start = forwards ? from : (rows[0]?.[2] ?? 0);
    const gap = rows.findIndex((row, index) => row[2] !== (forwards ? start + index : start - index));
    const [at] = gap < 0 ? [] : rows[gap]!;
    if (at !== undefined) throw this.damaged(at, 'an event before it in its stream is missing');
    const first = forwards ? from === 0 : from === Number.MAX_SAFE_INTEGER;
    const lost = rows.length === 0 ? first : !forwards && last && rows.at(-1)![2] !== 0;
    if (lost && this.read.get('SELECT 1 FROM streams WHERE id = ?', stream))
      throw this.damaged(rows.at(-1)?.[0] ?? null, 'events of a stream are missing');
  }

  private requireIndexed([position, stream, revision, kind]: Row): void {
    const name = this.name(stream);
    if (name !== null && this.kinds[kind - 1]!.category !== categoryOf(name))
      throw this.damaged(position, 'its type has another category');
    const found =
      (name === null || this.read.get(STREAM_BY_NAME, name)?.[0] === stream) &&
      this.read.get('SELECT position FROM events WHERE stream = ? AND revision = ?', stream, revision)?.[0] ===
        position &&
      this.read.get('SELECT 1 FROM events INDEXED BY events_by_kind WHERE kind = ? AND position = ?', kind, position);
    if (!found && !this.isDeleted(stream, position)) throw this.damaged(position, 'an index has lost it');
  }

  private isDeleted(stream: number, position: number): boolean {
    if (this.read.get('SELECT 1 FROM removed WHERE stream = ?', stream)) return true;
    return this.read.get('SELECT 1 FROM events WHERE position = ?', position) === undefined;
  }

  private damaged(position: number | null, problem: string, options?: ErrorOptions): LogDamagedError {
    const error = new LogDamagedError(position === null ? null : toPosition(position), problem, options);
    this.meet(error);
    return error;
  }

  private name(stream: number): string | null {
    const known = this.names.get(stream);
    if (known !== undefined) return known;
    const [name] = this.read.get('SELECT name FROM streams WHERE id = ?', stream) ?? [];
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
}

/** An archived row has no data, and the key of its segment as metadata; its checksum is still that of the event. */
const isArchived = (row: Row): boolean => row[5] === ARCHIVED;

interface Kind {
  readonly id: number;
  readonly category: string;
  readonly type: string;
}
