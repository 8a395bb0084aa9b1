import type { Json } from '#domain/json.js';
import { bleuCounts, bleuOf, MAX_ORDER, rougeLOf } from './text-overlap.js';

/** An expected answer, and the model's answer. */
export interface Answered {
  readonly expected: string;
  readonly said: string;
  /** A judge's score; null if none gave one. */
  readonly score?: number | null;
}

/** Counts that one row adds to each figure; figures of all rows are made from sums of these. */
const COUNTS = {
  exact: 0,
  normalized: 1,
  rougeL: 2,
  jsonRows: 3,
  jsonValid: 4,
  fieldHits: 5,
  fieldsSaid: 6,
  fieldsExpected: 7,
  bleu: 8,
  /** 1 for each row. */
  rows: 8 + 2 + 2 * MAX_ORDER,
  /** 1 for a row that a judge gave a score, and that score. */
  scored: 9 + 2 + 2 * MAX_ORDER,
  score: 10 + 2 + 2 * MAX_ORDER,
} as const;
/** Numbers of one row. */
export const WIDTH = COUNTS.score + 1;

/** Figures by name, each from the sum of the counts of rows. */
export const FIGURES = {
  exactMatch: (sum) => ratio(sum[COUNTS.exact]!, sum[COUNTS.rows]!),
  normalizedExactMatch: (sum) => ratio(sum[COUNTS.normalized]!, sum[COUNTS.rows]!),
  rougeL: (sum) => ratio(sum[COUNTS.rougeL]!, sum[COUNTS.rows]!),
  bleu: (sum) => bleuOf(sum.subarray(COUNTS.bleu, COUNTS.rows)),
  validity: (sum) => ratio(sum[COUNTS.jsonValid]!, sum[COUNTS.jsonRows]!),
  fieldF1: (sum) => ratio(2 * sum[COUNTS.fieldHits]!, sum[COUNTS.fieldsSaid]! + sum[COUNTS.fieldsExpected]!),
  fieldPrecision: (sum) => ratio(sum[COUNTS.fieldHits]!, sum[COUNTS.fieldsSaid]!),
  fieldRecall: (sum) => ratio(sum[COUNTS.fieldHits]!, sum[COUNTS.fieldsExpected]!),
  judge: (sum) => ratio(sum[COUNTS.score]!, sum[COUNTS.scored]!),
} as const satisfies Record<string, Figure>;

/** A figure, 0 to 1 (a judge's: 1 to 5), from the sum of the counts of rows. */
export type Figure = (sum: Float64Array) => number;

/** Rows whose expected answer is a JSON object or list, from the sum of the counts of rows. */
export const jsonRowsOf = (sum: Float64Array): number => sum[COUNTS.jsonRows]!;

/** Rows that a judge gave a score, from the sum of the counts of rows. */
export const scoredRowsOf = (sum: Float64Array): number => sum[COUNTS.scored]!;

/** Whether an answer is exactly the expected one. */
export const isExact = ({ expected, said }: Answered): boolean => said === expected;

/** The counts of one row, `WIDTH` numbers. Sums of them give the figures of several rows. */
export function countsOf(answer: Answered): Float64Array {
  const { expected, said } = answer;
  const counts = new Float64Array(WIDTH);
  counts[COUNTS.rows] = 1;
  counts[COUNTS.scored] = Number(answer.score != null);
  counts[COUNTS.score] = answer.score ?? 0;
  counts[COUNTS.exact] = Number(isExact(answer));
  counts[COUNTS.normalized] = Number(normalized(said) === normalized(expected));
  counts[COUNTS.rougeL] = rougeLOf(expected, said);
  counts.set(bleuCounts(expected, said), COUNTS.bleu);
  const gold = parsed(expected);
  if (gold === undefined) return counts;
  const found = parsed(said);
  const [wanted, told] = [fieldsOf(gold), found === undefined ? new Map<string, number>() : fieldsOf(found)];
  counts[COUNTS.jsonRows] = 1;
  counts[COUNTS.jsonValid] = Number(found !== undefined);
  counts[COUNTS.fieldsExpected] = total(wanted);
  counts[COUNTS.fieldsSaid] = total(told);
  for (const [field, times] of told) counts[COUNTS.fieldHits]! += Math.min(times, wanted.get(field) ?? 0);
  return counts;
}

/**
 * SQuAD's form for comparing answers (Rajpurkar et al. 2016): without case, punctuation, English articles and repeated
 * white space.
 */
const normalized = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/\p{P}/gu, '')
    .replaceAll(/\b(?:a|an|the)\b/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '')
    .join(' ');

/** An object or a list; undefined for any other text. */
function parsed(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Counts each value at each path. The entries of a list have one path: their order does not count. */
function fieldsOf(value: Json): ReadonlyMap<string, number> {
  const fields = new Map<string, number>();
  const add = (path: string, of: Json): void => {
    if (Array.isArray(of)) for (const each of of as readonly Json[]) add(`${path}[]`, each);
    else if (typeof of === 'object' && of !== null)
      for (const [key, each] of Object.entries(of)) add(`${path}.${JSON.stringify(key)}`, each!);
    else {
      const field = `${path}=${JSON.stringify(of)}`;
      fields.set(field, (fields.get(field) ?? 0) + 1);
    }
  };
  add('', value);
  return fields;
}

const total = (fields: ReadonlyMap<string, number>): number => fields.values().reduce((sum, times) => sum + times, 0);

/** A part of a whole; 0 if the whole is 0. */
const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
