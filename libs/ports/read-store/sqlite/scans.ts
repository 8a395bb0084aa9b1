import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { groupingFields } from '../grouping.js';
import type { Grouping, Index, JsonObject, Query, Scalar } from '../port.js';
import type { Codec } from './codec.js';
import type { ScannedGroups } from './scanned-groups.js';
import { ScannedRows } from './scanned-rows.js';
import { fieldColumn } from './sql.js';

/** Rows in memory for all scopes of a file together: beyond these, scopes that were not asked about for longest leave. */
const MAX_ROWS = 4_000_000;
/** Rows that are read at once. */
const TOGETHER = 4_096;
/** The fixed cost of a scope, in rows: bounds the number of small scopes. */
const SCOPE_ROWS = 1_000;

/** null if only the file can answer: a column could not hold a value, or there are too many rows. */
type Scope = ScannedRows | null;

/**
 * Answers filters on the fields of a `scanned` index from memory. The fields that a query names are read when they are first asked
 * for, and new documents before each answer, by ordinal, so that it is never older than one from the file. The row `task` of `npm run bench -- history` compares it with the file.
 */
export class Scans {
  /** Scopes by the value of the index's first field, in order of use. */
  private readonly scopes = new Map<Scalar, Scope>();
  private readonly fields: readonly string[];

  constructor(
    private readonly database: DatabaseSync,
    private readonly index: Index,
    private readonly codec: Codec,
    private readonly maxRows = MAX_ROWS,
  ) {
    this.fields = index.fields.slice(2);
  }

  /** @returns null if it cannot answer these conditions */
  count(query: Pick<Query, 'where' | 'range' | 'filter'>): number | null {
    return this.scope(query)?.count(query.filter!, query.range) ?? null;
  }

  /**
   * Documents by falling numbers.
   * @returns null if it cannot answer this query
   */
  find(query: Query): JsonObject[] | null {
    const [within, number] = this.index.fields as [string, string];
    if (query.order?.field !== number || query.order.direction !== 'descending') return null;
    const numbers = this.scope(query)?.page(query.filter!, query.range, query.offset ?? 0, query.limit);
    if (!numbers) return null;
    const document = this.database.prepare(
      `SELECT doc FROM documents WHERE "${fieldColumn(within)}" = ? AND "${fieldColumn(number)}" = ?`,
    );
    const scope = this.codec.columnOf(within, query.where[within] as string | number);
    return numbers.map((each) => this.codec.decode(document.get(scope, each)?.['doc']));
  }

  /** @returns null if it cannot answer this query */
  async group(query: Pick<Query, 'where' | 'range' | 'filter'>, grouping: Grouping): Promise<ScannedGroups | null> {
    const filter = query.filter ?? {};
    return this.scope({ ...query, filter }, groupingFields(grouping))?.group(filter, query.range, grouping) ?? null;
  }

  /** @param more fields that are used beside those of the filter */
  private scope(
    { where, range, filter }: Pick<Query, 'where' | 'range' | 'filter'>,
    more: readonly string[] = [],
  ): ScannedRows | null {
    const [within, number] = this.index.fields as [string, string];
    const asked = where[within];
    const isScope = Object.keys(where).length === 1 && (typeof asked === 'string' || typeof asked === 'number');
    const isKnown = !range || (range.field === number && isNumeric(range.from) && isNumeric(range.to));
    if (!isScope || !isKnown || !filter || filter.words !== undefined) return null;
    const fields = [...fieldsOf(filter), ...more];
    if (!fields.every((field) => this.fields.includes(field))) return null;
    const value = this.codec.columnOf(within, asked);
    if (value === null) return null;
    const known = this.scopes.get(value);
    const scope = known === null ? null : this.upToDate(value, known ?? this.emptyScope(value), fields);
    this.scopes.delete(value);
    this.scopes.set(value, scope);
    if (scope !== known || (scope?.size ?? 0) > SCOPE_ROWS) this.makeRoom(value);
    return scope;
  }

  /** Changes up to now are in the rows that are read from here on. */
  private emptyScope(value: string | number): ScannedRows {
    const latest = this.database
      .prepare(`SELECT max(seq) AS latest FROM "${changesTable(this.index)}" WHERE within = ?`)
      .get(value);
    return new ScannedRows(Number(latest?.['latest'] ?? 0));
  }

  /** The rows with these fields, and with those that are new. @returns null when they cannot be kept */
  private upToDate(value: string | number, rows: ScannedRows, fields: readonly string[]): Scope {
    const [within, number] = this.index.fields.slice(0, 2).map(columnOf);
    const newest = this.database
      .prepare(`SELECT max(${number!}) AS newest FROM documents WHERE ${within!} = ?`)
      .get(value);
    const last = Number(newest?.['newest'] ?? 0);
    // Numbers are dense: the highest is how many there are.
    if (last > this.maxRows) return null;
    const missing = [...new Set(fields)].filter((field) => !rows.fields.includes(field));
    const isHeld = missing.length === 0 || rows.hold(missing, this.rowsOf(missing, value, 0, rows.last));
    if (!isHeld) return null;
    for (const [n, ...values] of this.rowsOf([this.index.fields[1]!, ...rows.fields], value, rows.last, last))
      if (!rows.add(n as number, values)) return null;
    return this.withChanges(value, rows);
  }

  /** The rows as documents that have changed since are now. @returns null when they cannot be kept */
  private withChanges(value: string | number, rows: ScannedRows): Scope {
    const changes = this.database
      .prepare(`SELECT seq, number FROM "${changesTable(this.index)}" WHERE within = ? AND seq > ? ORDER BY seq`)
      .all(value, rows.seen);
    if (changes.length === 0) return rows;
    const [within, number] = this.index.fields.slice(0, 2).map(columnOf);
    const changed = this.valuesOf(rows.fields, `${within!} = ? AND ${number!} = ?`);
    for (const each of new Set(changes.map((change) => Number(change['number'])))) {
      const [values] = changed(value, each);
      if (values && !rows.set(each, values)) return null;
    }
    rows.seen = Number(changes.at(-1)!['seq']);
    return rows;
  }

  /** The values of these fields of the documents whose number is above `from` and at most `to`, by number. */
  private *rowsOf(fields: readonly string[], value: string | number, from: number, to: number) {
    const [within, number] = this.index.fields.slice(0, 2).map(columnOf);
    const values = this.valuesOf(fields, `${within!} = ? AND ${number!} > ? AND ${number!} <= ? ORDER BY ${number!}`);
    // Each row of an iterator takes twice the time of a row of a list.
    for (let at = from; at < to; at += TOGETHER) yield* values(value, at, Math.min(to, at + TOGETHER));
  }

  private valuesOf(fields: readonly string[], condition: string) {
    const columns = fields.map(columnOf).join(', ') || 'NULL';
    const statement = this.database.prepare(`SELECT ${columns} FROM documents WHERE ${condition}`);
    statement.setReturnArrays(true);
    const shared = fields.flatMap((field, at) => (this.codec.shared.has(field) ? [at] : []));
    return (...values: readonly SQLInputValue[]) => {
      const rows = statement.all(...values) as unknown as unknown[][];
      for (const at of shared) for (const row of rows) row[at] = this.codec.shown(row[at]);
      return rows;
    };
  }

  private makeRoom(latest: Scalar): void {
    const sizeOf = (scope: Scope) => SCOPE_ROWS + (scope?.size ?? 0);
    let rows = [...this.scopes.values()].reduce((sum, scope) => sum + sizeOf(scope), 0);
    for (const [value, scope] of this.scopes) {
      if (rows <= this.maxRows) return;
      if (value === latest) continue;
      this.scopes.delete(value);
      rows -= sizeOf(scope);
    }
  }
}

const columnOf = (field: string): string => `"${fieldColumn(field)}"`;

/** The fields that a filter names. */
const fieldsOf = ({ where = {}, ranges = [], contains = [] }: NonNullable<Query['filter']>): readonly string[] => [
  ...Object.keys(where),
  ...[...ranges, ...contains].map(({ field }) => field),
];

const isNumeric = (bound: Scalar | undefined): boolean => bound === undefined || typeof bound === 'number';

const changesTable = ({ fields }: Index): string => `changes:${fields.join(',')}`;

/** The trigger that notes documents whose scanned fields change after they were numbered, so that `Scans` reads them again. */
export function changesSql(index: Index): string {
  const [within, number, ...rest] = index.fields.map((field) => `"${fieldColumn(field)}"`);
  const differs = rest.map((column) => `OLD.${column} IS NOT NEW.${column}`).join(' OR ');
  const table = changesTable(index);
  return `
    CREATE TABLE IF NOT EXISTS "${table}" (seq INTEGER PRIMARY KEY, within, number INTEGER);
    CREATE INDEX IF NOT EXISTS "by:${table}" ON "${table}" (within);
    CREATE TRIGGER IF NOT EXISTS "on:${table}" AFTER UPDATE ON documents WHEN OLD.${number!} IS NOT NULL AND (${differs})
    BEGIN INSERT INTO "${table}" (within, number) VALUES (NEW.${within!}, NEW.${number!}); END;
  `;
}
