import { isUtf8 } from 'node:buffer';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { inBytes, UnreadableFileError, type FileLimits } from '../limits.js';

const CHUNK = 256 * 1024;

/**
 * The file's bytes, unpacked when it is gzip (told by its first bytes).
 * @returns with the first four of them
 * @throws UnreadableFileError (while iterating) gzip that is damaged or grows beyond the limits
 */
export async function unpacked(source: AsyncIterable<Uint8Array>, limits: FileLimits) {
  const { head, rest } = await peek(source, 4);
  const isPacked = head[0] === 0x1f && head[1] === 0x8b;
  const bytes = await peek(isPacked ? gunzip(rest, limits) : limited(rest, limits), 4);
  return { head: bytes.head.subarray(0, 4), rest: bytes.rest, isPacked };
}

/** The first bytes (fewer when there are no more), and the whole again. */
export async function peek(source: AsyncIterable<Uint8Array>, count: number) {
  const iterator = source[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < count) {
    const next = await iterator.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  async function* rest(): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield asBuffer(next.value);
    } finally {
      await iterator.return?.();
    }
  }
  return { head, rest: rest() };
}

async function* limited(source: AsyncIterable<Buffer>, limits: FileLimits): AsyncGenerator<Buffer> {
  let total = 0;
  for await (const chunk of source) {
    total += chunk.length;
    if (total > limits.unpackedBytes) throw tooLong(limits);
    yield chunk;
  }
}

async function* gunzip(source: AsyncIterable<Buffer>, limits: FileLimits): AsyncGenerator<Buffer> {
  const unpacking = createGunzip({ chunkSize: CHUNK });
  // Its failure is reported by `unpacking` too.
  const feeding = pipeline(source, unpacking).catch(() => undefined);
  let total = 0;
  try {
    for await (const chunk of unpacking as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total > limits.ratioFromBytes && total > limits.ratio * unpacking.bytesWritten)
        throw new UnreadableFileError(
          `the gzip data unpacks to more than ${limits.ratio} times its size; that is taken for an attack`,
        );
      if (total > limits.unpackedBytes) throw tooLong(limits);
      yield chunk;
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'Z_BUF_ERROR') throw new UnreadableFileError('the gzip data ends too early; was the file cut off?');
    if (code.startsWith('Z_')) throw new UnreadableFileError(`the gzip data is damaged (${(error as Error).message})`);
    throw error;
  } finally {
    unpacking.destroy();
    await feeding;
  }
}

const tooLong = (limits: FileLimits) =>
  new UnreadableFileError(`the file is longer than ${inBytes(limits.unpackedBytes)} once unpacked`);

/**
 * Text as UTF-8, without a byte order mark. Chunks end at character boundaries.
 * Passes text on up to the first byte that is none, and only then throws: the reader knows which row it was in.
 * @throws InvalidTextError, UnreadableFileError for formats that are none of ours
 */
export async function* checkedText(source: AsyncIterable<Buffer>, packed: boolean): AsyncGenerator<Buffer> {
  let position = 0;
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    let text: Buffer = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    if (position === 0) {
      if (text.length < 4) {
        held = text;
        continue;
      }
      refuseOtherFormats(text, packed);
      if (hasMark(text)) {
        text = text.subarray(3);
        position = 3;
      }
    }
    const whole = text.length - unfinished(text);
    held = text.subarray(whole);
    const ready = text.subarray(0, whole);
    if (!isUtf8(ready)) {
      const valid = validLength(ready);
      yield ready.subarray(0, valid);
      throw notUtf8(position + valid, packed);
    }
    position += whole;
    if (whole > 0) yield ready;
  }
  if (held.length === 0) return;
  if (position === 0) {
    refuseOtherFormats(held, packed);
    if (hasMark(held)) held = held.subarray(3);
  }
  if (!isUtf8(held)) {
    const valid = validLength(held);
    yield held.subarray(0, valid);
    throw notUtf8(position + valid, packed);
  }
  yield held;
}

function refuseOtherFormats(head: Buffer, packed: boolean): void {
  const starts = (...bytes: number[]) => bytes.every((byte, index) => head[index] === byte);
  const refuse = (reason: string) => {
    throw new UnreadableFileError(reason);
  };
  if (packed && starts(0x1f, 0x8b)) refuse('the file is packed with gzip twice; pack it once');
  if (starts(0xff, 0xfe) || starts(0xfe, 0xff)) refuse('the file is UTF-16; save it as UTF-8');
  if (starts(0x50, 0x4b, 0x03, 0x04))
    refuse('the file is a zip archive; upload JSON, JSONL, CSV or Parquet, plain or gzipped');
}

const hasMark = (text: Buffer): boolean => text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf;

/** Names the byte; the reader of the rows can add the row. */
export class InvalidTextError extends UnreadableFileError {}

const notUtf8 = (position: number, packed: boolean) =>
  new InvalidTextError(`byte ${position + 1}${packed ? ' of the unpacked file' : ''} is not UTF-8; save it as UTF-8`);

/** Trailing bytes of a character that continues in the next chunk. */
function unfinished(text: Buffer): number {
  for (let back = 1; back <= Math.min(3, text.length); back += 1) {
    const byte = text[text.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
}

/** The length of the longest valid UTF-8 prefix, by bisection: O(n log n), at most once per file. */
function validLength(text: Buffer): number {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const part = text.subarray(0, middle);
    if (isUtf8(part.subarray(0, middle - unfinished(part)))) low = middle;
    else high = middle - 1;
  }
  return low - unfinished(text.subarray(0, low));
}

const asBuffer = (chunk: Uint8Array): Buffer =>
  Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
