import type { RowError, RowErrors } from '#domain/dataset/index.js';
import { oneLine } from '../limits.js';
import type { FieldProblem } from './validate.js';

const SHOWN = 100;
const MAX_REASON_CHARACTERS = 300;
const MAX_FIELD_CHARACTERS = 120;

/** Problems of consecutive rows, as passed between threads; rows are counted from 1 within the part. */
export interface ProblemsPart {
  readonly total: number;
  readonly rows: number;
  readonly shown: readonly RowError[];
}

/** Problems by row: all are counted, the first 100 kept. A row with several problems shows each. */
export class ProblemList {
  private total = 0;
  private readonly shown: RowError[] = [];
  private rows = 0;
  private lastRow = 0;

  /** @param row from 1; not before the row of the problem before this one */
  add(row: number, { field, reason }: FieldProblem): void {
    this.total += 1;
    if (row !== this.lastRow) this.rows += 1;
    this.lastRow = row;
    if (this.shown.length >= SHOWN) return;
    this.shown.push({
      row,
      field: field.slice(0, MAX_FIELD_CHARACTERS),
      reason: reason.slice(0, MAX_REASON_CHARACTERS),
    });
  }

  /** @param rowsBefore of the rows that the parts cover, which are the same; no row is in two parts */
  append(rowsBefore: number, ...parts: readonly ProblemsPart[]): void {
    const shown = parts.flatMap((part) => part.shown).sort((a, b) => a.row - b.row);
    for (const problem of shown)
      if (this.shown.length < SHOWN) this.shown.push({ ...problem, row: problem.row + rowsBefore });
    for (const { total, rows } of parts) {
      this.total += total;
      this.rows += rows;
    }
  }

  get isEmpty(): boolean {
    return this.total === 0;
  }

  part(): ProblemsPart {
    return { total: this.total, rows: this.rows, shown: this.shown };
  }

  /** The errors with a line that summarises them; null when there are none. */
  verdict(): { readonly reason: string; readonly rowErrors: RowErrors } | null {
    const first = this.shown[0];
    if (first === undefined) return null;
    const what = oneLine(`row ${first.row}: ${first.field}${first.field && ' '}${first.reason}`);
    const reason = this.rows === 1 ? what : `${this.rows} rows are not valid; ${what}`;
    return { reason, rowErrors: { total: this.total, rows: this.shown } };
  }
}
