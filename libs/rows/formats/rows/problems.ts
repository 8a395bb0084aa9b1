import type { RowError, RowErrors, RowReason } from '#domain/dataset/index.js';
import { oneLine } from '../limits.js';
import type { FieldProblem } from './kinds.js';

const SHOWN = 100;
const SHOWN_OF_A_KIND = 20;
const MAX_KINDS = 20;
const MAX_REASON_CHARACTERS = 300;
const MAX_FIELD_CHARACTERS = 120;

/** Problems of consecutive rows, as passed between threads; rows are counted from 1 within the part. */
export interface ProblemsPart {
  readonly total: number;
  readonly rows: number;
  readonly shown: readonly RowError[];
  readonly kinds: ReadonlyMap<string, RowReason>;
}

/** Problems of one kind. @param shown the first of them */
export function problemsOfAKind(rows: number, shown: readonly RowError[]): ProblemsPart {
  const [first] = shown;
  const kinds = first ? [[kindOf(first), { reason: problemAs(first), rows, firstRow: first.row }] as const] : [];
  return { total: rows, rows, shown, kinds: new Map(kinds) };
}

/** @param rows in which there are any */
export const problemsTogether = (parts: readonly ProblemsPart[], rows: number): ProblemsPart => ({
  total: parts.reduce((sum, { total }) => sum + total, 0),
  rows,
  shown: parts
    .flatMap(({ shown }) => shown)
    .toSorted((a, b) => a.row - b.row)
    .slice(0, SHOWN),
  kinds: new Map(parts.flatMap(({ kinds }) => [...kinds])),
});

/**
 * Problems by row: all are counted, the first 100 kept, of those that differ only in what they quote the first 20. A row with several
 * problems shows each.
 */
export class ProblemList {
  private total = 0;
  private readonly shown: RowError[] = [];
  private readonly shownOf = new Map<string, number>();
  private readonly kinds = new Map<string, RowReason & { readonly lastRow: number }>();
  private rowCount = 0;
  private lastRow = 0;

  /** @param row from 1; not before the row of the problem before this one */
  add(row: number, problem: FieldProblem): void {
    const field = problem.field.slice(0, MAX_FIELD_CHARACTERS);
    const reason = problem.reason.slice(0, MAX_REASON_CHARACTERS);
    this.total += 1;
    if (row !== this.lastRow) this.rowCount += 1;
    this.lastRow = row;
    const kind = kindOf({ row, field, reason });
    const before = this.kinds.get(kind);
    if (before?.lastRow !== row)
      this.count(kind, { reason: problemAs({ field, reason }), rows: 1, firstRow: row }, row);
    this.show(kind, { row, field, reason });
  }

  /** @param rowsBefore of the rows that the parts cover, which are the same; no row is in two parts */
  append(rowsBefore: number, ...parts: readonly ProblemsPart[]): void {
    const shown = parts.flatMap((part) => part.shown).sort((a, b) => a.row - b.row);
    for (const problem of shown) this.show(kindOf(problem), { ...problem, row: problem.row + rowsBefore });
    for (const { total, rows, kinds } of parts) {
      this.total += total;
      this.rowCount += rows;
      for (const [kind, reason] of kinds) this.count(kind, { ...reason, firstRow: reason.firstRow + rowsBefore }, 0);
    }
  }

  /** Rows with a problem. */
  get rows(): number {
    return this.rowCount;
  }

  /** Of the first kinds. */
  get reasons(): readonly RowReason[] {
    return [...this.kinds.values()].map(({ reason, rows, firstRow }) => ({ reason, rows, firstRow }));
  }

  part(): ProblemsPart {
    return { total: this.total, rows: this.rowCount, shown: this.shown, kinds: this.kinds };
  }

  /** The errors with a line that summarises them; null when there are none. */
  verdict(): { readonly reason: string; readonly rowErrors: RowErrors } | null {
    const first = this.shown[0];
    if (first === undefined) return null;
    const what = oneLine(`row ${first.row}: ${problemAs(first)}`);
    const reason = this.rowCount === 1 ? what : `${this.rowCount} rows are not valid; ${what}`;
    return { reason, rowErrors: { total: this.total, rows: this.shownWithMore(), reasons: this.reasons } };
  }

  /** The last one shown of a kind says how many more rows have it. */
  private shownWithMore(): readonly RowError[] {
    const left = new Map(this.shownOf);
    return this.shown.map((error) => {
      const kind = kindOf(error);
      left.set(kind, left.get(kind)! - 1);
      const more = (this.kinds.get(kind)?.rows ?? 0) - this.shownOf.get(kind)!;
      return left.get(kind) === 0 && more > 0 && this.shownOf.get(kind) === SHOWN_OF_A_KIND
        ? { ...error, reason: `${error.reason}; and ${more} more rows` }
        : error;
    });
  }

  private show(kind: string, error: RowError): void {
    const shown = this.shownOf.get(kind) ?? 0;
    if (this.shown.length >= SHOWN || shown >= SHOWN_OF_A_KIND) return;
    this.shownOf.set(kind, shown + 1);
    this.shown.push(error);
  }

  private count(kind: string, { reason, rows, firstRow }: RowReason, lastRow: number): void {
    const before = this.kinds.get(kind);
    if (before === undefined && this.kinds.size >= MAX_KINDS) return;
    this.kinds.set(kind, {
      reason: before === undefined || before.reason === reason ? reason : kind,
      rows: (before?.rows ?? 0) + rows,
      firstRow: before?.firstRow ?? firstRow,
      lastRow,
    });
  }
}

/** A problem without what may differ from row to row: quoted texts and numbers. */
const kindOf = (problem: RowError): string =>
  problemAs(problem)
    .replaceAll(/"(?:[^"\\]|\\.)*"?/g, '"…"')
    .replaceAll(/\d+/g, '…');

const problemAs = ({ field, reason }: FieldProblem): string => oneLine(`${field}${field && ' '}${reason}`);
