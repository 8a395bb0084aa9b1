import type { SourceFormat } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import { UnreadableFileError, type FileLimits } from '../limits.js';
import { csvRows } from './csv-rows.js';
import { ArraySplitter, LineSplitter, parseRow, type Splitter } from './json-rows.js';
import { peek, unpackedText } from './unpack.js';

/** A row as the file has it, or why that row cannot be read. */
export type SourceRow =
  | { readonly value: JsonObject; readonly error?: never }
  | { readonly value?: never; readonly error: { readonly field: string; readonly reason: string } };

export interface OpenedRows {
  readonly format: SourceFormat;
  /** Rows in order, as many at a time as a chunk of the file held. */
  readonly batches: AsyncIterable<readonly SourceRow[]>;
}

export interface RowsOptions {
  /** What the file is said to be; its content decides between JSON and JSONL. Null: its name, then its content decide. */
  readonly format: SourceFormat | null;
  readonly fileName: string | null;
  readonly limits: FileLimits;
  /** CSV cells of these columns are text as they are; the others may hold JSON. */
  readonly isText: (column: string) => boolean;
}

/**
 * Reads a JSON array, JSONL or CSV file, plain or gzipped, with the memory of its largest row.
 * @throws UnreadableFileError (while iterating, too) when the file as a whole cannot be read; the message is for the user
 */
export async function openRows(source: AsyncIterable<Uint8Array>, options: RowsOptions): Promise<OpenedRows> {
  const { head, rest } = await peek(skipBlank(unpackedText(source, options.limits)), 1);
  if (head.length === 0) throw new UnreadableFileError('the file is empty');
  const format = formatOf(head, options);
  if (format === 'csv') return { format, batches: csvRows(rest, options) };
  const splitter = format === 'json' ? new ArraySplitter(options.limits) : new LineSplitter(options.limits);
  return { format, batches: jsonRows(rest, splitter, options.limits) };
}

async function* jsonRows(
  text: AsyncIterable<Buffer>,
  splitter: Splitter,
  limits: FileLimits,
): AsyncGenerator<readonly SourceRow[]> {
  let rows = 0;
  try {
    for await (const chunk of text) {
      const batch = splitter.push(chunk).map((row) => parseRow(row, limits));
      rows += batch.length;
      if (batch.length > 0) yield batch;
    }
  } catch (error) {
    // A place in the text is easier to find with the row beside it.
    const inText = error instanceof UnreadableFileError && error.message.startsWith('byte ');
    throw inText ? new UnreadableFileError(`row ${rows + 1}: ${error.message}`) : error;
  }
  yield splitter.end().map((row) => parseRow(row, limits));
}

function formatOf(head: Buffer, { format, fileName }: RowsOptions): SourceFormat {
  const first = String.fromCharCode(head[0] ?? 0);
  const told = format ?? formatOfName(fileName) ?? (first === '[' || first === '{' ? 'json' : 'csv');
  if (told === 'csv') return 'csv';
  return first === '[' ? 'json' : 'jsonl';
}

/** By the ending, with or without `.gz`. */
export function formatOfName(fileName: string | null): SourceFormat | null {
  const ending = /\.(jsonl|ndjson|json|csv)(\.gz|\.gzip)?$/i.exec(fileName ?? '')?.[1]?.toLowerCase();
  return ending === 'ndjson' ? 'jsonl' : ((ending as SourceFormat | undefined) ?? null);
}

/** Without the white space before the first character. */
async function* skipBlank(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun = false;
  for await (const chunk of text) {
    const start = begun ? 0 : chunk.findIndex((byte) => ![0x20, 0x09, 0x0a, 0x0d].includes(byte));
    if (start < 0) continue;
    begun = true;
    yield start === 0 ? chunk : chunk.subarray(start);
  }
}
