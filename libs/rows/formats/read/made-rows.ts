import type { JsonObject } from '#domain/json.js';
import { inBytes, UnreadableFileError, type FileLimits } from '../limits.js';
import { LineSplitter } from './line-splitter.js';

/** Makes rows of a text's lines. */
interface RowMaker {
  /** @param line without its line feed @throws UnreadableFileError */
  add(line: string): void;
  /** Ends the last row. @throws UnreadableFileError */
  end(): void;
}

/** Gathers rows, each made of several lines or records of a file, as lines of JSON. */
export class MadeRows {
  private lines: Buffer[] = [];
  private held = 0;
  private count = 0;

  /** @param ending what to know about the end of a row, for a row that is too long */
  constructor(
    private readonly limits: Pick<FileLimits, 'rowBytes'>,
    private readonly ending: string | null = null,
  ) {}

  /** Bytes of the rows that `take` returns. */
  get bytes(): number {
    return this.held;
  }

  /** Number of the row that is added next, from 1. */
  get next(): number {
    return this.count + 1;
  }

  add(row: JsonObject): void {
    const line = Buffer.from(`${JSON.stringify(row)}\n`);
    this.lines.push(line);
    this.held += line.length;
    this.count += 1;
  }

  take(): Buffer {
    const taken = Buffer.concat(this.lines, this.held);
    this.lines = [];
    this.held = 0;
    return taken;
  }

  /** @param length of what the next row is made of @throws UnreadableFileError */
  requireFit(length: number): void {
    if (length <= this.limits.rowBytes) return;
    const ending = this.ending === null ? '' : `; ${this.ending}`;
    throw new UnreadableFileError(
      `row ${this.next} is longer than ${inBytes(this.limits.rowBytes)}, the most that one row may be${ending}`,
    );
  }

  /** Blocks of the rows that `maker` adds here. @throws UnreadableFileError (while iterating) for a line that is too long */
  async *ofLines(text: AsyncIterable<Buffer>, maker: RowMaker, blockBytes: number): AsyncGenerator<Buffer> {
    const splitter = new LineSplitter();
    for await (const chunk of text) {
      for (const line of splitter.push(chunk)) maker.add(line.toString());
      this.requireFit(splitter.unfinished);
      if (this.held >= blockBytes) yield this.take();
    }
    for (const line of splitter.end()) maker.add(line.toString());
    maker.end();
    if (this.held > 0) yield this.take();
  }
}
