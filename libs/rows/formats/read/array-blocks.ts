import { inBytes, UnreadableFileError, type FileLimits } from '../limits.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const isSpace = (byte: number) => byte === 0x20 || byte === NEWLINE || byte === RETURN || byte === 0x09;

/**
 * Cuts the text of a JSON array into blocks of its elements, a line each; `JSON.parse` reads each. So a file of any
 * size is read with the memory of some rows, and an invalid row is reported by its number.
 * @param tellBehind called with the keys after the list in the enclosing object; absent if there is no such object
 * @param depth the objects around the list, if there are any
 * @throws UnreadableFileError when it is not a list, or an element is too long or nests too deep
 */
export async function* arrayBlocks(
  text: AsyncIterable<Buffer>,
  limits: FileLimits,
  blockBytes: number,
  tellBehind?: (keys: readonly string[]) => void,
  depth = 1,
): AsyncGenerator<Buffer> {
  const splitter = new ArraySplitter(limits, tellBehind === undefined ? 0 : depth);
  try {
    for await (const chunk of text) {
      splitter.push(chunk);
      if (splitter.bytes >= blockBytes) yield splitter.take();
    }
    const behind = splitter.end();
    tellBehind?.(behind);
  } catch (error) {
    if (splitter.bytes > 0) yield splitter.take();
    throw error;
  }
  if (splitter.bytes > 0) yield splitter.take();
}

class ArraySplitter {
  private stage: 'before' | 'first' | 'element' | 'after-element' | 'next' | 'after' = 'before';
  private depth = 0;
  private inString = false;
  private escaped = false;
  /** Finished elements, each followed by a line break. */
  private lines: Buffer[] = [];
  private held = 0;
  /** Pieces of the current element. */
  private pieces: Buffer[] = [];
  private length = 0;
  private rows = 0;

  /** The bytes after the list. */
  private tail: Buffer = Buffer.alloc(0);

  constructor(
    private readonly limits: FileLimits,
    private readonly around: number,
  ) {}

  /** Bytes of the elements that `take` returns. */
  get bytes(): number {
    return this.held;
  }

  take(): Buffer {
    const lines = Buffer.concat(this.lines, this.held);
    this.lines = [];
    this.held = 0;
    return lines;
  }

  push(chunk: Buffer): void {
    let index = 0;
    while (index < chunk.length) {
      if (this.stage === 'after' && this.around > 0) {
        this.tail = Buffer.concat([this.tail, chunk.subarray(index)]);
        if (this.tail.length > this.limits.rowBytes) throw notItsObject();
        return;
      }
      if (this.stage !== 'element') {
        index = this.between(chunk, index);
        continue;
      }
      const { end, isWhole } = this.inside(chunk, index);
      this.add(chunk.subarray(index, end));
      if (isWhole) this.finish();
      index = end;
    }
  }

  /** @returns the keys after the list in its object */
  end(): readonly string[] {
    if (this.stage === 'after' && this.around > 0) return keysBehind(this.tail, this.around);
    if (this.stage === 'before' || this.stage === 'after') return [];
    if (this.stage === 'element') throw new UnreadableFileError(`the file ends inside row ${this.rows + 1}`);
    throw new UnreadableFileError('the file ends before the list of rows is closed by ]');
  }

  /** @returns the end of the element, or of the chunk */
  private inside(chunk: Buffer, from: number): { readonly end: number; readonly isWhole: boolean } {
    let depth = this.depth;
    let inString = this.inString;
    let index = from;
    if (this.escaped) {
      index += 1;
      this.escaped = false;
    }
    for (; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? 0;
      if (inString) {
        if (byte === BACKSLASH) {
          index += 1;
          if (index === chunk.length) this.escaped = true;
        } else if (byte === QUOTE) {
          inString = false;
          if (depth === 0) return { end: index + 1, isWhole: true };
        }
      } else if (byte === QUOTE) inString = true;
      else if (byte === 0x7b || byte === 0x5b) {
        depth += 1;
        if (depth > this.limits.nesting)
          throw new UnreadableFileError(`row ${this.rows + 1} nests deeper than ${this.limits.nesting} levels`);
      } else if (byte === 0x7d || byte === 0x5d) {
        // The list's own end, after a number or a word.
        if (depth === 0) return { end: index, isWhole: true };
        depth -= 1;
        if (depth === 0) return { end: index + 1, isWhole: true };
      } else if (depth === 0 && (byte === COMMA || isSpace(byte))) return { end: index, isWhole: true };
    }
    this.depth = depth;
    this.inString = inString;
    return { end: chunk.length, isWhole: false };
  }

  /** @returns the start of an element, or the end of the chunk */
  private between(chunk: Buffer, from: number): number {
    for (let index = from; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? 0;
      if (!isSpace(byte) && this.begins(byte)) return index;
      if (this.stage === 'after' && this.around > 0) return index + 1;
    }
    return chunk.length;
  }

  /** A byte between elements. @returns whether an element begins with it */
  private begins(byte: number): boolean {
    switch (this.stage) {
      case 'before':
        if (byte !== 0x5b) throw new UnreadableFileError('a JSON file must be a list of rows: [{...}, {...}]');
        this.stage = 'first';
        return false;
      case 'first':
      case 'next':
        if (byte === 0x5d && this.stage === 'first') {
          this.stage = 'after';
          return false;
        }
        if (byte === COMMA || byte === 0x5d)
          throw new UnreadableFileError(`the file has a comma too many before row ${this.rows + 1}`);
        this.stage = 'element';
        this.inString = false;
        this.depth = 0;
        return true;
      case 'after-element':
        if (byte === COMMA) this.stage = 'next';
        else if (byte === 0x5d) this.stage = 'after';
        else throw new UnreadableFileError(`after row ${this.rows} there must be a comma, or ] at the end`);
        return false;
      case 'after':
        throw new UnreadableFileError('the file has something after the ] that ends the list of rows; remove it');
      case 'element':
        return true;
    }
  }

  private add(piece: Buffer): void {
    this.length += piece.length;
    if (this.length > this.limits.rowBytes) {
      const most = inBytes(this.limits.rowBytes);
      throw new UnreadableFileError(`row ${this.rows + 1} is longer than ${most}, the most that one row may be`);
    }
    this.pieces.push(piece);
  }

  private finish(): void {
    const line = Buffer.allocUnsafe(this.length + 1);
    let at = 0;
    for (const piece of this.pieces) at += piece.copy(line, at);
    // Between tokens any blank will do; within a string either line break is an error.
    for (let found = line.indexOf(NEWLINE); found >= 0 && found < at; found = line.indexOf(NEWLINE, found + 1))
      line[found] = RETURN;
    line[at] = NEWLINE;
    this.lines.push(line);
    this.held += line.length;
    this.pieces = [];
    this.length = 0;
    this.rows += 1;
    this.stage = 'after-element';
  }
}

const notItsObject = () =>
  new UnreadableFileError(
    'behind the list of rows there must be the end of its object; if every line is a row, upload it as format jsonl',
  );

/** The keys in a text that follows a value in an object, to the end of that. @throws UnreadableFileError when it is no such text */
function keysBehind(tail: Buffer, depth: number): readonly string[] {
  const value = `${'{"":'.repeat(depth)}0`;
  try {
    return keysOf(JSON.parse(value + tail.toString()) as object);
  } catch {
    throw notItsObject();
  }
}

const keysOf = (object: object): readonly string[] => [
  ...Object.keys(object).filter((key) => key !== ''),
  ...('' in object && typeof object[''] === 'object' ? keysOf(object[''] as object) : []),
];
