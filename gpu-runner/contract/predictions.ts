/**
 * The files of an evaluation's predictions, as a runner stores them and as they are read page by page: JSONL of all rows, beside it
 * JSONL of the wrong rows, each line with its `row` (from 1), and for each of the two an index. An index holds where each line
 * begins, and last where the file ends, as 8 bytes each, little-endian.
 * Beside generated answers are their counts, by which two evaluations are compared: `libs/evaluations/row-counts.ts`, row by row.
 * Beside labels are the facts of each row, a line of JSON for each: `libs/evaluations/row-facts.ts`.
 */
export const PREDICTIONS = 'predictions.jsonl';
export const INDEX_ENTRY_BYTES = 8;
/** Bytes of one count: a little-endian double. */
export const COUNT_BYTES = 8;

export const indexKeyOf = (key: string): string => `${key}.index`;
/** @param predictionsKey of the file of all rows */
export const wrongKeyOf = (predictionsKey: string): string => predictionsKey.replace(/[^/]*$/, 'wrong.jsonl');

/** @param predictionsKey of the file of all rows */
export const countsKeyOf = (predictionsKey: string): string => predictionsKey.replace(/[^/]*$/, 'counts.f64');

/** @param predictionsKey of the file of all rows */
export const factsKeyOf = (predictionsKey: string): string => predictionsKey.replace(/[^/]*$/, 'facts.jsonl');
