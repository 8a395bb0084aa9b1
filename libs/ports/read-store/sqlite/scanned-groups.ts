import { binOf, compared, LOWEST_BIN, quantilesOf } from '../grouping.js';
import type { Group, Grouping, Scalar } from '../port.js';
import { keysOfNull, type RowKeys } from './column-keys.js';
import type { ScannedColumn } from './scanned-column.js';

interface Counted {
  /** The group's keys. */
  readonly keys: readonly number[];
  count: number;
  readonly sums: Float64Array;
  /** How often each key of a tally was met. */
  readonly tallies: Uint32Array[];
  /** How often each bin of `binOf` was met, from the lowest. */
  bins: Uint32Array;
}

/** Counts rows of columns in groups, as `Groups` does with documents, in a tenth of the time: by the numbers of their keys. */
export class ScannedGroups {
  private readonly by: readonly RowKeys[];
  private readonly sums: readonly (ScannedColumn | null)[];
  private readonly tallies: readonly RowKeys[];
  private readonly binned: ScannedColumn | null;
  private readonly groups: Counted[] = [];
  /** Places of groups in `groups`, from 1, by the number of their first key, then of their second. */
  private readonly places: Int32Array[] = [];

  /** @param columnOf the column of a field; null: no row has a value */
  constructor(
    private readonly grouping: Grouping,
    columnOf: (field: string) => ScannedColumn | null,
  ) {
    const { by, sums, tallies, quantiles } = grouping;
    const keysOf = (key: Grouping['by'][number]) => columnOf(key.field)?.keys(key) ?? keysOfNull(key);
    this.by = by.map(keysOf);
    this.sums = sums.map(columnOf);
    this.tallies = tallies.map(keysOf);
    this.binned = quantiles ? columnOf(quantiles.field) : null;
  }

  /** Whether there are more groups than requested: then nothing more need be added. */
  get isFull(): boolean {
    return this.groups.length > this.grouping.limit;
  }

  /** Counts the first `count` of these rows. */
  add(rows: Uint32Array, count: number): void {
    const [first, second] = this.by;
    for (let at = 0; at < count; at += 1) {
      const row = rows[at]!;
      const one = first ? first.of(row) : 0;
      const two = second ? second.of(row) : 0;
      if (one >= 0 && two >= 0) this.count(this.group(one, two), row);
      else
        for (const each of one < 0 ? first!.keys.list(one) : [one])
          for (const other of two < 0 ? second!.keys.list(two) : [two]) this.count(this.group(each, other), row);
    }
  }

  /** As of `Groups`. */
  result(): readonly Group[] | null {
    if (this.isFull) return null;
    const { quantiles } = this.grouping;
    return this.groups
      .map(({ keys, count, sums, tallies, bins }) => ({
        values: this.by.map(({ keys: known }, place) => known.value(keys[place]!)),
        ...{ count, sums: [...sums], tallies: tallies.map((tally, place) => this.tally(tally, place)) },
        quantiles: quantiles ? quantilesOf(countsOf(bins), quantiles.at) : [],
      }))
      .sort((a, b) => compared(a.values, b.values));
  }

  private group(one: number, two: number): Counted {
    let places = (this.places[one] ??= new Int32Array(1));
    if (two >= places.length) this.places[one] = places = longer(places, two);
    const place = places[two]!;
    if (place > 0) return this.groups[place - 1]!;
    const group: Counted = {
      ...{ keys: [one, two], count: 0, sums: new Float64Array(this.sums.length) },
      ...{ tallies: this.tallies.map(() => new Uint32Array(4)), bins: new Uint32Array(1) },
    };
    places[two] = this.groups.push(group);
    return group;
  }

  private count(group: Counted, row: number): void {
    const { sums, tallies, binned } = this;
    group.count += 1;
    for (let at = 0; at < sums.length; at += 1) group.sums[at]! += Number(sums[at]?.value(row) ?? 0);
    for (let at = 0; at < tallies.length; at += 1) {
      const key = tallies[at]!.of(row);
      if (key >= 0) group.tallies[at] = counted(group.tallies[at]!, key);
      else for (const each of tallies[at]!.keys.list(key)) group.tallies[at] = counted(group.tallies[at]!, each);
    }
    const value = binned ? binned.value(row) : null;
    if (typeof value === 'number') group.bins = counted(group.bins, binOf(value) - LOWEST_BIN);
  }

  private tally(counts: Uint32Array, place: number): readonly (readonly [Scalar, number])[] {
    const { keys } = this.tallies[place]!;
    return [...countsOf(counts, 0)].map(([key, count]) => [keys.value(key), count] as const);
  }
}

/** The counts with one more at a place. */
function counted(counts: Uint32Array, place: number): Uint32Array {
  const enough = place < counts.length ? counts : longer(counts, place);
  enough[place]! += 1;
  return enough;
}

/** A copy that has this place, with zeros. */
function longer<T extends Int32Array | Uint32Array>(array: T, place: number): T {
  const copy = new (array.constructor as new (length: number) => T)(Math.max(2 * array.length, place + 1));
  copy.set(array);
  return copy;
}

/** Counts that are not 0, by their place. */
const countsOf = (counts: Uint32Array, first = LOWEST_BIN): ReadonlyMap<number, number> =>
  new Map([...counts].flatMap((count, place) => (count > 0 ? [[first + place, count] as const] : [])));
