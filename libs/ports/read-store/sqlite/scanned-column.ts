import { UNIT_MS } from '../grouping.js';
import type { GroupKey, Range, Scalar } from '../port.js';
import { ColumnKeys, type RowKeys } from './column-keys.js';

/** Values of one field, in row order, in the form that compares fastest; and conditions on them. */
export interface ScannedColumn {
  readonly length: number;
  /** @returns whether it can hold that value: one of another type than those before it cannot be */
  add(value: unknown): boolean;
  /** Replaces the value of a row. @returns as `add` */
  set(row: number, value: unknown): boolean;
  /** The value of a row; of a time its milliseconds. */
  value(row: number): Scalar;
  /** Keys of the rows' values, for groups. */
  keys(key: GroupKey): RowKeys;
  /** Keeps the first `count` rows that have one of these values, in order. @returns their number */
  keepEqual(wanted: readonly Scalar[], rows: Uint32Array, count: number): number;
  keepWithin(range: Range, rows: Uint32Array, count: number): number;
  keepContaining(text: string, rows: Uint32Array, count: number): number;
}

/** A column for values like this one; null determines nothing. */
export function columnFor(value: Scalar): ScannedColumn {
  if (typeof value === 'number') return new NumberColumn((each) => (typeof each === 'number' ? each : null));
  return isTime(value) ? new NumberColumn(timeOf) : new WordColumn();
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Texts of this form sort like the times they represent. */
const isTime = (value: unknown): value is string => typeof value === 'string' && TIME.test(value);
const timeOf = (value: unknown): number | null => (isTime(value) ? Date.parse(value) : null);

const FIRST_CAPACITY = 16;

/** Numbers, or times as milliseconds; NaN is null. */
class NumberColumn implements ScannedColumn {
  length = 0;
  private values = new Float64Array(FIRST_CAPACITY);

  constructor(private readonly numberOf: (value: unknown) => number | null) {}

  add(value: unknown): boolean {
    if (this.length === this.values.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.values);
      this.values = larger;
    }
    return this.set(this.length, value) && (this.length += 1) > 0;
  }

  set(row: number, value: unknown): boolean {
    const number = value === null ? NaN : this.numberOf(value);
    if (number === null) return false;
    this.values[row] = number;
    return true;
  }

  value(row: number): Scalar {
    const value = this.values[row]!;
    return Number.isNaN(value) ? null : value;
  }

  keys(key: GroupKey): RowKeys {
    const keys = new ColumnKeys(key);
    const unitMs = key.unit === 'day' || key.unit === 'hour' ? UNIT_MS[key.unit] : null;
    // Rows that follow each other are often of one hour.
    let latest = NaN;
    let latestKey = keys.of(null);
    return {
      keys,
      of: (row) => {
        const value = this.values[row]!;
        const step = unitMs === null ? value : Math.floor(value / unitMs);
        if (step === latest) return latestKey;
        latest = step;
        return (latestKey = keys.of(Number.isNaN(value) ? null : value));
      },
    };
  }

  keepEqual(wanted: readonly Scalar[], rows: Uint32Array, count: number): number {
    const numbers = new Set(wanted.flatMap((value) => (value === null ? [] : [this.numberOf(value)])));
    const withNull = wanted.includes(null);
    const { values } = this;
    let kept = 0;
    for (let at = 0; at < count; at += 1) {
      const row = rows[at]!;
      const value = values[row]!;
      rows[kept] = row;
      kept += numbers.has(value) || (withNull && Number.isNaN(value)) ? 1 : 0;
    }
    return kept;
  }

  keepWithin({ from: least, to: most }: Range, rows: Uint32Array, count: number): number {
    const low = this.bound(least, -Infinity);
    const high = this.bound(most, Infinity);
    const { values } = this;
    let kept = 0;
    for (let at = 0; at < count; at += 1) {
      const row = rows[at]!;
      const value = values[row]!;
      rows[kept] = row;
      kept += value >= low && value <= high ? 1 : 0;
    }
    return kept;
  }

  /** Numbers contain no text. */
  keepContaining(): number {
    return 0;
  }

  /** The numeric bound. A bound of another type matches nothing. */
  private bound(value: Scalar | undefined, none: number): number {
    return value === undefined || value === null ? none : (this.numberOf(value) ?? NaN);
  }
}

/** Words, as numbers given to each when it is first met; 0 is null. */
class WordColumn implements ScannedColumn {
  length = 0;
  private codes = new Uint32Array(FIRST_CAPACITY);
  private readonly known = new Map<string, number>();
  private readonly words: (string | null)[] = [null];

  add(value: unknown): boolean {
    if (this.length === this.codes.length) {
      const larger = new Uint32Array(2 * this.length);
      larger.set(this.codes);
      this.codes = larger;
    }
    return this.set(this.length, value) && (this.length += 1) > 0;
  }

  set(row: number, value: unknown): boolean {
    if (value !== null && typeof value !== 'string') return false;
    let code = value === null ? 0 : this.known.get(value);
    if (code === undefined) {
      this.known.set(value!, (code = this.known.size + 1));
      this.words.push(value);
    }
    this.codes[row] = code;
    return true;
  }

  value(row: number): Scalar {
    return this.words[this.codes[row]!]!;
  }

  keys(key: GroupKey): RowKeys {
    const keys = new ColumnKeys(key);
    const byCode: number[] = [];
    return { keys, of: (row) => (byCode[this.codes[row]!] ??= keys.of(this.words[this.codes[row]!]!)) };
  }

  keepEqual(wanted: readonly Scalar[], rows: Uint32Array, count: number): number {
    const allowed = new Uint8Array(this.known.size + 1);
    for (const value of wanted) {
      const code = value === null ? 0 : this.known.get(value as string);
      if (code !== undefined) allowed[code] = 1;
    }
    return this.keep(allowed, rows, count);
  }

  keepWithin({ from: least, to: most }: Range, rows: Uint32Array, count: number): number {
    const allowed = new Uint8Array(this.known.size + 1);
    for (const [word, code] of this.known) if (!(isAbove(least, word) || isAbove(word, most))) allowed[code] = 1;
    return this.keep(allowed, rows, count);
  }

  keepContaining(text: string, rows: Uint32Array, count: number): number {
    const allowed = new Uint8Array(this.known.size + 1);
    for (const [word, code] of this.known) if (word.includes(text)) allowed[code] = 1;
    return this.keep(allowed, rows, count);
  }

  private keep(allowed: Uint8Array, rows: Uint32Array, count: number): number {
    const { codes } = this;
    let kept = 0;
    for (let at = 0; at < count; at += 1) {
      const row = rows[at]!;
      rows[kept] = row;
      kept += allowed[codes[row]!]!;
    }
    return kept;
  }
}

/** Compares text by its bytes, as SQLite does. */
const isAbove = (a: Scalar | undefined, b: Scalar | undefined): boolean =>
  typeof a === 'string' && typeof b === 'string' && Buffer.compare(Buffer.from(a), Buffer.from(b)) > 0;
