import { OperationError } from '#apps/operator/operation.js';
import type { JsonObject } from '#domain/json.js';
import { FORMAT_NAMES, formatOfRow, type FormatName } from '#use-cases/inferences/formats/index.js';
import type { Send } from './api.js';
import type { ExportedCall } from './exported-calls.js';

/** Lines and bytes of one request, below the limits of the route. A longer line is sent alone. */
const MAX_LINES = 1_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** The first rows must tell the format. */
const MAX_LOOKED_AT = 100;

/** A row that was not imported. */
export interface RefusedRow {
  /** From 1. */
  readonly row: number;
  readonly id: string | null;
  readonly field: string | null;
  readonly reason: string;
}

export interface ImportSum {
  readonly format: FormatName;
  rows: number;
  imported: number;
  /** Calls that existed already. */
  unchanged: number;
  refused: number;
}

interface Report extends Omit<ImportSum, 'format' | 'rows'> {
  readonly errors: readonly (Omit<RefusedRow, 'row'> & { readonly line: number })[];
}

/**
 * Imports calls in several requests. A repeat adds only what is missing.
 * @param refused called with each row that is not imported
 * @throws OperationError when the rows do not tell their format, and none is given; an error of the route
 */
export async function importSession(
  send: Send,
  calls: AsyncIterable<ExportedCall>,
  given: FormatName | null,
  refused: (row: RefusedRow) => void,
): Promise<ImportSum> {
  const waiting: ExportedCall[] = [];
  let format = given;
  let sum: ImportSum | null = null;
  let batch = new Batch();
  const flush = async (counts: ImportSum) => {
    const sent = batch;
    batch = new Batch();
    if (sent.rows.length === 0) return;
    const { body } = await send('POST', `/inferences/import?format=${counts.format}`, sent.lines.join('\n'));
    const report = body as unknown as Report;
    for (const count of ['imported', 'unchanged', 'refused'] as const) counts[count] += report[count];
    for (const { line, id, field, reason } of report.errors) refused({ row: sent.rows[line - 1]!, id, field, reason });
  };
  const take = async (call: ExportedCall, counts: ImportSum) => {
    counts.rows += 1;
    if (call.value === undefined) {
      counts.refused += 1;
      refused({ row: call.row, id: null, field: null, reason: call.reason });
      return;
    }
    const line = JSON.stringify(call.value);
    if (!batch.hasRoomFor(line)) await flush(counts);
    batch.add(line, call.row);
  };
  for await (const call of calls) {
    format ??= call.value ? formatOfRow(call.value) : null;
    if (format === null) {
      if (waiting.push(call) === MAX_LOOKED_AT) break;
      continue;
    }
    sum ??= { format, rows: 0, imported: 0, unchanged: 0, refused: 0 };
    for (const earlier of waiting.splice(0)) await take(earlier, sum);
    await take(call, sum);
  }
  if (sum === null) throw unknownFormat(waiting[0]);
  await flush(sum);
  return sum;
}

/** Lines of one request, and the rows that they are. */
class Batch {
  readonly lines: string[] = [];
  readonly rows: number[] = [];
  private bytes = 0;

  hasRoomFor(line: string): boolean {
    return this.rows.length < MAX_LINES && (this.bytes === 0 || this.bytes + Buffer.byteLength(line) < MAX_BYTES);
  }

  add(line: string, row: number): void {
    this.lines.push(line);
    this.rows.push(row);
    this.bytes += Buffer.byteLength(line) + 1;
  }
}

function unknownFormat(first: ExportedCall | undefined): OperationError {
  if (first === undefined) return new OperationError('the file has no rows');
  const known = FORMAT_NAMES.join(', ');
  const has = fieldsOf(first.value);
  return new OperationError(`the rows are of no known export${has}; name their format with --format: ${known}`);
}

const fieldsOf = (row: JsonObject | undefined): string =>
  row === undefined
    ? ''
    : ` (the first one has ${Object.keys(row).slice(0, 20).join(', ').slice(0, 200) || 'no fields'})`;
