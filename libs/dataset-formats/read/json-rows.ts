import type { Json, JsonObject } from '#domain/json.js';
import { inBytes, UnreadableFileError, type FileLimits } from '../limits.js';
import type { SourceRow } from './rows.js';

/** Cuts a stream of bytes into the bytes of rows. */
export interface Splitter {
  push(chunk: Buffer): Buffer[];
  /** @throws UnreadableFileError when the file ends where it may not */
  end(): Buffer[];
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const isOpening = (byte: number) => byte === 0x5b || byte === 0x7b;
const isClosing = (byte: number) => byte === 0x5d || byte === 0x7d;
const isSpace = (byte: number) => byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;

/** JSONL: one row a line; blank lines count for nothing. */
export class LineSplitter implements Splitter {
  #pieces: Buffer[] = [];
  #length = 0;
  #rows = 0;

  constructor(private readonly limits: FileLimits) {}

  push(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      this.#finish(lines);
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
    return lines;
  }

  end(): Buffer[] {
    const lines: Buffer[] = [];
    this.#finish(lines);
    return lines;
  }

  #add(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > this.limits.rowBytes) throw tooLong('line', this.#rows + 1, this.limits);
    if (piece.length > 0) this.#pieces.push(piece);
  }

  #finish(lines: Buffer[]): void {
    const line = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    if (line === undefined || line.every(isSpace)) return;
    this.#rows += 1;
    lines.push(line);
  }
}

/**
 * A JSON array, cut into the text of its elements; `JSON.parse` reads each. So a file of any size is read with the memory
 * of one row, and a row that is no valid JSON is told by its number.
 */
export class ArraySplitter implements Splitter {
  #stage: 'before' | 'first' | 'element' | 'after-element' | 'next' | 'after' = 'before';
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The last byte closed the element itself: an object, a list or a string. */
  #closed = false;
  #pieces: Buffer[] = [];
  #length = 0;
  #rows = 0;

  constructor(private readonly limits: FileLimits) {}

  push(chunk: Buffer): Buffer[] {
    const elements: Buffer[] = [];
    let start = this.#stage === 'element' ? 0 : -1;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? 0;
      if (this.#stage === 'element') {
        if (this.#isInside(byte)) continue;
        this.#add(chunk.subarray(start, this.#closed ? index + 1 : index));
        elements.push(this.#finish());
        start = -1;
        if (this.#closed) continue;
      }
      if (isSpace(byte)) continue;
      if (this.#step(byte)) start = index;
    }
    if (this.#stage === 'element' && start >= 0) this.#add(chunk.subarray(start));
    return elements;
  }

  end(): Buffer[] {
    if (this.#stage === 'before') return [];
    if (this.#stage === 'element') throw new UnreadableFileError(`the file ends inside row ${this.#rows + 1}`);
    if (this.#stage !== 'after') throw new UnreadableFileError('the file ends before the list of rows is closed by ]');
    return [];
  }

  /** Takes a byte of an element; false when the element ends with it or before it. */
  #isInside(byte: number): boolean {
    this.#closed = false;
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) {
        this.#inString = false;
        this.#closed = this.#depth === 0;
        return !this.#closed;
      }
      return true;
    }
    if (byte === QUOTE) this.#inString = true;
    else if (isOpening(byte)) {
      this.#depth += 1;
      if (this.#depth > this.limits.nesting) throw tooDeep(this.#rows + 1, this.limits);
    } else if (isClosing(byte)) {
      if (this.#depth === 0) return false;
      this.#depth -= 1;
      this.#closed = this.#depth === 0;
      return !this.#closed;
    } else if (this.#depth === 0 && (byte === COMMA || isSpace(byte))) return false;
    return true;
  }

  /** A byte between elements. @returns whether an element begins with it */
  #step(byte: number): boolean {
    switch (this.#stage) {
      case 'before':
        if (byte !== 0x5b) throw new UnreadableFileError('a JSON file must be a list of rows: [{...}, {...}]');
        this.#stage = 'first';
        return false;
      case 'first':
      case 'next':
        if (byte === 0x5d && this.#stage === 'first') {
          this.#stage = 'after';
          return false;
        }
        if (byte === COMMA || byte === 0x5d)
          throw new UnreadableFileError(`there is a comma too many before row ${this.#rows + 1}`);
        this.#stage = 'element';
        this.#inString = byte === QUOTE;
        this.#depth = isOpening(byte) ? 1 : 0;
        return true;
      case 'after-element':
        if (byte === COMMA) this.#stage = 'next';
        else if (byte === 0x5d) this.#stage = 'after';
        else throw new UnreadableFileError(`after row ${this.#rows} there must be a comma, or ] at the end`);
        return false;
      case 'after':
        throw new UnreadableFileError('there is something behind the ] that ends the list of rows');
      case 'element':
        return false;
    }
  }

  #add(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > this.limits.rowBytes) throw tooLong('row', this.#rows + 1, this.limits);
    this.#pieces.push(piece);
  }

  #finish(): Buffer {
    const element = this.#pieces.length === 1 ? (this.#pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    this.#rows += 1;
    this.#stage = 'after-element';
    return element;
  }
}

/** One row's JSON. Keys that occur twice: the last one counts, as in every JSON reader. */
export function parseRow(text: Buffer, limits: FileLimits): SourceRow {
  if (isDeeperThan(text, limits.nesting))
    return { error: { field: '', reason: `nests deeper than ${limits.nesting} levels` } };
  let value: Json;
  try {
    value = JSON.parse(text.toString('utf8')) as Json;
  } catch (error) {
    return { error: { field: '', reason: `is not JSON: ${(error as Error).message.slice(0, 200)}` } };
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value: value as JsonObject };
  const what = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  return { error: { field: '', reason: `must be an object like {"text": ...}, is ${what}` } };
}

/** Looked at before parsing, so that nothing recursive ever sees a tower of brackets. */
export function isDeeperThan(text: Buffer, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const byte = text[index] ?? 0;
    if (inString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (isOpening(byte)) {
      depth += 1;
      if (depth > limit) return true;
    } else if (isClosing(byte)) depth -= 1;
  }
  return false;
}

const tooLong = (what: string, row: number, limits: FileLimits) =>
  new UnreadableFileError(`${what} ${row} is longer than ${inBytes(limits.rowBytes)}, the most that one row may be`);
const tooDeep = (row: number, limits: FileLimits) =>
  new UnreadableFileError(`row ${row} nests deeper than ${limits.nesting} levels`);
