import type { Json } from '#domain/json.js';

/**
 * The facts of one row by label: found rightly, predicted, and expected. In the form that runners store beside
 * predictions.
 */
export type RowFacts = { readonly [label: string]: readonly [hits: number, predicted: number, gold: number] };

/** Numbers of a row as `pairedF1` takes them. */
export const FACTS_WIDTH = 3;

/** Reads one line of the file. */
export const rowFactsOf = (line: Buffer): RowFacts => JSON.parse(line.toString()) as Json as RowFacts;

/** The facts of rows as numbers, `FACTS_WIDTH` each. @param label null for those of all labels */
export function countsOfFacts(rows: readonly RowFacts[], label: string | null = null): Float64Array {
  const counts = new Float64Array(rows.length * FACTS_WIDTH);
  rows.forEach((facts, row) => {
    const each = label === null ? Object.values(facts) : Object.hasOwn(facts, label) ? [facts[label]!] : [];
    for (const fact of each) fact.forEach((count, at) => (counts[row * FACTS_WIDTH + at]! += count));
  });
  return counts;
}

/** Micro-F1 from the sum of the counts of rows; 0 if nothing was predicted and nothing was expected. */
export const f1OfFacts = ([hits, predicted, gold]: Float64Array): number =>
  predicted! + gold! === 0 ? 0 : (2 * hits!) / (predicted! + gold!);

/** F1 of one row; 1 if nothing was predicted and nothing was expected, since such an answer is right. */
export const f1OfRow = (row: Float64Array): number => (row[1]! + row[2]! === 0 ? 1 : f1OfFacts(row));
