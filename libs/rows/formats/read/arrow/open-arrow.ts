import { zstdDecompressSync } from 'node:zlib';
import { CompressionType, compressionRegistry, RecordBatchReader, type RecordBatch, type Schema } from 'apache-arrow';
import { UnreadableFileError } from '../../limits.js';
import { labelNamesOfSchema } from '../label-names.js';
import { listColumns, type OpenedFile, type OpenOptions } from '../opened-file.js';
import { TableLines } from '../table-lines.js';
import { unpackedLz4 } from './lz4.js';
import { ByteQueue, MAX_RECORD_BATCH_BYTES, streamMessages } from './messages.js';
import { columnReader, RowBudget } from './values.js';

const MAX_COLUMNS = 10_000;
const FILE_MAGIC = 'ARROW1\0\0';
/** The bytes of a batch once its buffers are unpacked. */
const MAX_UNPACKED_BYTES = 2 * MAX_RECORD_BATCH_BYTES;

/**
 * Opens an Arrow table, batch by batch: a stream, several consecutive ones, or a file (Feather, version 2), whose
 * directory is not needed. `datasets` writes its shards as streams, with the names of its ClassLabels in the metadata
 * of the schema.
 * @throws UnreadableFileError (while iterating, too)
 */
export async function openArrow(bytes: AsyncIterable<Buffer>, options: OpenOptions): Promise<OpenedFile> {
  const { datasetType, columnMapping } = options;
  const queue = new ByteQueue(bytes);
  const unpacking = unpackBuffers();
  const isFile = (await queue.peek(FILE_MAGIC.length)).toString('latin1') === FILE_MAGIC;
  if (isFile) await queue.read(FILE_MAGIC.length);
  const { schema, batches } = await stream(queue);
  const names = schema.fields.map(({ name }) => name);
  // The library gives null for a name that is not there.
  if (names.some((name) => typeof name !== 'string'))
    throw new UnreadableFileError('a column of the table has no name');
  if (names.length > MAX_COLUMNS) throw new UnreadableFileError(`the table has more than ${MAX_COLUMNS} columns`);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw new UnreadableFileError(`the table has two columns ${JSON.stringify(twice.slice(0, 80))}; rename one`);
  const isJson = ({ metadata }: Schema['fields'][number]) => metadata.get('ARROW:extension:name') === 'arrow.json';
  return {
    format: 'arrow',
    labelNames: labelNamesOfSchema(schema.metadata.get('huggingface') ?? ''),
    form: {
      kind: 'table',
      jsonColumns: schema.fields.filter(isJson).map(({ name }) => name),
      listColumns: listColumns(datasetType, columnMapping, names),
    },
    blocks: tableBlocks(queue, allBatches(queue, schema, batches, isFile), unpacking, options),
  };
}

/** A stream of the queue, whose schema has been read. */
async function stream(queue: ByteQueue): Promise<{ schema: Schema; batches: AsyncIterator<RecordBatch> }> {
  try {
    const reader = await RecordBatchReader.from(streamMessages(queue));
    await reader.open();
    if (!reader.schema) throw new UnreadableFileError('the Arrow file has no schema');
    return { schema: reader.schema, batches: reader[Symbol.asyncIterator]() as AsyncIterator<RecordBatch> };
  } catch (error) {
    return refuse(error);
  }
}

/** Batches of one stream after another. The directory of a file remains after the first. */
async function* allBatches(
  queue: ByteQueue,
  schema: Schema,
  first: AsyncIterator<RecordBatch>,
  isFile: boolean,
): AsyncGenerator<RecordBatch> {
  for (let batches = first; ;) {
    for (let next = await batches.next(); !next.done; next = await batches.next()) yield next.value;
    if (isFile) return queue.drain();
    if ((await queue.peek(1)).length === 0) return;
    const more = await stream(queue);
    if (String(more.schema) !== String(schema))
      throw new UnreadableFileError(
        `the tables have different columns: ${String(schema)}, then ${String(more.schema)}`,
      );
    batches = more.batches;
  }
}

async function* tableBlocks(
  queue: ByteQueue,
  batches: AsyncGenerator<RecordBatch>,
  unpacking: { left: number },
  { limits, blockBytes }: OpenOptions,
): AsyncGenerator<Buffer> {
  const lines = new TableLines(blockBytes, limits);
  const budget = new RowBudget(limits);
  try {
    for (;;) {
      unpacking.left = MAX_UNPACKED_BYTES;
      const next = await batches.next();
      if (next.done) break;
      const { schema, data, numRows } = next.value;
      // A batch without rows may lack the columns, too.
      if (numRows === 0) continue;
      const columns = schema.fields.map(({ name }, index) => ({
        name,
        read: columnReader(data.children[index]!, name, budget),
      }));
      for (let row = 0; row < numRows; row += 1) {
        budget.begin();
        const values = Object.fromEntries(columns.map(({ name, read }) => [name, read(row)]));
        lines.add(Buffer.from(JSON.stringify(values)));
        lines.check(queue.taken);
        if (lines.isFull) yield lines.take();
      }
    }
  } catch (error) {
    if (!lines.isEmpty) yield lines.take();
    refuse(error);
  } finally {
    await queue.close();
  }
  if (!lines.isEmpty) yield lines.take();
}

/**
 * Decompresses the buffers of batches from now on; `left` is the number of bytes that a batch's buffers may still
 * produce.
 */
function unpackBuffers(): { left: number } {
  const bounded = { left: MAX_UNPACKED_BYTES };
  const counted = (unpack: (bytes: Uint8Array) => Uint8Array) => ({
    decode(bytes: Uint8Array) {
      const unpacked = unpack(bytes);
      bounded.left -= unpacked.length;
      return unpacked;
    },
  });
  compressionRegistry.set(
    CompressionType.LZ4_FRAME,
    counted((bytes) => unpackedLz4(bytes, bounded.left)),
  );
  compressionRegistry.set(
    CompressionType.ZSTD,
    counted((bytes) => zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, bounded.left) })),
  );
  return bounded;
}

/** Refuses a file with the library's reason. @throws errors of the system unchanged */
function refuse(error: unknown): never {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const isOfData = code === '' || /^(?:ERR_OUT_OF_RANGE|ERR_BUFFER|ERR_INVALID|ZSTD_|Z_)/.test(code);
  if (error instanceof UnreadableFileError || !isOfData) throw error;
  throw new UnreadableFileError(
    `the Arrow file is damaged, or of a kind that is not read (${message.slice(0, 120)}); save it as Parquet, in Python with to_parquet`,
  );
}
