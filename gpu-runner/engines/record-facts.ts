import type { Example, LabelledField, LabelledRecord, Stretch } from './engine.js';

/** Key of one fact about a row, and the label it is counted under. */
export type RecordFacts = ReadonlyMap<string, string>;

/** The facts of a record: an entry for each value, `field` and text; the same value twice is two. */
interface Said {
  readonly name: string;
  readonly values: ReadonlyMap<string, string>;
}

/**
 * The values of the structures of a row, and of its prediction. A predicted record is judged against the gold one of
 * its structure that it shares most values with, each gold record once; so values that are right but in the wrong
 * record do not count. Values are compared as texts: rows do not say which of several occurrences is meant.
 */
export function recordFacts(gold: Example, guess: Example): readonly [gold: RecordFacts, found: RecordFacts] {
  const expected = (gold.structures ?? []).map((record) => said(gold.text, record));
  const found = (guess.structures ?? []).map((record) => said(gold.text, record));
  const pairs = matched(expected, found);
  return [
    factsOf(expected, (index) => `${index}`),
    factsOf(found, (index) => `${pairs.get(index) ?? `extra ${index}`}`),
  ];
}

/** The relations of a row as triples of type and the texts of both ends; the same one twice counts once. */
export function relationFacts({ text, relations = [] }: Example): RecordFacts {
  return new Map(
    relations.map(({ name, head, tail }) => [JSON.stringify([name, textOf(text, head), textOf(text, tail)]), name]),
  );
}

/** The label under which the values of a field are counted. */
export const fieldLabel = (structure: string, field: string): string => `${structure}.${field}`;

function said(text: string, { name, fields }: LabelledRecord): Said {
  const values = fields.flatMap((field) =>
    saidBy(text, field).map((value) => [JSON.stringify([field.name, value]), fieldLabel(name, field.name)] as const),
  );
  const keys = numbered(values.map(([key]) => key));
  return { name, values: new Map(values.map(([, label], index) => [keys[index]!, label])) };
}

/** Equal keys told apart, in order: a record may say one value twice, and several records one choice. */
export function numbered(keys: readonly string[]): string[] {
  const times = new Map<string, number>();
  return keys.map((key) => {
    const before = times.get(key) ?? 0;
    times.set(key, before + 1);
    return `${key} ${before}`;
  });
}

/** The values of a field, each as the choice that it is, or its text. */
export const saidBy = (
  text: string,
  { values, choices = [] }: Pick<LabelledField, 'values' | 'choices'>,
): readonly string[] => [...values.map((value) => value.choice ?? textOf(text, value)), ...choices];

function factsOf(records: readonly Said[], idOf: (index: number) => string): RecordFacts {
  return new Map(
    records.flatMap(({ name, values }, index) =>
      [...values].map(([key, label]) => [JSON.stringify([name, idOf(index), key]), label] as const),
    ),
  );
}

/** Limit on comparisons of records for one row: beyond it, records at equal places are compared. */
const MAX_COMPARISONS = 1_000_000;

/** Index of the gold record for each predicted one that has one: those that share most values first, the earlier of equals. */
function matched(gold: readonly Said[], found: readonly Said[]): ReadonlyMap<number, number> {
  const candidates =
    gold.length * found.length <= MAX_COMPARISONS
      ? found.flatMap((record, index) =>
          gold.map((other, at) => ({ index, at, shared: record.name === other.name ? sharedOf(record, other) : 0 })),
        )
      : found.flatMap((record, index) => {
          const other = gold[index];
          return other?.name === record.name ? [{ index, at: index, shared: sharedOf(record, other) }] : [];
        });
  const pairs = new Map<number, number>();
  const taken = new Set<number>();
  for (const { index, at } of candidates.filter(({ shared }) => shared > 0).sort((a, b) => b.shared - a.shared)) {
    if (pairs.has(index) || taken.has(at)) continue;
    pairs.set(index, at);
    taken.add(at);
  }
  return pairs;
}

function sharedOf(a: Said, b: Said): number {
  let shared = 0;
  for (const key of a.values.keys()) if (b.values.has(key)) shared += 1;
  return shared;
}

const textOf = (text: string, { start, end }: Stretch): string => text.slice(start, end);
