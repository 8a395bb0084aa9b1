import type { FieldShape } from './fields.js';

/** A value of a field of one structure. */
interface FieldValue {
  readonly field: string;
  readonly start: number;
}

/**
 * Groups the values of one structure into records: in text order, a new record begins when a scalar field repeats that
 * the record already has. Texts list their records one after another far more often than they nest them, so this holds
 * for unseen layouts too.
 */
export function groupRecords<V extends FieldValue>(values: readonly V[], fields: readonly FieldShape[]): V[][] {
  const lists = new Set(fields.flatMap(({ name, isList }) => (isList ? [name] : [])));
  const records: V[][] = [];
  let filled = new Set<string>();
  for (const value of values.toSorted((a, b) => a.start - b.start)) {
    if (records.length === 0 || filled.has(value.field)) {
      records.push([]);
      filled = new Set();
    }
    records.at(-1)!.push(value);
    if (!lists.has(value.field)) filled.add(value.field);
  }
  return records;
}
