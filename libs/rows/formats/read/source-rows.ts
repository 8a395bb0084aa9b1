import type { BlockForm, BlockSettings } from '../blocks.js';
import { inBytes, type FileLimits } from '../limits.js';
import { csvRecords, csvRow, isEmpty } from './csv.js';
import { parseRow, type SourceRow } from './json-values.js';
import { servedRow } from './wrapped.js';
import { withLabelNames } from './label-names.js';
import { tableRow } from './table-row.js';

const NEWLINE = 0x0a;

/** Receives a row and its line, if the line may be stored unchanged. True ends the reading. */
type TakeRow = (row: SourceRow, line: Buffer | null) => boolean | void;

/**
 * Reads the rows of a block as the file has them.
 * @throws RowRefusedError for the row after the last accepted one
 */
export function sourceRows(
  bytes: Uint8Array,
  { form, limits, labelNames, oneHot }: Pick<BlockSettings, 'form' | 'limits' | 'labelNames' | 'oneHot'>,
  takeNamed: TakeRow,
): void {
  const take: TakeRow = (source, line) => {
    const row = withLabelNames(source, labelNames, oneHot);
    return takeNamed(row, row === source ? line : null);
  };
  if (form.kind !== 'csv') return lines(bytes, form, limits, take);
  const { refused } = csvRecords(
    bytes,
    limits,
    form.separator,
    (cells) =>
      isEmpty(cells) || isRule(cells, form.separator) ? undefined : take(csvRow(form.columns, cells, limits), null),
    // Tables of Markdown have blanks beside their bars.
    form.separator === '|' ? { ...form, cast: (cell) => cell.trim() } : form,
  );
  if (refused !== null) throw new RowRefusedError('row', refused);
}

/** Whether a record is the line below the header of a table of Markdown: `|---|:---:|`. */
const isRule = (cells: readonly string[], separator: string): boolean =>
  separator === '|' && cells.some((cell) => cell !== '') && cells.every((cell) => /^(?:|:?-+:?)$/.test(cell));

/** A row that causes the file as a whole to be refused. */
export class RowRefusedError extends Error {
  constructor(
    readonly unit: string,
    readonly reason: string,
  ) {
    super(reason);
  }
}

function lines(bytes: Uint8Array, form: Exclude<BlockForm, { kind: 'csv' }>, limits: FileLimits, take: TakeRow): void {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const unit = form.kind === 'lines' ? form.unit : 'row';
  const isKept = form.kind === 'table' || form.isKept;
  for (let start = 0; start < text.length;) {
    const found = text.indexOf(NEWLINE, start);
    let end = found < 0 ? text.length : found;
    const next = end + 1;
    while (end > start && isSpace(text[end - 1])) end -= 1;
    while (start < end && isSpace(text[start])) start += 1;
    if (end - start > limits.rowBytes) throw new RowRefusedError(unit, tooLong(limits.rowBytes));
    if (end > start) {
      const line = text.subarray(start, end);
      const source = parseRow(line, limits);
      const row =
        form.kind === 'table' && source.value
          ? tableRow(source.value, form, limits)
          : form.kind === 'lines' && form.isServed
            ? servedRow(source)
            : source;
      if (take(row, isKept && row.value === source.value && !('isMended' in source) ? line : null) === true) return;
    }
    start = next;
  }
}

const tooLong = (rowBytes: number): string => `is longer than ${inBytes(rowBytes)}, the most that one row may be`;
const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;
