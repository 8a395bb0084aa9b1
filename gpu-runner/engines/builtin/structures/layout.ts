import type { Example, LabelledRecord } from '../../engine.js';

/** The layout of a structure's records in a text, as rows show it. */
export interface Layout {
  /** Fields of which, within a record, the first stands before the second. */
  readonly order: readonly (readonly [first: string, second: string])[];
  /** Whether each record ends with its line. */
  readonly endsWithLine: boolean;
  /** Characters between two neighbours from which they belong to two records; null if distance does not tell them apart. */
  readonly farApart: number | null;
}

export const NO_LAYOUT: Layout = { order: [], endsWithLine: false, farApart: null };

/** Fewer examples show nothing. */
const LEAST = 8;
/** The share of examples that may be otherwise. */
const OTHERWISE = 0.02;

interface Value {
  readonly field: string;
  readonly start: number;
  readonly end: number;
  readonly record: number;
}

/** The text between two values that follow one another. */
interface Gap {
  readonly isWithin: boolean;
  readonly characters: number;
  readonly hasLineBreak: boolean;
}

/** The layout of one structure's records. */
export function layoutOf(rows: readonly Example[], structure: string): Layout {
  const before = new Map<string, number>();
  const gaps: Gap[] = [];
  for (const { text, structures = [] } of rows) {
    const records = structures.filter(({ name }) => name === structure).map(valuesOf);
    for (const values of records) countOrders(values, before);
    gaps.push(...gapsOf(text, records.flat()));
  }
  return { order: ordersIn(before), ...cuesOf(gaps) };
}

const valuesOf = ({ fields }: LabelledRecord, record: number): Value[] =>
  fields
    .flatMap(({ name: field, values }) => values.map(({ start, end }) => ({ field, start, end, record })))
    .sort(byStart);

function countOrders(values: readonly Value[], before: Map<string, number>): void {
  values.forEach((value, at) => {
    for (const later of values.slice(at + 1)) {
      if (later.field === value.field || later.start === value.start) continue;
      const pair = JSON.stringify([value.field, later.field]);
      before.set(pair, (before.get(pair) ?? 0) + 1);
    }
  });
}

function ordersIn(before: ReadonlyMap<string, number>): Layout['order'] {
  return [...before].flatMap(([pair, count]) => {
    const [first, second] = JSON.parse(pair) as [string, string];
    const reversed = before.get(JSON.stringify([second, first])) ?? 0;
    return count >= LEAST && reversed <= OTHERWISE * count ? [[first, second] as const] : [];
  });
}

function gapsOf(text: string, values: Value[]): Gap[] {
  const ordered = values.sort(byStart);
  return ordered.slice(1).flatMap((value, index): Gap[] => {
    const previous = ordered[index]!;
    if (value.start < previous.end) return [];
    const between = text.slice(previous.end, value.start);
    return [
      {
        isWithin: value.record === previous.record,
        characters: between.length,
        hasLineBreak: between.includes('\n'),
      },
    ];
  });
}

function cuesOf(gaps: readonly Gap[]): Pick<Layout, 'endsWithLine' | 'farApart'> {
  const [within, between] = [gaps.filter(({ isWithin }) => isWithin), gaps.filter(({ isWithin }) => !isWithin)];
  if (within.length < LEAST || between.length < LEAST) return NO_LAYOUT;
  const share = (of: readonly Gap[], has: (gap: Gap) => boolean) => of.filter(has).length / of.length;
  const breaks = ({ hasLineBreak }: Gap) => hasLineBreak;
  const nearest = Math.min(...between.map(({ characters }) => characters));
  return {
    endsWithLine: share(within, breaks) <= OTHERWISE && share(between, breaks) >= 1 - OTHERWISE,
    farApart: share(within, ({ characters }) => characters >= nearest) <= OTHERWISE ? nearest : null,
  };
}

const byStart = (a: Value, b: Value): number => a.start - b.start;
