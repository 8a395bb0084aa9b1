import { CsvError, parse } from 'csv-parse/sync';
import type { Json } from '#domain/json.js';
import type { CsvColumn, Separator } from '../blocks.js';
import { inBytes, UnreadableFileError, type FileLimits } from '../limits.js';
import { isObject } from '../rows/kinds.js';
import { wholeBlocks } from './line-blocks.js';
import { looksLikeJson, parseCell, type SourceRow } from './json-values.js';

const QUOTE = 0x22;
const NEWLINE = 0x0a;

/**
 * Cuts CSV, or lines of cells between tabs, into its header row and blocks of whole records.
 * @param namesOf names for the columns of a table without a header row, of its first record; null: that is the header row
 * @throws UnreadableFileError (while iterating, too) a header that is too long or names a column twice
 */
export async function openCsv(
  text: AsyncIterable<Buffer>,
  limits: FileLimits,
  blockBytes: number,
  separator: Separator,
  namesOf: (cells: readonly string[]) => readonly string[] | null = () => null,
  areQuoted = false,
): Promise<{ readonly header: readonly string[]; readonly blocks: AsyncIterable<Buffer> }> {
  const records = wholeBlocks(text, limits, blockBytes, separator === '\t' && !areQuoted ? lineEnds : recordEnds());
  const first = await records.next();
  const head = first.done ? Buffer.alloc(0) : first.value;
  let named: readonly string[] | null = null;
  const takeHeader = (cells: readonly string[]) => {
    if (isEmpty(cells)) return false;
    named = cells;
    return true;
  };
  // Blanks around a name count only in quotes.
  const cast = (cell: string, { quoting }: { readonly quoting: boolean }) => (quoting ? cell : cell.trim());
  const { refused, end } = csvRecords(head, limits, separator, takeHeader, { cast, areQuoted });
  if (refused !== null) throw new UnreadableFileError(`the header row ${refused}`);
  if (named === null) throw new UnreadableFileError('the file is empty');
  const names = namesOf(named);
  const from = names === null ? end : 0;
  async function* blocks(): AsyncGenerator<Buffer> {
    if (from < head.length) yield head.subarray(from);
    yield* records;
  }
  return { header: names ?? checkedHeader(withNames(named)), blocks: blocks() };
}

/** Names for unnamed columns after the first: spreadsheets leave empty columns at the end. */
const withNames = (columns: readonly string[]): readonly string[] =>
  columns.map((name, at) => (name === '' && columns.indexOf('') < at ? `column ${at + 1}` : name));

function checkedHeader(columns: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const twice = columns.find((column) => seen.size === seen.add(column).size);
  if (twice !== undefined)
    throw new UnreadableFileError(`the header row names the column ${JSON.stringify(twice.slice(0, 60))} twice`);
  return columns;
}

const lineEnds = (chunk: Buffer): number => chunk.lastIndexOf(NEWLINE) + 1;

/**
 * Returns the end of the last record in each chunk: after a line break outside quotes. A quote in quotes is doubled.
 */
function recordEnds(): (chunk: Buffer) => number {
  let inQuotes = false;
  return (chunk) => {
    let end = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index];
      if (byte === QUOTE) inQuotes = !inQuotes;
      else if (byte === NEWLINE && !inQuotes) end = index + 1;
    }
    return end;
  };
}

/**
 * Reads the records of a text (RFC 4180).
 * @param take called with the cells of each; true ends it there
 * @param how `cast`: converts a cell; default: unchanged. `areEmptyKept`: whether an empty line is a record. `areQuoted`: whether
 * quotes between tabs are those of CSV
 * @returns `refused`: why the record after the last accepted one is invalid; `end`: the byte after the last one
 */
export function csvRecords(
  text: Uint8Array,
  { rowBytes }: Pick<FileLimits, 'rowBytes'>,
  separator: Separator,
  take: (cells: readonly string[]) => boolean | void,
  {
    cast,
    areEmptyKept = false,
    areQuoted = false,
  }: {
    readonly cast?: (cell: string, context: { readonly quoting: boolean }) => string;
    readonly areEmptyKept?: boolean;
    readonly areQuoted?: boolean;
  } = {},
): { readonly refused: string | null; readonly end: number } {
  let end = 0;
  const isPlain = separator === '\t' && !areQuoted;
  try {
    parse(Buffer.from(text.buffer, text.byteOffset, text.byteLength), {
      ...{ relax_column_count: true, skip_empty_lines: !areEmptyKept, record_delimiter: ['\r\n', '\n'] },
      max_record_size: rowBytes,
      ...(isPlain ? { delimiter: separator, quote: false, cast: unquoted } : { delimiter: separator }),
      ...(cast && !isPlain && { cast }),
      on_record(cells: readonly string[], { bytes }) {
        end = bytes;
        if (take(cells) === true) throw new Enough();
        return null;
      },
    });
  } catch (error) {
    if (error instanceof CsvError) return { refused: reasonOf(error, rowBytes), end };
    if (!(error instanceof Enough)) throw error;
  }
  return { refused: null, end };
}

/**
 * A cell between tabs. Some programs quote cells there, too, most do not: a cell counts as quoted only if every quote
 * inside is doubled.
 */
const unquoted = (cell: string): string =>
  /^"(?:[^"]|"")*"$/.test(cell) && cell.length > 1 ? cell.slice(1, -1).replaceAll('""', '"') : cell;

/** Whether a record is one of the empty rows that spreadsheets write. */
export const isEmpty = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

/** Ends the reader early. */
class Enough extends Error {}

function reasonOf({ code, message }: CsvError, rowBytes: number): string {
  switch (code) {
    case 'CSV_MAX_RECORD_SIZE':
      return `is longer than ${inBytes(rowBytes)}, the most that one row may be`;
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'is not whole: the file ends inside a quoted cell';
    case 'INVALID_OPENING_QUOTE':
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'has a quote in the wrong place; a cell with quotes is written in quotes, those inside it doubled';
    default:
      return `cannot be read: ${message.slice(0, 200)}`;
  }
}

/**
 * The row of a record. Texts of columns with one name become one, a line each. An empty cell is a key that the row does not have. A cell that begins as a list, object or string of
 * JSON and is one, is that; all else is text.
 */
export function csvRow(columns: readonly CsvColumn[], cells: readonly string[], limits: FileLimits): SourceRow {
  if (cells.length !== columns.length)
    return {
      error: { field: '', reason: `has ${cells.length} cells, the first row has ${columns.length}` },
      raw: cells,
    };
  const row: Record<string, Json> = {};
  for (const [index, { name, holds }] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    const value = valueOf(cell, holds, limits);
    if (value === undefined)
      return { error: { field: name, reason: `nests deeper than ${limits.nesting} levels` }, raw: cells };
    if (name === '__proto__') Object.defineProperty(row, name, { ...OWN, value });
    else row[name] = Object.hasOwn(row, name) ? `${row[name] as string}\n${value as string}` : value;
  }
  return { value: row };
}

/** Undefined for JSON that nests too deep. */
function valueOf(cell: string, holds: CsvColumn['holds'], limits: FileLimits): Json | undefined {
  if (holds === 'text' || !looksLikeJson(cell)) return cell;
  const parsed = parseCell(cell, limits);
  return holds === 'json' || isMessages(parsed) ? parsed : cell;
}

const isMessages = (value: Json | undefined): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  (value as readonly Json[]).every(
    (entry) => isObject(entry) && typeof entry.role === 'string' && typeof entry.content === 'string',
  );

/** An assignment would set the prototype. */
const OWN = { enumerable: true, configurable: true, writable: true };
