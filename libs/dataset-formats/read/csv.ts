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
  let named: readonly string[] | null = null;
  const { refused, end } = csvRecords(head, limits, (cells) => {
    named = cells;
    return true;
  });
  if (refused !== null) throw new UnreadableFileError(`the header row ${refused}`);
  if (named === null) throw new UnreadableFileError('the file is empty');
  async function* blocks(): AsyncGenerator<Buffer> {
    const rest = Buffer.from(head.slice(end));
    if (rest.length > 0) yield rest;
    yield* records;
  }
  return { header: checkedHeader(named), blocks: blocks() };
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

/**
 * Reads the records of a text (RFC 4180), empty lines left out.
 * @param take is given the cells of each; true ends it there
 * @returns `refused`: why the record behind the last one taken is none; `end`: the place behind the last one
 */
export function csvRecords(
  text: string,
  limits: Pick<FileLimits, 'rowBytes'>,
  take: (cells: readonly string[]) => boolean | void,
): { readonly refused: string | null; readonly end: number } {
  const next = { comma: new NextOf(text, ','), newline: new NextOf(text, '\n'), quote: new NextOf(text, '"') };
  for (let at = 0; at < text.length;) {
    const begin = at;
    const cells: string[] = [];
    const refuse = (reason: string) => ({ refused: tooLong(text.slice(begin, at), limits) ?? reason, end: begin });
    for (let isLast = false; !isLast; at += 1) {
      if (text.charCodeAt(at) === QUOTE) {
        const start = at + 1;
        at = closingQuote(text, start);
        if (at === text.length) return refuse('is not whole: the file ends inside a quoted cell');
        const cell = text.slice(start, at);
        cells.push(cell.includes('"') ? cell.replaceAll('""', '"') : cell);
        at += 1;
        if (text.charCodeAt(at) === RETURN && text.charCodeAt(at + 1) === NEWLINE) at += 1;
        if (at < text.length && text.charCodeAt(at) !== COMMA && text.charCodeAt(at) !== NEWLINE) return refuse(STRAY);
        isLast = text.charCodeAt(at) !== COMMA;
      } else {
        const start = at;
        const newline = next.newline.from(at);
        const comma = next.comma.from(at);
        isLast = newline < comma || comma === text.length;
        at = Math.min(newline, comma);
        if (next.quote.from(start) < at) return refuse(STRAY);
        const hasReturn = at === newline && at > start && text.charCodeAt(at - 1) === RETURN && at < text.length;
        cells.push(text.slice(start, hasReturn ? at - 1 : at));
      }
    }
    if (at - begin > limits.rowBytes / 3) {
      const reason = tooLong(text.slice(begin, at), limits);
      if (reason !== null) return { refused: reason, end: begin };
    }
    // An empty line; a record of one empty cell is written as "".
    const isEmpty = cells.length === 1 && cells[0] === '' && text.charCodeAt(begin) !== QUOTE;
    if (!isEmpty && take(cells) === true) return { refused: null, end: at };
  }
  return { refused: null, end: text.length };
}

/** Where a character comes next, asked from one place onwards after the other. */
class NextOf {
  #next = -1;

  constructor(
    private readonly text: string,
    private readonly character: string,
  ) {}

  /** The text's length when there is none. */
  from(at: number): number {
    if (this.#next < at) {
      const found = this.text.indexOf(this.character, at);
      this.#next = found < 0 ? this.text.length : found;
    }
    return this.#next;
  }
}

const STRAY = 'has a quote in the wrong place; a cell with quotes is written in quotes, those inside it doubled';

/** The text's length when there is none. */
function closingQuote(text: string, from: number): number {
  let close = text.indexOf('"', from);
  while (close >= 0 && text.charCodeAt(close + 1) === QUOTE) close = text.indexOf('"', close + 2);
  return close < 0 ? text.length : close;
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
