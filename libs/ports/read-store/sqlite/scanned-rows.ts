import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Grouping, Query, Range, Scalar } from '../port.js';
import { columnFor, type ScannedColumn } from './scanned-column.js';
import { ScannedGroups } from './scanned-groups.js';

/** Conditions that are checked row by row. */
type Conditions = NonNullable<Query['filter']>;

const CHUNK = 65_536;
/** Rows that are grouped in one turn: a few milliseconds. */
const SLICE = 32_768;
const MAX_COUNTS = 200;
const FIRST_CAPACITY = 16;

/** The rows of a chunk that match so far, of one query at a time, since none of them awaits anything. */
const chosen = new Uint32Array(CHUNK);

/**
 * Fields of all documents of one scope, in memory and in ordinal order: a few bytes per document and field. A field is held once a
 * query has asked for it.
 */
export class ScannedRows {
  private numbers = new Float64Array(FIRST_CAPACITY);
  private length = 0;
  /** The fields that are held, in the order of the values of a row. */
  readonly fields: string[] = [];
  /** Their columns; null until a first value determines their type. */
  private readonly columns: (ScannedColumn | null)[] = [];
  /** Cached counts by filter, each up to a row; dropped when a row changes. */
  private readonly counts = new Map<string, { readonly rows: number; readonly count: number }>();

  /** @param seen the last change of a document that these rows hold */
  constructor(public seen: number) {}

  get size(): number {
    return this.length;
  }

  /** The highest number there is, 0 before the first. */
  get last(): number {
    return this.length === 0 ? 0 : this.numbers[this.length - 1]!;
  }

  /**
   * Holds more fields from now on.
   * @param rows their values in each row, in their order
   * @returns whether these were all rows, and could be taken
   */
  hold(fields: readonly string[], rows: Iterable<readonly unknown[]>): boolean {
    const first = this.fields.length;
    this.fields.push(...fields);
    this.columns.push(...fields.map(() => null));
    let row = 0;
    for (const values of rows) {
      if (row === this.length) return false;
      for (let at = 0; at < values.length; at += 1) if (!this.setValue(first + at, row, values[at])) return false;
      row += 1;
    }
    return row === this.length;
  }

  /** Rows come by number, each with the values of its fields. @returns whether it could be taken */
  add(number: number, values: readonly unknown[]): boolean {
    for (let at = 0; at < values.length; at += 1) if (!this.setValue(at, this.length, values[at])) return false;
    if (this.length === this.numbers.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[this.length++] = number;
    return true;
  }

  count(conditions: Conditions, range: Range | undefined): number {
    if (range) return this.countWithin(conditions, range);
    const key = JSON.stringify(conditions);
    const known = this.counts.get(key);
    let count = known?.count ?? 0;
    for (let from = known?.rows ?? 0; from < this.length; from += CHUNK)
      count += this.choose(conditions, from, Math.min(this.length, from + CHUNK));
    this.counts.delete(key);
    this.counts.set(key, { rows: this.length, count });
    if (this.counts.size > MAX_COUNTS) this.counts.delete(this.counts.keys().next().value!);
    return count;
  }

  private countWithin(conditions: Conditions, range: Range): number {
    const [first, end] = this.bounds(range);
    let count = 0;
    for (let from = first; from < end; from += CHUNK)
      count += this.choose(conditions, from, Math.min(end, from + CHUNK));
    return count;
  }

  /** Numbers of the documents of a page, highest first; of those within a range of numbers. */
  page(conditions: Conditions, range: Range | undefined, offset: number, limit: number): readonly number[] {
    const [first, end] = this.bounds(range);
    const found: number[] = [];
    let skipped = 0;
    for (let to = end; to > first && found.length < limit; to -= CHUNK) {
      const count = this.choose(conditions, Math.max(first, to - CHUNK), to);
      const passed = Math.min(count, offset - skipped);
      skipped += passed;
      for (let at = count - passed - 1; at >= 0 && found.length < limit; at -= 1)
        found.push(this.numbers[chosen[at]!]!);
    }
    return found;
  }

  /**
   * Replaces the values of a known document.
   * @returns whether they could be stored
   */
  set(number: number, values: readonly unknown[]): boolean {
    const row = this.rowFrom(number);
    if (this.numbers[row] !== number) return true;
    this.counts.clear();
    for (let at = 0; at < this.fields.length; at += 1) if (!this.setValue(at, row, values[at])) return false;
    return true;
  }

  /** In slices, between which other queries are answered. Rows added since the start are not counted. */
  async group(conditions: Conditions, range: Range | undefined, grouping: Grouping): Promise<ScannedGroups> {
    const groups = new ScannedGroups(grouping, (field) => this.column(field));
    const [first, end] = this.bounds(range);
    for (let from = first; from < end && !groups.isFull; from += SLICE) {
      if (from > first) await nextTurn();
      groups.add(chosen, this.choose(conditions, from, Math.min(end, from + SLICE)));
    }
    return groups;
  }

  /** The first row of a range of numbers, and the row after its last. */
  private bounds(range: Range | undefined): readonly [number, number] {
    const { from, to } = range ?? {};
    const first = typeof from === 'number' ? this.rowFrom(from) : 0;
    return [first, typeof to === 'number' ? this.rowFrom(Math.floor(to) + 1) : this.length];
  }

  /** The first row of at least this number: numbers are dense, so that it is at its own place or before. */
  private rowFrom(number: number): number {
    let row = Math.max(0, Math.min(this.length, Math.ceil(number) - 1));
    while (row > 0 && this.numbers[row - 1]! >= number) row -= 1;
    return row;
  }

  private setValue(at: number, row: number, value: unknown): boolean {
    let column = this.columns[at]!;
    if (column === null) {
      if (value === null) return true;
      column = this.columns[at] = columnFor(value as Scalar);
    }
    // Rows before the first value were null.
    while (column.length < this.length) column.add(null);
    return row < column.length ? column.set(row, value) : column.add(value);
  }

  /** Puts the rows that match into `chosen`, in their order. @returns how many they are */
  private choose({ where = {}, ranges = [], contains = [] }: Conditions, from: number, to: number): number {
    let count = to - from;
    for (let at = 0; at < count; at += 1) chosen[at] = from + at;
    for (const [field, wanted] of Object.entries(where)) {
      const list = Array.isArray(wanted) ? (wanted as readonly Scalar[]) : [wanted as Scalar];
      const column = this.column(field);
      if (column) count = column.keepEqual(list, chosen, count);
      else if (!list.includes(null)) return 0;
    }
    for (const range of ranges) {
      // A range without bounds matches everything, even documents without a value.
      if ((range.from ?? range.to ?? null) === null) continue;
      const column = this.column(range.field);
      if (!column) return 0;
      count = column.keepWithin(range, chosen, count);
    }
    for (const { field, text } of contains) count = this.column(field)?.keepContaining(text, chosen, count) ?? 0;
    return count;
  }

  private column(field: string): ScannedColumn | null {
    return this.columns[this.fields.indexOf(field)] ?? null;
  }
}
