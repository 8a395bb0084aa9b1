import type { LeftOut } from '#domain/dataset/index.js';
import type { Json } from '#domain/json.js';
import type { FieldProblem } from './kinds.js';
import { ProblemList } from './problems.js';

const MAX_LISTED = 10_000;
export const MAX_LISTED_BYTES = 16 * 1024 * 1024;
const MAX_ROW_BYTES = 256 * 1024;

/** A row that is left out, as passed between threads; rows are counted from 1 within the part. */
export interface LeftOutRow {
  readonly row: number;
  readonly reason: string;
  /** The row as the file has it, as JSON; null: it is too long to be listed. */
  readonly data: string | null;
}

export function leftOutRow(row: number, problems: readonly FieldProblem[], data: Json): LeftOutRow {
  const reason = problems.map(({ field, reason: why }) => `${field}${field && ' '}${why}`).join('; ');
  const json = JSON.stringify(data);
  return { row, reason, data: json.length > MAX_ROW_BYTES ? null : json };
}

/** Why a row without a label is left out. */
export const UNLABELLED = { reason: 'has no label' };

/** What is told of the rows of a file that its version lacks. */
export type LeftOutRows = Omit<LeftOut, 'list'> & {
  /** The first of them, as JSONL. */
  readonly lines: Buffer;
};

/** The rows that are left out of a file, in their order: all are counted, the first listed. */
export class LeftOutList {
  private readonly lines: Buffer[] = [];
  private bytes = 0;
  private isFull = false;

  /** @param rowsBefore of these rows */
  append(rowsBefore: number, rows: readonly LeftOutRow[]): void {
    for (const { row, reason, data } of rows) {
      const known = { row: row + rowsBefore, reason };
      const line = Buffer.from(
        data === null
          ? `${JSON.stringify({ ...known, data: null, data_left_out: `longer than ${MAX_ROW_BYTES} bytes` })}\n`
          : `${JSON.stringify(known).slice(0, -1)},"data":${data}}\n`,
      );
      this.isFull ||= this.lines.length >= MAX_LISTED || this.bytes + line.length > MAX_LISTED_BYTES;
      if (this.isFull) return;
      this.lines.push(line);
      this.bytes += line.length;
    }
  }

  /** Null: none. @param of rows of the file */
  told(of: number, wrong: ProblemList, unlabelled: ProblemList): LeftOutRows | null {
    const rows = wrong.rows + unlabelled.rows;
    if (rows === 0) return null;
    return {
      rows,
      unlabelled: unlabelled.rows,
      of,
      reasons: [
        ...unlabelled.reasons.slice(0, 1).map(({ firstRow }) => ({ ...UNLABELLED, rows: unlabelled.rows, firstRow })),
        ...wrong.reasons,
      ],
      listed: this.lines.length,
      lines: Buffer.concat(this.lines, this.bytes),
    };
  }
}
