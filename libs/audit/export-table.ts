import { dirname } from 'node:path';
import { openDuckDb, text } from '#rows/formats/duckdb/confined.js';
import type { JsonObject } from '#domain/json.js';

/** The columns of an export as a table: those of its lines, and `head` and `end`, which the first and the last row have as JSON. */
export const EXPORT_COLUMNS = [
  ...[
    'head',
    'position',
    'stream',
    'revision',
    'type',
    'id',
    'data',
    'metadata',
    'salt',
    'content',
    'content_key',
    'digest',
  ],
  ...['leaf_index', 'inclusion_proof', 'withheld', 'unproven', 'first_revision', 'last_revision', 'end'],
];

const MEMORY_MIB = 512;
const MAGIC = 'PAR1';

/** The lines of an export as rows of a table, in JSON lines again. */
export async function* tableRows(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const line of lines) {
    const value = JSON.parse(line) as JsonObject;
    const row = isFirst ? { head: line.trimEnd() } : value['end'] ? { end: JSON.stringify(value['end']) } : value;
    isFirst = false;
    yield Buffer.from(`${JSON.stringify(row)}\n`);
  }
}

/** Whether the first bytes of a file are those of a Parquet file. */
export const isTable = (start: Uint8Array): boolean => Buffer.from(start.subarray(0, 4)).toString('latin1') === MAGIC;

/** The lines of an export that was written as a Parquet file. @throws what DuckDB throws for another file */
export async function* linesOfTable(file: string): AsyncGenerator<string> {
  const { connection, close } = await openDuckDb({ folder: dirname(file), memoryMiB: MEMORY_MIB, threads: 1 });
  try {
    const result = await connection.stream(`SELECT to_json(row)::VARCHAR FROM read_parquet(${text(file)}) AS row`);
    for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk())
      for (const [row] of chunk.getRows()) yield lineOf(JSON.parse(row as string) as JsonObject);
  } finally {
    close();
  }
}

function lineOf(row: JsonObject): string {
  if (typeof row['head'] === 'string') return row['head'];
  if (typeof row['end'] === 'string') return JSON.stringify({ end: JSON.parse(row['end']) as JsonObject });
  return JSON.stringify(Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)));
}
