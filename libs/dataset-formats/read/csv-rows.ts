import { CsvError, parse } from 'csv-parse';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Json } from '#domain/json.js';
import { inBytes, UnreadableFileError } from '../limits.js';
import { isDeeperThan } from './json-rows.js';
import type { RowsOptions, SourceRow } from './rows.js';

const BATCH = 500;

/**
 * CSV with a header row (RFC 4180). An empty cell is a key that the row does not have. A cell that begins as a list, object
 * or string of JSON and is one, is that; all else is text.
 * @throws UnreadableFileError quotes that do not match, records beyond the limit, a header that names a column twice
 */
export async function* csvRows(
  text: AsyncIterable<Buffer>,
  options: Pick<RowsOptions, 'limits' | 'isText'>,
): AsyncGenerator<readonly SourceRow[]> {
  const parser = parse({
    relax_column_count: true,
    record_delimiter: ['\r\n', '\n'],
    skip_empty_lines: true,
    max_record_size: options.limits.rowBytes,
  });
  const feeding = pipeline(Readable.from(text, { objectMode: false }), parser).catch(() => undefined);
  let columns: readonly string[] | null = null;
  let batch: SourceRow[] = [];
  try {
    for await (const record of parser as AsyncIterable<readonly string[]>) {
      if (columns === null) {
        columns = header(record);
        continue;
      }
      batch.push(rowOf(columns, record, options));
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    throw asFileError(error, options.limits.rowBytes);
  } finally {
    parser.destroy();
    await feeding;
  }
  yield batch;
}

function header(record: readonly string[]): readonly string[] {
  const columns = record.map((column) => column.trim());
  const seen = new Set<string>();
  const twice = columns.find((column) => seen.size === seen.add(column).size);
  if (twice !== undefined)
    throw new UnreadableFileError(`the header row names the column ${JSON.stringify(twice.slice(0, 60))} twice`);
  return columns;
}

function rowOf(
  columns: readonly string[],
  record: readonly string[],
  { isText, limits }: Pick<RowsOptions, 'isText' | 'limits'>,
): SourceRow {
  if (record.length !== columns.length) {
    const reason = `has ${record.length} cells, the header row has ${columns.length}`;
    return { error: { field: '', reason } };
  }
  const entries: [string, Json][] = [];
  for (const [index, column] of columns.entries()) {
    const cell = record[index] ?? '';
    if (cell === '') continue;
    const isJson = !isText(column) && /^\s*[[{"]/.test(cell);
    if (isJson && isDeeperThan(Buffer.from(cell), limits.nesting))
      return { error: { field: column, reason: `nests deeper than ${limits.nesting} levels` } };
    entries.push([column, isJson ? parsedCell(cell) : cell]);
  }
  // fromEntries defines keys, `__proto__` too, where an assignment would not.
  return { value: Object.fromEntries(entries) };
}

function parsedCell(cell: string): Json {
  try {
    return JSON.parse(cell) as Json;
  } catch {
    return cell;
  }
}

function asFileError(error: unknown, rowBytes: number): unknown {
  if (!(error instanceof CsvError)) return error;
  // Records before this one, the header row among them; the parser runs ahead of whoever takes its records.
  const records = Number(error.records);
  const row = records === 0 ? 'the header row' : `row ${records}`;
  switch (error.code) {
    case 'CSV_MAX_RECORD_SIZE':
      return new UnreadableFileError(`${row} is longer than ${inBytes(rowBytes)}, the most that one row may be`);
    case 'CSV_QUOTE_NOT_CLOSED':
      return new UnreadableFileError(`the file ends inside a quoted cell that begins in ${row}`);
    default:
      return new UnreadableFileError(`${row}: ${error.message.slice(0, 200)}`);
  }
}
