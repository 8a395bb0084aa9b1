import type { BlockSettings, ConvertedBlock } from './blocks.js';
import { inBytes, UnreadableFileError } from './limits.js';
import { csvRecords, csvRow } from './read/csv.js';
import { parseRow, type SourceRow } from './read/json-values.js';
import { tableRow } from './read/table-row.js';
import { canonicalizer, type Canonicalize } from './rows/canonical.js';
import { ContentsTally } from './rows/contents.js';
import { ProblemList } from './rows/problems.js';
import { validateRow } from './rows/validate.js';

const NEWLINE = 0x0a;
/** Replaces an unreadable row, so that later rows keep their numbers. */
const UNREADABLE = 'null\n';

/** A block as JSON, in rows of the largest size. */
const MAX_GROWTH = 8;

/** Makes canonical rows of blocks, and looks at each of them. */
export class BlockConverter {
  private readonly settings: BlockSettings;
  private readonly canonical: Canonicalize;

  constructor(settings: BlockSettings) {
    this.settings = settings;
    this.canonical = canonicalizer(settings.datasetType, settings.columnMapping);
  }

  convert(bytes: Uint8Array): ConvertedBlock {
    const block = new OpenBlock(this.settings, this.canonical, bytes.byteLength);
    try {
      if (this.settings.form.kind === 'csv') this.csv(bytes, block);
      else this.lines(bytes, block);
      return block.end(null);
    } catch (error) {
      if (error instanceof RowRefusedError)
        return block.end({ before: error.unit, row: block.rows + 1, after: error.reason });
      if (error instanceof UnreadableFileError) return block.end({ before: error.message, row: null, after: '' });
      throw error;
    }
  }

  private lines(bytes: Uint8Array, block: OpenBlock): void {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const { form, limits } = this.settings;
    const unit = form.kind === 'lines' ? form.unit : 'row';
    const isKept = form.kind === 'table' || (form.kind === 'lines' && form.isKept);
    for (let start = 0; start < text.length;) {
      const found = text.indexOf(NEWLINE, start);
      let end = found < 0 ? text.length : found;
      const next = end + 1;
      while (end > start && isSpace(text[end - 1])) end -= 1;
      while (start < end && isSpace(text[start])) start += 1;
      if (end - start > limits.rowBytes) throw new RowRefusedError(unit, tooLong(limits.rowBytes));
      if (end > start) {
        const line = text.subarray(start, end);
        const source = parseRow(line, limits);
        const row = form.kind === 'table' && source.value ? tableRow(source.value, form, limits) : source;
        block.add(row, isKept && row.value === source.value ? line : null);
      }
      start = next;
    }
  }

  private csv(bytes: Uint8Array, block: OpenBlock): void {
    const { form, limits } = this.settings;
    if (form.kind !== 'csv') return;
    const { refused } = csvRecords(bytes, limits, (cells) => block.add(csvRow(form.columns, cells, limits), null));
    if (refused !== null) throw new RowRefusedError('row', refused);
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

  constructor(
    private readonly settings: BlockSettings,
    private readonly canonical: Canonicalize,
    size: number,
  ) {
    this.tally = new ContentsTally(settings.limits);
    this.unmet = new Set(Object.values(settings.columnMapping));
    this.text = Buffer.from(new ArrayBuffer(size + 1024));
  }

  /** @param line stored if the row needs no change; null: always serialise the row */
  add({ value, error }: SourceRow, line: Buffer | null): void {
    this.rows += 1;
    if (error) this.problems.add(this.rows, error);
    const row = value && this.canonical(value);
    if (row === undefined) this.write(UNREADABLE);
    else if (row === value && line !== null) this.copy(line);
    else this.write(`${JSON.stringify(row)}\n`);
    this.ends.push(this.length);
    if (value === undefined || row === undefined) return;
    for (const column of this.unmet)
      if (Object.hasOwn(value, column) && this.unmet.delete(column)) this.mapped.add(column);
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
      mapped: this.mapped,
      refused,
    };
  }

  private copy(line: Buffer): void {
    this.reserve(line.length + 1);
    this.length += line.copy(this.text, this.length);
    this.text[this.length++] = NEWLINE;
  }

  private write(line: string): void {
    // UTF-8 takes three bytes for a UTF-16 unit at most.
    this.reserve(line.length * 3);
    this.length += this.text.write(line, this.length);
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

/** A row for which the file as a whole is refused. */
class RowRefusedError extends Error {
  constructor(
    readonly unit: string,
    readonly reason: string,
  ) {
    super(reason);
  }
}

const tooLong = (rowBytes: number): string => `is longer than ${inBytes(rowBytes)}, the most that one row may be`;
const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;
