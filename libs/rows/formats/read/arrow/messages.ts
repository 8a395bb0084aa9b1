import { DataType, Message, type Field, type Schema } from 'apache-arrow';
import { inBytes, UnreadableFileError } from '../../limits.js';
import { requireSound } from './metadata.js';

const CONTINUATION = -1;
const MAX_BATCH_ROWS = 16_000_000;
const MAX_METADATA_BYTES = 16 * 1024 * 1024;
/** A batch is in memory as a whole. */
export const MAX_RECORD_BATCH_BYTES = 256 * 1024 * 1024;

/** Bytes that come in chunks, read in pieces of any length. */
export class ByteQueue {
  /** Bytes taken from the source. */
  taken = 0;
  private held: Buffer = Buffer.alloc(0);
  private readonly chunks: AsyncIterator<Buffer>;

  constructor(source: AsyncIterable<Buffer>) {
    this.chunks = source[Symbol.asyncIterator]();
  }

  /** The next bytes; fewer at the end. */
  async read(length: number): Promise<Buffer> {
    const bytes = await this.peek(length);
    this.held = this.held.subarray(bytes.length);
    return bytes;
  }

  /** The next bytes, which stay; fewer at the end. */
  async peek(length: number): Promise<Buffer> {
    const parts = [this.held];
    let size = this.held.length;
    while (size < length) {
      const next = await this.chunks.next();
      if (next.done === true) break;
      this.taken += next.value.length;
      size += next.value.length;
      parts.push(next.value);
    }
    if (parts.length > 1) this.held = Buffer.concat(parts);
    return this.held.subarray(0, length);
  }

  /** Reads the rest, and discards it. */
  async drain(): Promise<void> {
    while (!(await this.chunks.next()).done);
  }

  async close(): Promise<void> {
    await this.chunks.return?.();
  }
}

/**
 * The messages of one stream of Arrow, up to the mark of its end, or to the end of the bytes.
 * @throws UnreadableFileError (while iterating) when a message is truncated, exceeds the limit, or declares more rows
 * than its columns have: the library would allocate memory for them
 * @see https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format
 */
export async function* streamMessages(queue: ByteQueue): AsyncGenerator<Uint8Array> {
  let schema: Schema | null = null;
  for (;;) {
    const head = await queue.read(4);
    if (head.length === 0) return;
    const first = whole(head, 4).readInt32LE();
    // Streams of releases before 0.15 have no mark before the length.
    const marked = first === CONTINUATION ? whole(await queue.read(4), 4) : null;
    const length = marked?.readInt32LE() ?? first;
    if (length === 0) return;
    if (length < 0 || length > MAX_METADATA_BYTES) throw damaged('a message has no length');
    const metadata = whole(await queue.read(length), length);
    requireSound(metadata);
    const message = Message.decode(metadata);
    const { bodyLength } = message;
    if (message.isSchema()) schema = message.header();
    else if (schema === null) throw new UnreadableFileError(NO_SCHEMA);
    else requireRows(message, schema);
    if (!(bodyLength >= 0)) throw damaged('a batch has no length');
    if (bodyLength > MAX_RECORD_BATCH_BYTES)
      throw new UnreadableFileError(
        `the Arrow file has a record batch of ${inBytes(bodyLength)}, more than ${inBytes(MAX_RECORD_BATCH_BYTES)}; write it with fewer rows in each batch`,
      );
    yield marked ? Buffer.concat([head, marked, metadata]) : Buffer.concat([head, metadata]);
    if (bodyLength > 0) yield whole(await queue.read(bodyLength), bodyLength);
  }
}

const NO_SCHEMA =
  'the Arrow file does not begin with its schema; write it as a stream, or as Parquet (the library for JavaScript writes such files)';

function requireRows(message: Message, schema: Schema): void {
  if (!message.isRecordBatch() && !message.isDictionaryBatch()) return;
  const { length, nodes } = message.header();
  let first = 0;
  const columns = message.isRecordBatch()
    ? schema.fields.map(({ type }: { readonly type: DataType }) => {
        first += countNodes(type);
        return first - countNodes(type);
      })
    : [0];
  if (length > MAX_BATCH_ROWS || nodes.some((node) => node.length > MAX_BATCH_ROWS))
    throw new UnreadableFileError(
      `the Arrow file has a record batch of more than ${MAX_BATCH_ROWS} rows; write it with fewer rows in each batch`,
    );
  if (columns.some((node) => nodes[node]?.length !== length))
    throw damaged('a record batch says that it has other rows than its columns');
}

/** Columns of a type: its own, and those inside it, in the order of a batch. */
const countNodes = (type: DataType): number =>
  DataType.isDictionary(type)
    ? 1
    : ((type.children ?? []) as readonly Field[]).reduce((sum, child) => sum + countNodes(child.type as DataType), 1);

const damaged = (why: string) => new UnreadableFileError(`the Arrow file is damaged: ${why}`);

function whole(bytes: Buffer, length: number): Buffer {
  if (bytes.length < length) throw damaged('it ends too early; was the file cut off?');
  return bytes;
}
