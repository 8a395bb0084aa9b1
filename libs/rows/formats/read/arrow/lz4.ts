const MAGIC = 0x184d2204;
const VERSION = 1;
const HAS_BLOCK_CHECKSUMS = 0x10;
const HAS_CONTENT_SIZE = 0x08;
const HAS_DICTIONARY = 0x01;
const IS_STORED = 0x8000_0000;
const MIN_MATCH = 4;

/**
 * Decompresses an LZ4 frame, the compression of buffers in Arrow files. Node has no LZ4. Checksums are not verified.
 * @param most size limit of the result, in bytes
 * @throws RangeError when the frame is damaged or holds more @see
 * https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
 */
export function unpackedLz4(frame: Uint8Array, most: number): Uint8Array {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  if (bytes.readUInt32LE(0) !== MAGIC) throw new RangeError('LZ4 data begin otherwise');
  const flags = bytes.readUInt8(4);
  if (flags >> 6 !== VERSION || flags & HAS_DICTIONARY) throw new RangeError('LZ4 data are of another kind');
  let at = 7 + (flags & HAS_CONTENT_SIZE ? 8 : 0);
  const out = new Output(most, Math.min(most, 4 * bytes.length));
  for (;;) {
    const head = bytes.readUInt32LE(at);
    at += 4;
    if (head === 0) return out.bytes();
    const size = head & ~IS_STORED;
    if (at + size > bytes.length) throw new RangeError('LZ4 data end too early');
    const block = bytes.subarray(at, at + size);
    if (head & IS_STORED) out.append(block, 0, size);
    else unpackBlock(block, out);
    at += size + (flags & HAS_BLOCK_CHECKSUMS ? 4 : 0);
  }
}

/** Sequences of literals and of matches with what came before, in other blocks too. */
function unpackBlock(block: Buffer, out: Output): void {
  for (let at = 0; at < block.length;) {
    const token = block[at++]!;
    const length = (nibble: number): number => {
      let sum = nibble;
      if (nibble === 15)
        for (let more = 255; more === 255; sum += more) {
          more = block.readUInt8(at);
          at += 1;
        }
      return sum;
    };
    const literals = length(token >> 4);
    if (at + literals > block.length) throw new RangeError('LZ4 literals reach beyond their block');
    out.append(block, at, at + literals);
    at += literals;
    // The last sequence has no match.
    if (at === block.length) return;
    const distance = block.readUInt16LE(at);
    at += 2;
    out.repeat(distance, length(token & 15) + MIN_MATCH);
  }
}

/** Bytes that grow up to a limit. */
class Output {
  private buffer: Uint8Array;
  private length = 0;

  constructor(
    private readonly most: number,
    capacity: number,
  ) {
    this.buffer = new Uint8Array(capacity);
  }

  append(from: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    this.buffer.set(from.subarray(start, end), this.length);
    this.length += end - start;
  }

  /** Copies from `distance` bytes before; a match longer than that repeats itself. */
  repeat(distance: number, count: number): void {
    if (distance === 0 || distance > this.length) throw new RangeError('an LZ4 match begins before its data');
    this.reserve(count);
    const start = this.length - distance;
    for (let done = 0; done < count;) {
      const part = Math.min(count - done, distance + done);
      this.buffer.copyWithin(this.length + done, start, start + part);
      done += part;
    }
    this.length += count;
  }

  bytes(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  private reserve(count: number): void {
    const needed = this.length + count;
    if (needed > this.most) throw new RangeError(`LZ4 data unpack to more than ${this.most} bytes`);
    if (needed <= this.buffer.length) return;
    const larger = new Uint8Array(Math.min(this.most, Math.max(needed, 2 * this.buffer.length)));
    larger.set(this.bytes());
    this.buffer = larger;
  }
}
