import type { Shape } from './fields.js';

/** A value of a field of one structure. */
interface FieldValue {
  readonly field: string;
  readonly start: number;
  readonly hit: { readonly end: number };
}

/**
 * Groups the values of one structure into records. In text order, a new record begins when a scalar field repeats that
 * the record already has. Texts list their records one after another far more often than they nest them, so this holds
 * for unseen layouts too. Where the rows showed a layout, one begins also at a field that stands before one which the
 * record has, on another line, or far away: so a field that is missing shifts none that follow.
 */
export function groupRecords<V extends FieldValue>(text: string, values: readonly V[], shape: Shape): V[][] {
  const lists = new Set(shape.fields.flatMap(({ name, isList }) => (isList ? [name] : [])));
  const { order, endsWithLine, farApart } = shape.layout;
  const records: V[][] = [];
  let present = new Set<string>();
  const isNext = ({ field, start }: V): boolean => {
    const last = records.at(-1)?.at(-1);
    if (last === undefined) return true;
    const between = text.slice(last.hit.end, start);
    return (
      (present.has(field) && !lists.has(field)) ||
      order.some(([first, second]) => first === field && present.has(second)) ||
      (endsWithLine && between.includes('\n')) ||
      (farApart !== null && between.length >= farApart)
    );
  };
  for (const value of values.toSorted((a, b) => a.start - b.start)) {
    if (isNext(value)) {
      records.push([]);
      present = new Set();
    }
    records.at(-1)!.push(value);
    present.add(value.field);
  }
  return records;
}
