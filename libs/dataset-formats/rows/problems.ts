import type { RowError, RowErrors } from '#domain/dataset/index.js';
import { oneLine } from '../limits.js';
import type { FieldProblem } from './validate.js';

const SHOWN = 100;
const LONGEST_REASON = 300;
const LONGEST_FIELD = 120;

/** What is wrong, row by row: all counted, the first 100 kept. A row with several problems shows each. */
export class ProblemList {
  #total = 0;
  readonly #shown: RowError[] = [];
  #rows = 0;
  #lastRow = 0;

  /** @param row from 1 */
  add(row: number, { field, reason }: FieldProblem): void {
    this.#total += 1;
    if (row !== this.#lastRow) this.#rows += 1;
    this.#lastRow = row;
    if (this.#shown.length >= SHOWN) return;
    this.#shown.push({ row, field: field.slice(0, LONGEST_FIELD), reason: reason.slice(0, LONGEST_REASON) });
  }

  get rows(): number {
    return this.#rows;
  }

  errors(): RowErrors {
    return { total: this.#total, rows: this.#shown };
  }
}

/** The problems of both lists in the order of the rows, with one line that sums them up; null when there are none. */
export function mergedErrors(
  unreadable: ProblemList,
  invalid: ProblemList,
): { readonly reason: string; readonly rowErrors: RowErrors } | null {
  const [a, b] = [unreadable.errors(), invalid.errors()];
  const rows = [...a.rows, ...b.rows].sort((x, y) => x.row - y.row).slice(0, SHOWN);
  const first = rows[0];
  if (first === undefined) return null;
  const what = oneLine(`row ${first.row}: ${first.field}${first.field && ' '}${first.reason}`);
  const count = unreadable.rows + invalid.rows;
  const reason = count === 1 ? what : `${count} rows are not valid; ${what}`;
  return { reason, rowErrors: { total: a.total + b.total, rows } };
}
