import type { Json, JsonObject } from '#domain/json.js';
import { textColumns } from '../layouts/parts/named-columns.js';
import { looksLikeTag } from '../layouts/parts/tags.js';
import { UnreadableFileError } from '../limits.js';
import { isObject } from '../rows/kinds.js';
import { peek } from './unpack.js';
import { valueEnd } from './wrapped.js';

/** Limit on a table that is one JSON object: it is read as a whole. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A table that one JSON object holds by its columns. */
interface ColumnsFile {
  /** A line of JSON each. */
  readonly rows: AsyncIterable<Buffer>;
  readonly container: string;
}

/**
 * The rows of a JSON object that holds a table by its columns: the orientations `split`, `columns` and `index` of pandas, a list for each column, or
 * what polars serialises. Null: it is another object, such as a row.
 * @param begun the beginning of the text
 * @throws UnreadableFileError for a table of polars without its values
 */
export async function columnsFile(
  text: AsyncIterable<Buffer>,
  begun: Buffer,
): Promise<{ readonly file: ColumnsFile | null; readonly text: AsyncIterable<Buffer> }> {
  if (!BEGINNING.test(begun.toString('latin1', 0, 4096))) return { file: null, text };
  let known = 0;
  const { head, rest } = await peek(text, MAX_BYTES, (read) => {
    if (read.length < 2 * known) return false;
    known = read.length;
    return isFollowed(read);
  });
  const value = head.length >= MAX_BYTES || isFollowed(head) ? null : parsed(head);
  const found = value && tableOf(value);
  if (!found) return { file: null, text: rest };
  await rest.return(undefined);
  return { file: { rows: linesOf(found.rows), container: found.container }, text: rest };
}

/** A first value that is a list, or an object whose first key is a number, or that is under a number itself. */
const BEGINNING = /^\{\s*(?:"(?:[^"\\]|\\.)*"\s*:\s*(?:\[|\{\s*"\d+"\s*:)|"\d+"\s*:\s*\{)/;

/** Whether something stands behind the object, as in a file of rows. */
function isFollowed(head: Buffer): boolean {
  const text = head.toString('latin1');
  const end = valueEnd(text, 0);
  return end <= text.length && text.slice(end).trim() !== '';
}

function parsed(head: Buffer): JsonObject | null {
  try {
    const value = JSON.parse(head.toString('utf8')) as Json;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

interface Table {
  readonly rows: Iterable<JsonObject>;
  readonly container: string;
}

function tableOf(value: JsonObject): Table | null {
  const { columns, data, index: _, ...others } = value;
  if (isList(columns) && Object.keys(others).length === 0) {
    if (
      isList(data) &&
      data.every(isList) &&
      columns.every((name) => typeof name === 'string' || Number.isInteger(name))
    )
      return { rows: bySplit(columns.map(String), data), container: 'a table of pandas in the orientation "split"' };
    if (data === undefined && columns.every((column) => isObject(column) && typeof column.name === 'string'))
      return { rows: bySeries(columns as readonly JsonObject[]), container: 'a serialised table of polars' };
  }
  const entries = Object.entries(value) as (readonly [string, Json])[];
  if (entries.every(([name, row]) => /^\d+$/.test(name) && isObject(row)))
    return { rows: Object.values(value) as JsonObject[], container: 'a table of pandas in the orientation "index"' };
  if (entries.length < 2) return null;
  if (entries.every(([, cells]) => isObject(cells))) return byIndex(entries as (readonly [string, JsonObject])[]);
  if (entries.every(([, cells]) => isList(cells)))
    return byLists(value, entries as (readonly [string, readonly Json[]])[]);
  return null;
}

function* bySplit(columns: readonly string[], data: readonly (readonly Json[])[]): Generator<JsonObject> {
  for (const cells of data) yield Object.fromEntries(columns.map((name, column) => [name, cells[column] ?? null]));
}

function bySeries(series: readonly JsonObject[]): Iterable<JsonObject> {
  const lists = series.map(({ name, values }) => [name as string, values] as const);
  if (!lists.every(([, values]) => isList(values)))
    throw new UnreadableFileError(
      'the file is a table that polars serialised, without its values as JSON; write its rows by write_ndjson(path)',
    );
  return rowsOf(lists as (readonly [string, readonly Json[]])[]);
}

function byIndex(columns: readonly (readonly [string, JsonObject])[]): Table | null {
  const index = Object.keys(columns[0]![1]);
  const isWhole = columns.every(
    ([, cells]) => Object.keys(cells).length === index.length && index.every((key) => key in cells),
  );
  if (!isWhole || !index.every((key) => /^\d+$/.test(key))) return null;
  const lists = columns.map(([name, cells]) => [name, index.map((key) => cells[key] ?? null)] as const);
  return { rows: rowsOf(lists), container: 'a table of pandas in the orientation "columns"' };
}

/** Lists of one length are a table where one of them is called a text or holds prose: else they may be the tokens of one row. */
function byLists(value: JsonObject, columns: readonly (readonly [string, readonly Json[]])[]): Table | null {
  const [text, ...more] = textColumns(value);
  const length = columns[0]![1].length;
  const isTable =
    columns.every(([, cells]) => cells.length === length) &&
    (text !== undefined && more.length === 0 ? areTexts(value[text]!) : columns.some(([, cells]) => areProse(cells))) &&
    !columns.some(([, cells]) => cells.some((cell) => typeof cell === 'string' && looksLikeTag(cell)));
  return isTable ? { rows: rowsOf(columns), container: 'one JSON object with a list for each column' } : null;
}

const areTexts = (cells: Json): boolean => (cells as readonly Json[]).every((cell) => typeof cell === 'string');
/** Tokens have no blanks. */
const areProse = (cells: readonly Json[]): boolean =>
  areTexts(cells) && 2 * cells.filter((cell) => /\S\s+\S/.test(cell as string)).length > cells.length;

function* rowsOf(columns: readonly (readonly [string, readonly Json[]])[]): Generator<JsonObject> {
  const rows = Math.max(0, ...columns.map(([, cells]) => cells.length));
  for (let row = 0; row < rows; row += 1)
    yield Object.fromEntries(columns.map(([name, cells]) => [name, cells[row] ?? null]));
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

async function* linesOf(rows: Iterable<JsonObject>): AsyncGenerator<Buffer> {
  for (const row of rows) yield Buffer.from(`${JSON.stringify(row)}\n`);
}
