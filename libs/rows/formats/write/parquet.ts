import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { JsonObject } from '#domain/json.js';
import { identifier, openDuckDb, text } from '../duckdb/confined.js';
import { LineSplitter } from '../read/line-splitter.js';
import { featureOf, sqlType, widened, type ColumnType } from './column-type.js';

/** The columns as the `datasets` library describes them in a table's metadata. Columns of JSON are texts to its older versions. */
const features = (columns: readonly string[], types: readonly ColumnType[]): string =>
  JSON.stringify({
    info: { features: Object.fromEntries(columns.map((column, index) => [column, featureOf(types[index] ?? 'none')])) },
  });

interface WrittenTable {
  readonly path: string;
  readonly size: number;
}

const MEMORY_MIB = 1024;
const THREADS = 2;
/** DuckDB's own; each has all its rows in memory, so large rows make smaller ones. */
const MAX_GROUP_ROWS = 122_880;
const MIN_GROUP_ROWS = 2048;
const GROUP_BYTES = 64 * 1024 * 1024;
const OBJECT_BYTES = 16 * 1024 * 1024;

/**
 * Writes canonical rows as a Parquet file. A column has its own type if all its values share it, else it holds JSON
 * (Parquet's logical type). Null stands for a missing key. `openParquet` returns the same rows.
 * @param folder for the file and temporary files
 * @param columns in their order; valid names for a table, see `areNames`
 */
export async function writeParquet(
  canonical: AsyncIterable<Uint8Array>,
  columns: readonly string[],
  folder: string,
): Promise<WrittenTable> {
  const rowsPath = join(folder, 'rows.jsonl');
  const path = join(folder, 'rows.parquet');
  const types = columns.map((): ColumnType => 'none');
  const seen = { rows: 0, bytes: 0, longest: 0 };
  await pipeline(
    Readable.from(plainRows(canonical, columns, types, seen)),
    createWriteStream(rowsPath, { mode: 0o600 }),
  );
  const own = columns.map((_, index) => `${text(`c${index}`)}: ${text(sqlType(types[index] ?? 'none'))}`);
  const named = columns.map((column, index) => `c${index} AS ${identifier(column)}`);
  const longest = Math.max(OBJECT_BYTES, seen.longest + 1024);
  const group = Math.round(GROUP_BYTES / (seen.bytes / Math.max(1, seen.rows) + 1));
  const groupRows = Math.min(MAX_GROUP_ROWS, Math.max(MIN_GROUP_ROWS, group));
  const threads = groupRows < MAX_GROUP_ROWS / 8 ? 1 : THREADS;
  const { connection, close } = await openDuckDb({ folder, memoryMiB: MEMORY_MIB, threads });
  try {
    await connection.run(
      `COPY (SELECT ${named.join(', ')} FROM read_json(${text(rowsPath)}, format = 'newline_delimited',
        columns = {${own.join(', ')}}, maximum_object_size = ${longest}))
      TO ${text(path)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${groupRows},
        KV_METADATA {huggingface: ${text(features(columns, types))}})`,
    );
  } finally {
    close();
  }
  await rm(rowsPath);
  return { path, size: (await stat(path)).size };
}

/** Rows as JSON that every reader takes for the same: keys c0, c1, ... once each, no half characters, no nulls. */
async function* plainRows(
  canonical: AsyncIterable<Uint8Array>,
  columns: readonly string[],
  types: ColumnType[],
  seen: { rows: number; bytes: number; longest: number },
): AsyncGenerator<Buffer> {
  const places = new Map(columns.map((column, index) => [column, index]));
  const plain = (line: Buffer): string => {
    const row = JSON.parse(line.toString()) as JsonObject;
    const entries = Object.entries(row).flatMap(([column, value]) => {
      const place = places.get(column);
      if (place === undefined || value === null || value === undefined) return [];
      types[place] = widened(types[place] ?? 'none', value);
      return [[`c${place}`, value]];
    });
    const json = JSON.stringify(Object.fromEntries(entries));
    // JSON.stringify writes lone surrogates, and nothing else, as \ud800 to \udfff.
    const whole = json.includes('\\ud') ? json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\ufffd') : json;
    seen.rows += 1;
    seen.bytes += whole.length;
    seen.longest = Math.max(seen.longest, whole.length * 3);
    return `${whole}\n`;
  };
  const splitter = new LineSplitter();
  for await (const chunk of canonical) {
    const lines = splitter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)).map(plain);
    if (lines.length > 0) yield Buffer.from(lines.join(''));
  }
  const last = splitter.end().map(plain);
  if (last.length > 0) yield Buffer.from(last.join(''));
}
