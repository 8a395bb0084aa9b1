import type { Json } from '#domain/json.js';
import type { CsvColumn } from '../blocks.js';
import { inBytes, UnreadableFileError, type FileLimits } from '../limits.js';
import { wholeBlocks } from './line-blocks.js';
import { looksLikeJson, parseCell, type SourceRow } from './json-values.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Cuts CSV into its header row and blocks of whole records.
 * @throws UnreadableFileError (while iterating, too) a header that is too long or names a column twice
 */
export async function openCsv(
  text: AsyncIterable<Buffer>,
  limits: FileLimits,
  blockBytes: number,
): Promise<{ readonly header: readonly string[]; readonly blocks: AsyncIterable<Buffer> }> {
  const records = wholeBlocks(text, limits, blockBytes, recordEnds());
  const first = await records.next();
  const head = first.done ? '' : first.value.toString('utf8');
  const { records: heads, refused } = csvRecords(head, limits, 1);
  const named = heads[0];
  if (refused) throw new UnreadableFileError(`the header row ${refused.reason}`);
  if (named === undefined) throw new UnreadableFileError('the file is empty');
  async function* blocks(): AsyncGenerator<Buffer> {
    const rest = Buffer.from(head.slice(named?.end));
    if (rest.length > 0) yield rest;
    yield* records;
  }
  return { header: checkedHeader(named.cells), blocks: blocks() };
}

function checkedHeader(cells: readonly string[]): readonly string[] {
  const columns = cells.map((column) => column.trim());
  const seen = new Set<string>();
  const twice = columns.find((column) => seen.size === seen.add(column).size);
  if (twice !== undefined)
    throw new UnreadableFileError(`the header row names the column ${JSON.stringify(twice.slice(0, 60))} twice`);
  return columns;
}

/** Where the last record of each chunk ends: behind a line break outside quotes. A quote in quotes is doubled. */
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

export interface CsvRecord {
  readonly cells: readonly string[];
  /** Where in the text the next one begins. */
  readonly end: number;
}

/**
 * The records of a text (RFC 4180), empty lines left out.
 * @returns with `refused`, why the one behind the last of them is none
 */
export function csvRecords(
  text: string,
  limits: Pick<FileLimits, 'rowBytes'>,
  most = Infinity,
): { readonly records: readonly CsvRecord[]; readonly refused: { readonly reason: string } | null } {
  const records: CsvRecord[] = [];
  let at = 0;
  while (at < text.length && records.length < most) {
    const begin = at;
    const cells: string[] = [];
    for (let isLast = false; !isLast;) {
      let cell: string;
      if (text.charCodeAt(at) === QUOTE) {
        const close = closingQuote(text, at + 1);
        if (close < 0)
          return {
            records,
            refused: {
              reason: tooLong(text.slice(begin), limits) ?? 'is not whole: the file ends inside a quoted cell',
            },
          };
        cell = text.slice(at + 1, close);
        if (cell.includes('"')) cell = cell.replaceAll('""', '"');
        at = close + 1;
      } else {
        const start = at;
        let unit = text.charCodeAt(at);
        while (unit !== COMMA && unit !== NEWLINE && unit !== QUOTE && at < text.length)
          unit = text.charCodeAt((at += 1));
        if (unit === QUOTE) return { records, refused: { reason: tooLong(text.slice(begin, at), limits) ?? STRAY } };
        const end = unit === NEWLINE && at > start && text.charCodeAt(at - 1) === RETURN ? at - 1 : at;
        cell = text.slice(start, end);
      }
      cells.push(cell);
      if (text.charCodeAt(at) === RETURN && text.charCodeAt(at + 1) === NEWLINE) at += 1;
      if (at < text.length && text.charCodeAt(at) !== COMMA && text.charCodeAt(at) !== NEWLINE)
        return { records, refused: { reason: tooLong(text.slice(begin, at), limits) ?? STRAY } };
      isLast = at >= text.length || text.charCodeAt(at) === NEWLINE;
      at += 1;
    }
    const reason = at - begin > limits.rowBytes / 3 ? tooLong(text.slice(begin, at), limits) : null;
    if (reason !== null) return { records, refused: { reason } };
    // An empty line; a record of one empty cell is written as "".
    if (cells.length > 1 || cells[0] !== '' || text.charCodeAt(begin) === QUOTE) records.push({ cells, end: at });
  }
  return { records, refused: null };
}

const STRAY = 'has a quote in the wrong place; a cell with quotes is written in quotes, those inside it doubled';

function closingQuote(text: string, from: number): number {
  let close = text.indexOf('"', from);
  while (close >= 0 && text.charCodeAt(close + 1) === QUOTE) close = text.indexOf('"', close + 2);
  return close;
}

const tooLong = (record: string, { rowBytes }: Pick<FileLimits, 'rowBytes'>): string | null =>
  Buffer.byteLength(record) > rowBytes ? `is longer than ${inBytes(rowBytes)}, the most that one row may be` : null;

/**
 * The row of a record. An empty cell is a key that the row does not have. A cell that begins as a list, object or string of
 * JSON and is one, is that; all else is text.
 */
export function csvRow(columns: readonly CsvColumn[], cells: readonly string[], limits: FileLimits): SourceRow {
  if (cells.length !== columns.length)
    return { error: { field: '', reason: `has ${cells.length} cells, the header row has ${columns.length}` } };
  const row: Record<string, Json> = {};
  for (const [index, { name, isText }] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    const value = isText || !looksLikeJson(cell) ? cell : parseCell(cell, limits);
    if (value === undefined) return { error: { field: name, reason: `nests deeper than ${limits.nesting} levels` } };
    if (name === '__proto__') Object.defineProperty(row, name, { ...OWN, value });
    else row[name] = value;
  }
  return { value: row };
}

/** An assignment would set the prototype. */
const OWN = { enumerable: true, configurable: true, writable: true };
