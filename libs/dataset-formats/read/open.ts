import type { SourceFormat } from '#domain/dataset/index.js';
import { UnreadableFileError } from '../limits.js';
import { isTextColumn } from '../rows/columns.js';
import { arrayBlocks } from './array-blocks.js';
import { openCsv } from './csv.js';
import { lineBlocks } from './line-blocks.js';
import type { OpenedFile, OpenOptions } from './opened-file.js';
import { checkedText, peek, unpacked } from './unpack.js';

/**
 * Opens a JSON array, JSONL, CSV or Parquet file, plain or gzipped. All but Parquet are read with the memory of some rows.
 * @throws UnreadableFileError (while iterating, too) when the file as a whole cannot be read; the message is for the user
 */
export async function openFile(source: AsyncIterable<Uint8Array>, options: OpenOptions): Promise<OpenedFile> {
  const { format, fileName, limits, blockBytes } = options;
  const { head: magic, rest: bytes, isPacked } = await unpacked(source, limits);
  const told = format ?? formatOfName(fileName);
  if (PARQUET_MAGIC.includes(magic.toString('latin1'))) {
    // Imported lazily: it loads the native library.
    const { openParquet } = await import('./parquet.js');
    return openParquet(bytes, options);
  }
  const { head, rest } = await peek(skipBlank(checkedText(bytes, isPacked)), 1);
  if (head.length === 0) throw new UnreadableFileError('the file is empty');
  if (told === 'parquet')
    throw new UnreadableFileError('the file is said to be Parquet, but does not begin as Parquet does (PAR1)');
  const first = String.fromCharCode(head[0] ?? 0);
  if (told === 'csv' || (told === null && first !== '[' && first !== '{')) return csv(rest, options);
  return first === '['
    ? {
        format: 'json',
        form: { kind: 'lines', unit: 'row', isKept: false },
        blocks: arrayBlocks(rest, limits, blockBytes),
      }
    : {
        format: 'jsonl',
        form: { kind: 'lines', unit: 'line', isKept: true },
        blocks: lineBlocks(rest, limits, blockBytes),
      };
}

/** The format by the file's extension, with or without `.gz`. */
export function formatOfName(fileName: string | null): SourceFormat | null {
  const ending = /\.(jsonl|ndjson|json|csv|parquet)(\.gz|\.gzip)?$/i.exec(fileName ?? '')?.[1]?.toLowerCase();
  return ending === 'ndjson' ? 'jsonl' : ((ending as SourceFormat | undefined) ?? null);
}

/** The second is of one whose footer is encrypted. */
const PARQUET_MAGIC = ['PAR1', 'PARE'];

async function csv(text: AsyncIterable<Buffer>, options: OpenOptions): Promise<OpenedFile> {
  const { datasetType, columnMapping, limits, blockBytes } = options;
  const { header, blocks } = await openCsv(text, limits, blockBytes);
  const ours = new Map(Object.entries(columnMapping).map(([our, column]) => [column, our]));
  const columns = header.map((name) => ({ name, isText: isTextColumn(datasetType, ours.get(name) ?? name) }));
  return { format: 'csv', form: { kind: 'csv', columns }, blocks };
}

/** Skips leading white space. */
async function* skipBlank(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun = false;
  for await (const chunk of text) {
    const start = begun ? 0 : chunk.findIndex((byte) => ![0x20, 0x09, 0x0a, 0x0d].includes(byte));
    if (start < 0) continue;
    begun = true;
    yield start === 0 ? chunk : chunk.subarray(start);
  }
}
