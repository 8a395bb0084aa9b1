import { isTextColumn } from '../rows/columns.js';
import type { DatasetType } from '#domain/dataset/index.js';
import type { Json, JsonObject } from '#domain/json.js';

const FLUSH_CHARACTERS = 64 * 1024;

/**
 * Rows as CSV: a header row of these columns, lists and objects as JSON in their cells. `csvRows` reads back the same
 * rows, except numbers and booleans (as text) and nulls (as absent): CSV has no types.
 * @param shown changes texts; default: they stay as they are
 */
export async function* writeCsv(
  rows: AsyncIterable<JsonObject>,
  header: readonly string[],
  datasetType: DatasetType,
  shown: (text: string) => string = (text) => text,
): AsyncGenerator<Buffer> {
  let text = record(header);
  for await (const row of rows) {
    text += record(header.map((column) => cell(row[column], isTextColumn(datasetType, column), shown)));
    if (text.length < FLUSH_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

/**
 * For files that people open in spreadsheets: a text that those would run as a formula begins with an apostrophe.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
export const withoutFormulas = (text: string): string =>
  /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(text) ? `'${text}` : text;

function cell(value: Json | undefined, isText: boolean, shown: (text: string) => string): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  // A value that would be read as JSON, or as an empty cell, is written as a JSON string.
  return !isText && (value === '' || /^\s*[[{"]/.test(value)) ? JSON.stringify(value) : shown(value);
}

const record = (cells: readonly string[]): string => `${cells.map((cell) => quoted(cell, cells)).join(',')}\r\n`;

// A record of one empty cell must not look like an empty line; RFC 4180 quotes. Other separators are quoted too: the header row
// identifies the file's separator, and a spreadsheet that expects another one would begin a cell, and run a formula, after it.
const quoted = (text: string, cells: readonly string[]): string =>
  /[",;|\t\r\n]/.test(text) || (text === '' && cells.length === 1) || text !== text.trim()
    ? `"${text.replaceAll('"', '""')}"`
    : text;
