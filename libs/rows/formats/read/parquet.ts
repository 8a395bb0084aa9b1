import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { types } from 'node:util';
import type { DuckDBBlobVector, DuckDBConnection } from '@duckdb/node-api';
import { withoutPaths } from '#primitives/text/without-paths.js';
import { identifier, openDuckDb, text } from '../duckdb/confined.js';
import { jsonExpression } from '../duckdb/json-expression.js';
import { UnreadableFileError, type FileLimits } from '../limits.js';
import { labelNamesOfSchema, type LabelNamesOfColumns } from './label-names.js';
import { spool } from './spool.js';
import { TableLines } from './table-lines.js';
import { listColumns, type OpenedFile, type OpenOptions } from './opened-file.js';

const MAX_COLUMNS = 10_000;
const THREADS = 2;
/** Average size of a row above which one thread fewer is used, since each holds thousands of rows in memory. */
const LARGE_ROW_BYTES = 16 * 1024;

/**
 * Opens a Parquet file: its bytes go to a file in the attempt's folder, which DuckDB reads and gives as JSON. For values
 * that JSON has no word for see `jsonExpression`.
 * @throws UnreadableFileError (while iterating, too)
 */
export async function openParquet(bytes: AsyncIterable<Buffer>, options: OpenOptions): Promise<OpenedFile> {
  const { folder, limits, datasetType, columnMapping } = options;
  const file = join(folder, 'source.parquet');
  await spool(bytes, file);
  const { row, names, jsonColumns, labelNames, threads } = await describe(file, folder, limits);
  return {
    format: 'parquet',
    labelNames,
    form: { kind: 'table', jsonColumns, listColumns: listColumns(datasetType, columnMapping, names) },
    blocks: tableBlocks(file, row, threads, options),
  };
}

/** @returns `row`, the SQL that converts a row to JSON; the maximum number of threads */
async function describe(file: string, folder: string, limits: FileLimits) {
  const { connection, close } = await openDuckDb({ folder, memoryMiB: limits.tableMiB, threads: 1 });
  try {
    const nothing = await connection
      .run(`SELECT * FROM ${scan(file)} LIMIT 0`)
      .catch((error: unknown) => refuse(error, folder, limits));
    const names = nothing.columnNames();
    if (names.length > MAX_COLUMNS) throw new UnreadableFileError(`the table has more than ${MAX_COLUMNS} columns`);
    const kinds = nothing.columnTypes();
    const pairs = names.map((name, index) => {
      const type = kinds[index];
      const column = identifier(name);
      return `${text(name)}, ${(type && jsonExpression(type, column, name)) ?? column}`;
    });
    const large = `SELECT sum(total_uncompressed_size) > ${LARGE_ROW_BYTES} * max(row_group_num_rows) * count(DISTINCT row_group_id)
      FROM parquet_metadata(${text(file)})`;
    const [[isLarge] = []] = await (await connection.run(large)).getRowsJS();
    return {
      threads: isLarge === true ? 1 : THREADS,
      names,
      row: `json_object(${pairs.join(', ')})`,
      jsonColumns: names.filter((_, index) => kinds[index]?.alias === 'JSON'),
      labelNames: await labelNamesIn(connection, file),
    };
  } finally {
    close();
  }
}

/** The names of the `datasets` library's ClassLabels, from its metadata in the file. */
async function labelNamesIn(connection: DuckDBConnection, file: string): Promise<LabelNamesOfColumns> {
  const metadata = `SELECT decode(value) FROM parquet_kv_metadata(${text(file)}) WHERE key = 'huggingface'::BLOB`;
  const [[json] = []] = await (await connection.run(metadata)).getRowsJS();
  return typeof json === 'string' ? labelNamesOfSchema(json) : {};
}

async function* tableBlocks(
  file: string,
  row: string,
  threads: number,
  { folder, limits, blockBytes }: OpenOptions,
): AsyncGenerator<Buffer> {
  const { size } = await stat(file);
  const { connection, close } = await openDuckDb({ folder, memoryMiB: limits.tableMiB, threads });
  const lines = new TableLines(blockBytes, limits);
  try {
    const result = await connection.stream(`SELECT encode(${row}::VARCHAR) FROM ${scan(file)}`);
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    ) {
      const column = chunk.getColumnVector(0) as DuckDBBlobVector;
      for (let index = 0; index < chunk.rowCount; index += 1) {
        const line = column.getItemBytes(index);
        if (line !== null) lines.add(line);
      }
      lines.check(size);
      if (lines.isFull) yield lines.take();
    }
  } catch (error) {
    if (!lines.isEmpty) yield lines.take();
    refuse(error, folder, limits);
  } finally {
    close();
    await rm(file, { force: true });
  }
  if (!lines.isEmpty) yield lines.take();
}

/** Old writers do not mark text columns: bytes are read as text, and must be valid. */
const scan = (file: string): string => `read_parquet(${text(file)}, binary_as_string = true)`;

/** Refuses a file with DuckDB's reason, in one line. @throws errors that are not the file's fault unchanged */
function refuse(error: unknown, folder: string, limits: FileLimits): never {
  if (error instanceof UnreadableFileError || !types.isNativeError(error)) throw error;
  const { message } = error;
  if (/^IO Error.*(space|write)/i.test(message)) throw error;
  if (/^Out of Memory|bad_alloc|could not allocate/i.test(message))
    throw new UnreadableFileError(
      `the Parquet file needs more than ${limits.tableMiB} MiB of memory to read; write it with smaller row groups`,
    );
  if (/not valid UTF8|Invalid string encoding|Invalid unicode/i.test(message))
    throw new UnreadableFileError(
      'a column of the Parquet file holds bytes that are no UTF-8 text; leave binary columns out',
    );
  const what = withoutPaths(message.replaceAll(`${folder}/`, '').split('\n')[0] ?? '');
  throw new UnreadableFileError(`the Parquet file cannot be read: ${what.slice(0, 200)}`);
}
