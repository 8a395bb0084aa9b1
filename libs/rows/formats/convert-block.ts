import type { JsonObject } from '#domain/json.js';
import type { BlockSettings, ConvertedBlock } from './blocks.js';
import { ReadingTally } from './layouts/reading.js';
import { layoutNamed } from './layouts/registry.js';
import { RowReader } from './layouts/row-reader.js';
import { UnreadableFileError } from './limits.js';
import type { SourceRow } from './read/json-values.js';
import { RowRefusedError, sourceRows } from './read/source-rows.js';
import { namer, shaper, type Canonicalize } from './rows/canonical.js';
import { ContentsTally } from './rows/contents.js';
import { ProblemList } from './rows/problems.js';
import { validateRow } from './rows/validate.js';

const NEWLINE = 0x0a;
/** Replaces an unreadable row, so that later rows keep their numbers. */
const UNREADABLE = 'null\n';

/** A block as JSON, in rows of the largest size. */
const MAX_GROWTH = 8;

/** Converts blocks to canonical rows, and validates each of them. */
export class BlockConverter {
  private readonly named: Canonicalize;
  private readonly shaped: Canonicalize;

  constructor(private readonly settings: BlockSettings) {
    this.named = namer(settings.datasetType, settings.columnMapping);
    this.shaped = shaper(settings.datasetType);
  }

  convert(bytes: Uint8Array): ConvertedBlock {
    const block = new OpenBlock(this.settings, this.named, this.shaped, bytes.byteLength);
    try {
      sourceRows(bytes, this.settings, (row, line) => block.add(row, line));
      return block.end(null);
    } catch (error) {
      if (error instanceof RowRefusedError)
        return block.end({ before: error.unit, row: block.rows + 1, after: error.reason });
      if (error instanceof UnreadableFileError) return block.end({ before: error.message, row: null, after: '' });
      throw error;
    }
  }
}

/** A block while it is converted. */
class OpenBlock {
  rows = 0;
  private readonly problems = new ProblemList();
  private readonly tally: ContentsTally;
  private readonly ends: number[] = [];
  private readonly mapped = new Set<string>();
  private readonly unmet: Set<string>;
  private text: Buffer<ArrayBuffer>;
  private length = 0;
  private readonly reading = new ReadingTally();
  private readonly reader: RowReader | null;

  constructor(
    private readonly settings: BlockSettings,
    private readonly named: Canonicalize,
    private readonly shaped: Canonicalize,
    size: number,
  ) {
    const { limits, columnMapping, layout } = settings;
    this.tally = new ContentsTally(limits);
    this.unmet = new Set(Object.values(columnMapping));
    this.text = Buffer.from(new ArrayBuffer(size + 1024));
    const known = layout === null ? null : layoutNamed(layout);
    this.reader = known && new RowReader(known, settings, this.reading);
  }

  /** @param line stored if the row needs no change; null: always serialise the row */
  add({ value, error }: SourceRow, line: Buffer | null): void {
    this.rows += 1;
    if (error) this.problems.add(this.rows, error);
    if (value === undefined) return this.store(UNREADABLE);
    for (const column of this.unmet)
      if (Object.hasOwn(value, column) && this.unmet.delete(column)) this.mapped.add(column);
    const named = this.named(value);
    if (this.reader === null) return this.keep(this.shaped(named), value, line);
    const { rows, problems } = this.reader.read(this.rows, named);
    for (const problem of problems) this.problems.add(this.rows, problem);
    for (const row of rows) this.keep(this.shaped(row), value, line);
  }

  private keep(row: JsonObject, source: JsonObject, line: Buffer | null): void {
    if (row === source && line !== null) this.copy(line);
    else this.store(`${JSON.stringify(row)}\n`);
    const verdict = validateRow(row, this.settings.datasetType, this.settings.limits);
    if ('contents' in verdict) this.tally.add(this.rows, row, verdict.contents);
    else for (const problem of verdict.problems) this.problems.add(this.rows, problem);
  }

  end(refused: ConvertedBlock['refused']): ConvertedBlock {
    return {
      rows: this.rows,
      text: new Uint8Array(this.text.buffer, this.text.byteOffset, this.length),
      ends: Uint32Array.from(this.ends),
      problems: this.problems.part(),
      contents: this.tally.part(),
      reading: this.reading.part(),
      mapped: this.mapped,
      refused,
    };
  }

  private copy(line: Buffer): void {
    this.reserve(line.length + 1);
    this.length += line.copy(this.text, this.length);
    this.text[this.length++] = NEWLINE;
    this.ends.push(this.length);
  }

  private store(line: string): void {
    // UTF-8 takes three bytes for a UTF-16 unit at most.
    this.reserve(line.length * 3);
    this.length += this.text.write(line, this.length);
    this.ends.push(this.length);
  }

  /** @throws UnreadableFileError for rows that grow out of all proportion: in CSV each repeats the names of its columns */
  private reserve(bytes: number): void {
    if (this.length + bytes <= this.text.length) return;
    if (this.length > MAX_GROWTH * this.settings.limits.rowBytes)
      throw new UnreadableFileError('the rows are too large with the names of their columns; shorten those');
    const larger = Buffer.from(new ArrayBuffer(Math.max(this.text.length * 2, this.length + bytes)));
    this.text.copy(larger, 0, 0, this.length);
    this.text = larger;
  }
}
