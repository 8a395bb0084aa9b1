import type { Group, GroupKey, Grouping, Scalar } from './port.js';

/** The fields that a grouping uses, in the order in which `Groups.add` takes their values. */
export const groupingFields = ({ by, sums, tallies, quantiles }: Grouping): readonly string[] => [
  ...by.map(({ field }) => field),
  ...sums,
  ...tallies.map(({ field }) => field),
  ...(quantiles ? [quantiles.field] : []),
];

interface Counted {
  readonly values: readonly Scalar[];
  count: number;
  readonly sums: number[];
  readonly tallies: readonly Map<Scalar, number>[];
  readonly bins: Map<number, number>;
}

/** Bins of one percent each, from which quantiles are computed. */
const BINS = 100;
const MIN_BINNED = 0.001;
/** The bin of a number; the lowest is that of `MIN_BINNED`. */
export const binOf = (value: number): number => Math.round(Math.log(Math.max(value, MIN_BINNED)) * BINS);
export const LOWEST_BIN = binOf(MIN_BINNED);
export const UNIT_MS = { day: 86_400_000, hour: 3_600_000 };
/** Characters of an ISO time that name its day, and its hour. */
const UNIT_CHARACTERS = { day: 10, hour: 13 };

/** Counts documents in groups, from their fields alone, for adapters whose database does not. */
export class Groups {
  private readonly groups = new Map<Scalar, Map<Scalar, Counted>>();
  private size = 0;

  constructor(private readonly grouping: Grouping) {}

  /** Whether there are more groups than requested: then nothing more need be added. */
  get isFull(): boolean {
    return this.size > this.grouping.limit;
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  /** @param valueOf a document's value of the field at a place of `groupingFields`; a time may come as milliseconds */
  add(valueOf: (place: number) => Scalar): void {
    const { by } = this.grouping;
    const [first, second] = by;
    const firsts = first ? keysOf(first, valueOf(0)) : [null];
    const seconds = second ? keysOf(second, valueOf(1)) : [null];
    for (const one of firsts) for (const two of seconds) this.count(this.group(one, two), valueOf);
  }

  /**
   * The groups in the order of their values, null last.
   * @returns null if there are more than requested
   */
  result(): readonly Group[] | null {
    if (this.isFull) return null;
    const { quantiles, tallies: tallied } = this.grouping;
    const shownTally = (tally: ReadonlyMap<Scalar, number>, place: number) =>
      [...tally].map(([key, count]) => [shown(tallied[place]!, key), count] as const);
    return [...this.groups.values()]
      .flatMap((seconds) => [...seconds.values()])
      .map(({ values, count, sums, tallies, bins }) => ({
        ...{ values, count, sums, tallies: tallies.map(shownTally) },
        quantiles: quantiles ? quantilesOf(bins, quantiles.at) : [],
      }))
      .sort((a, b) => compared(a.values, b.values));
  }

  private group(one: Scalar, two: Scalar): Counted {
    let seconds = this.groups.get(one);
    if (!seconds) this.groups.set(one, (seconds = new Map<Scalar, Counted>()));
    let group = seconds.get(two);
    if (!group) {
      const { by, sums, tallies } = this.grouping;
      const values = [one, two].slice(0, by.length).map((value, place) => shown(by[place]!, value));
      group = { values, count: 0, sums: sums.map(() => 0), tallies: tallies.map(() => new Map()), bins: new Map() };
      seconds.set(two, group);
      this.size += 1;
    }
    return group;
  }

  private count(group: Counted, valueOf: (place: number) => Scalar): void {
    const { by, sums, tallies, quantiles } = this.grouping;
    let place = by.length;
    group.count += 1;
    for (let at = 0; at < sums.length; at += 1) group.sums[at]! += Number(valueOf(place++) ?? 0);
    for (let at = 0; at < tallies.length; at += 1)
      for (const key of keysOf(tallies[at]!, valueOf(place++))) increment(group.tallies[at]!, key);
    const value = quantiles ? valueOf(place) : null;
    if (typeof value === 'number') increment(group.bins, binOf(value));
  }
}

/** Keys of a value: itself, each of its words, or its day or hour as a number. */
export function keysOf({ unit }: GroupKey, value: Scalar): readonly Scalar[] {
  if (unit === undefined || value === null) return [value];
  if (unit !== 'words')
    return [Math.floor((typeof value === 'number' ? value : Date.parse(String(value))) / UNIT_MS[unit])];
  const words = String(value).split('\n').filter(Boolean);
  return words.length === 0 ? [null] : words;
}

/** The value of a group that has this key. */
export const shown = ({ unit }: GroupKey, value: Scalar): Scalar =>
  (unit === 'day' || unit === 'hour') && typeof value === 'number'
    ? new Date(value * UNIT_MS[unit]).toISOString().slice(0, UNIT_CHARACTERS[unit])
    : value;

const increment = <T>(counts: Map<T, number>, value: T) => counts.set(value, (counts.get(value) ?? 0) + 1);

export function quantilesOf(bins: ReadonlyMap<number, number>, at: readonly number[]): readonly (number | null)[] {
  const sorted = [...bins].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  return at.map((share) => {
    let before = 0;
    const found = sorted.find(([, count]) => (before += count) >= share * total);
    return found ? Math.exp(found[0] / BINS) : null;
  });
}

/** The order of groups. */
export function compared(a: readonly Scalar[], b: readonly Scalar[]): number {
  for (const [place, one] of a.entries()) {
    const two = b[place]!;
    if (one === two) continue;
    if (one === null || two === null) return one === null ? 1 : -1;
    return one < two ? -1 : 1;
  }
  return 0;
}
