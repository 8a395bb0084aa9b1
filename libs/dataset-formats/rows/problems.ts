import type { RowError, RowErrors } from '#domain/dataset/index.js';
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

  get isEmpty(): boolean {
    return this.#total === 0;
  }

  /** One line that says the first of them and how many there are. */
  summary(): string {
    const first = this.#shown[0];
    if (first === undefined) return '';
    const what = `row ${first.row}: ${first.field}${first.field && ' '}${first.reason}`;
    return this.#rows === 1 ? what : `${this.#rows} rows are not valid; ${what}`;
  }

  errors(): RowErrors {
    return { total: this.#total, rows: this.#shown };
  }
}
