import { inBytes, UnreadableFileError, type FileLimits } from '../limits.js';

/** A table of few different values packs hundreds of times; a bomb a million times. */
const BOMB_FROM_BYTES = 256 * 1024 * 1024;
const BOMB_RATIO = 5000;
const NEWLINE = 0x0a;

/** Rows of a table as lines of JSON, gathered in one buffer. */
export class TableLines {
  private buffer: Buffer;
  private length = 0;
  private total = 0;

  /** @param size of a block */
  constructor(
    private readonly size: number,
    private readonly limits: FileLimits,
  ) {
    this.buffer = Buffer.from(new ArrayBuffer(size * 2));
  }

  get isEmpty(): boolean {
    return this.length === 0;
  }

  get isFull(): boolean {
    return this.length >= this.size;
  }

  add(line: Uint8Array): void {
    const needed = this.length + line.length + 1;
    if (needed > this.buffer.length) {
      const larger = Buffer.from(new ArrayBuffer(Math.max(this.buffer.length * 2, needed)));
      this.buffer.copy(larger, 0, 0, this.length);
      this.buffer = larger;
    }
    this.buffer.set(line, this.length);
    this.length += line.length;
    this.total += line.length;
    this.buffer[this.length++] = NEWLINE;
  }

  take(): Buffer {
    const taken = this.buffer.subarray(0, this.length);
    this.buffer = Buffer.from(new ArrayBuffer(this.size * 2));
    this.length = 0;
    return taken;
  }

  /** @param read bytes of the file so far @throws UnreadableFileError when the lines are too long for them */
  check(read: number): void {
    if (this.total > this.limits.unpackedBytes)
      throw new UnreadableFileError(`the table is longer than ${inBytes(this.limits.unpackedBytes)} as JSON`);
    if (this.total > BOMB_FROM_BYTES && this.total > BOMB_RATIO * read)
      throw new UnreadableFileError(
        `the table unpacks to more than ${BOMB_RATIO} times the size of the file, which is taken for an attack`,
      );
  }
}
