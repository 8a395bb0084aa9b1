import type { DatabaseSync } from 'node:sqlite';
import type { Index, JsonObject, Query, Scalar } from '../port.js';
import { ScannedRows } from './scanned-rows.js';
import { fieldColumn } from './sql.js';

/** Rows in memory for all scopes of a file together: beyond these, scopes that were not asked about for longest leave. */
const MAX_ROWS = 8_000_000;
/** The fixed cost of a scope, in rows: bounds the number of small scopes. */
const SCOPE_ROWS = 1_000;

/** null where the file has to be asked: a value came that its column could not hold, or there are too many rows. */
type Scope = ScannedRows | null;

/**
 * Answers filters on the fields of a `scanned` index from memory. New documents are read first, by ordinal, so that an
 * answer is never older than one from the file.
 */
export class Scans {
  /** Scopes by the value of the index's first field, in order of use. */
  private readonly scopes = new Map<Scalar, Scope>();
  private readonly fields: readonly string[];

  constructor(
    private readonly database: DatabaseSync,
    private readonly index: Index,
    private readonly maxRows = MAX_ROWS,
  ) {
    this.fields = index.fields.slice(2);
  }

  /** @returns null where these conditions are none that it answers */
  count(query: Pick<Query, 'where' | 'range' | 'filter'>): number | null {
    return this.scope(query)?.count(query.filter!) ?? null;
  }

  /** Documents by falling numbers. @returns null where this query is none that it answers */
  find(query: Query): JsonObject[] | null {
    const [within, number] = this.index.fields as [string, string];
    if (query.order?.field !== number || query.order.direction !== 'descending') return null;
    const numbers = this.scope(query)?.page(query.filter!, query.offset ?? 0, query.limit);
    if (!numbers) return null;
    const document = this.database.prepare(
      `SELECT doc FROM documents WHERE "${fieldColumn(within)}" = ? AND "${fieldColumn(number)}" = ?`,
    );
    const scope = query.where[within] as string | number;
    return numbers.map((each) => JSON.parse(document.get(scope, each)?.['doc'] as string) as JsonObject);
  }

  private scope({ where, range, filter }: Pick<Query, 'where' | 'range' | 'filter'>): ScannedRows | null {
    const [within] = this.index.fields as [string];
    const value = where[within];
    const isScope = Object.keys(where).length === 1 && (typeof value === 'string' || typeof value === 'number');
    if (!isScope || range || !filter || !this.knows(filter)) return null;
    const known = this.scopes.get(value);
    const scope = known === null ? null : this.upToDate(value, known ?? new ScannedRows(this.fields));
    this.scopes.delete(value);
    this.scopes.set(value, scope);
    if (scope !== known || (scope?.size ?? 0) > SCOPE_ROWS) this.makeRoom(value);
    return scope;
  }

  private knows({ where = {}, ranges = [] }: NonNullable<Query['filter']>): boolean {
    return [...Object.keys(where), ...ranges.map(({ field }) => field)].every((field) => this.fields.includes(field));
  }

  /** The rows with those that are new. @returns null when they cannot be kept */
  private upToDate(value: string | number, rows: ScannedRows): Scope {
    const [within, number, ...rest] = this.index.fields.map((field) => `"${fieldColumn(field)}"`);
    const newest = this.database
      .prepare(`SELECT max(${number!}) AS newest FROM documents WHERE ${within!} = ?`)
      .get(value);
    const last = Number(newest?.['newest'] ?? 0);
    if (last === rows.last) return rows;
    // Numbers are dense: the highest is how many there are.
    if (last > this.maxRows) return null;
    const statement = this.database.prepare(
      `SELECT ${[number, ...rest].join(', ')} FROM documents WHERE ${within!} = ? AND ${number!} > ? ORDER BY ${number!}`,
    );
    statement.setReturnArrays(true);
    for (const row of statement.iterate(value, rows.last) as unknown as Iterable<unknown[]>) {
      const [n, ...values] = row;
      if (!rows.add(n as number, values)) return null;
    }
    return rows;
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
