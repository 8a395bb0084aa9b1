import type { Json, JsonObject } from '#domain/json.js';
import type { BlockSettings, ConvertedBlock } from './blocks.js';
import { ReadingTally } from './layouts/reading.js';
import { layoutNamed } from './layouts/registry.js';
import { RowReader } from './layouts/row-reader.js';
import { UnreadableFileError } from './limits.js';
import { faultyLine } from './read/faulty-line.js';
import type { SourceRow } from './read/json-values.js';
import { RowRefusedError, sourceRows } from './read/source-rows.js';
import { namer, shaper, type Canonicalize } from './rows/canonical.js';
import { ContentsTally } from './rows/contents.js';
import { HEAD_KEYS } from './rows/columns.js';
import { withoutEdges } from './rows/edges.js';
import { isObject, type FieldProblem } from './rows/kinds.js';
import { leftOutRow, UNLABELLED, type LeftOutRow } from './rows/left-out.js';
import { noLabelIn } from './rows/no-label.js';
import { ProblemList } from './rows/problems.js';
import { isReference } from './rows/references.js';
import { tidied } from './rows/tidied.js';
import { validateRow } from './rows/validate.js';

const NEWLINE = 0x0a;

const NO_LABEL = [{ field: '', ...UNLABELLED }];
const EMPTY_LABEL = [{ field: 'label', reason: 'is empty' }];
const EMPTY_LABELS = [{ field: 'labels', reason: 'has no label for any task' }];

/** What the last user of a chat, or of the prompt of a pair, has said. */
const promptOf = ({ messages, prompt }: JsonObject): Json | undefined => {
  const turns = messages ?? prompt;
  const last = Array.isArray(turns)
    ? (turns as readonly Json[]).findLast((turn) => isObject(turn) && turn.role === 'user')
    : turns;
  return isObject(last) ? last.content : last;
};

const emptyIn = ({ label, labels }: JsonObject): readonly FieldProblem[] | null =>
  typeof label === 'string' ? EMPTY_LABEL : isObject(labels) ? EMPTY_LABELS : null;

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
  private readonly unlabelled = new ProblemList();
  private readonly leftOut: LeftOutRow[] = [];
  private readonly references = { count: 0, first: '' };
  /** Rows are labelled, and lists of theirs may need tidying. */
  private readonly isLabelled: boolean;
  /** All rows have the same columns. */
  private readonly isTable: boolean;
  private readonly isNoLabel: (label: string) => boolean;
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
    const { limits, columnMapping, layout, datasetType, form } = settings;
    this.isLabelled = datasetType === 'ner' || datasetType === 'classification' || datasetType === 'custom';
    this.isTable = form.kind !== 'lines';
    this.isNoLabel = noLabelIn(settings);
    this.tally = new ContentsTally(limits);
    this.unmet = new Set(Object.values(columnMapping));
    this.text = Buffer.from(new ArrayBuffer(size + 1024));
    const known = layout === null ? null : layoutNamed(layout);
    this.reader = known && new RowReader(known, settings, this.reading);
  }

  /** @param line stored if the row needs no change; null: always serialise the row */
  add(source: SourceRow, line: Buffer | null): void {
    this.rows += 1;
    const { keepsFaultsOf: file } = this.settings;
    if (source.error)
      return file === null
        ? this.leave(this.problems, [source.error], source.raw)
        : this.store(`${faultyLine(source, file)}\n`);
    const { value, given = value } = source;
    for (const column of this.unmet)
      if (Object.hasOwn(value, column) && this.unmet.delete(column)) this.mapped.add(column);
    const named = this.named(value);
    if (this.reader === null) return this.keep(named, value, line, given);
    this.reading.see(named);
    const { rows, problems, isUnlabelled } = this.reader.read(this.rows, named);
    if (problems.length > 0) return this.leave(this.problems, problems, given);
    if (isUnlabelled) return this.leave(this.unlabelled, NO_LABEL, given);
    for (const row of rows) this.keep(row, value, line, rows.length > 1 ? row : given);
  }

  /** @param shown the row as it is listed if it is left out */
  private keep(named: JsonObject, source: JsonObject, line: Buffer | null, shown: JsonObject): void {
    const { datasetType, limits } = this.settings;
    const tell = (what: string, count: number) => this.reading.tell(what, count);
    const tidy = this.isLabelled ? tidied(named, this.isNoLabel, tell) : named;
    const row = this.isLabelled ? this.trimmed(this.shaped(tidy)) : this.shaped(tidy);
    const verdict = validateRow(row, datasetType, limits);
    if (!('contents' in verdict))
      return this.isUnlabelled(tidy, row)
        ? this.leave(this.unlabelled, emptyIn(named) ?? verdict.problems, shown)
        : this.leave(this.problems, verdict.problems, shown);
    this.tally.add(this.rows, row, verdict.contents);
    const text = row.text ?? promptOf(row);
    if (verdict.contents.heads.length > 0 && isReference(text)) {
      if (this.references.count === 0) this.references.first = text as string;
      this.references.count += 1;
    }
    if (row === source && line !== null) this.copy(line);
    else this.store(`${JSON.stringify(row)}\n`);
  }

  /** Whether the only fault of a row is a label that is there and empty. */
  private isUnlabelled(given: JsonObject, row: JsonObject): boolean {
    return (
      typeof row.text === 'string' &&
      row.text.trim() !== '' &&
      !HEAD_KEYS.some((key) => row[key] !== undefined) &&
      (this.isTable || isObject(given.labels) || HEAD_KEYS.some((key) => given[key] === null))
    );
  }

  private leave(list: ProblemList, problems: readonly FieldProblem[], data: Json): void {
    for (const problem of problems) list.add(this.rows, problem);
    const listed = list === this.unlabelled ? NO_LABEL : problems;
    this.leftOut.push(leftOutRow(this.rows, listed, data));
  }

  private trimmed(shaped: JsonObject): JsonObject {
    const { row, trimmed, blank } = withoutEdges(shaped);
    if (trimmed > 0) this.reading.tell('spans without the white space at their edges', trimmed);
    if (blank > 0) this.reading.tell('spans of white space left out', blank);
    return row;
  }

  end(refused: ConvertedBlock['refused']): ConvertedBlock {
    return {
      rows: this.rows,
      text: new Uint8Array(this.text.buffer, this.text.byteOffset, this.length),
      ends: Uint32Array.from(this.ends),
      problems: this.problems.part(),
      unlabelled: this.unlabelled.part(),
      leftOut: this.leftOut,
      references: this.references,
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
