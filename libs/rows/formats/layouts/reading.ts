import { UnreadableFileError } from '../limits.js';
import { quote } from '../rows/spans.js';
import { MAX_TASKS, type Contents, type LayoutReading } from '#domain/dataset/index.js';
import type { Layout, OffsetUnit, TaskOfFile } from './layout.js';
import type { FittingUnit } from './offsets.js';
import { layoutNamed } from './registry.js';

/** The reading of consecutive rows, as passed between threads; rows are counted from 1 within the part. */
export interface ReadingPart {
  readonly rows: number;
  readonly notes: ReadonlyMap<string, number>;
  /** Rows that prove a unit of offsets. */
  readonly units: ReadonlyMap<FittingUnit, { readonly count: number; readonly first: number }>;
  /** Questions that classes answer, with the first row of each, and whether some row has a list; one more than `MAX_TASKS` at most. */
  readonly tasks: ReadonlyMap<string, { readonly first: number; readonly isList: boolean }>;
  /** Spans placed by their offsets alone, those of them that cut words, and the first row of these (0: none). */
  readonly spans: SpanCounts;
}

interface SpanCounts {
  readonly unquoted: number;
  readonly cut: number;
  readonly first: number;
}

/** With fewer spans in a file that cut words, nothing is concluded from them. */
const MIN_CUT_SPANS = 5;

/** Sums up how the rows of a file were read. */
export class ReadingTally {
  private rows = 0;
  private readonly notes = new Map<string, number>();
  private readonly units = new Map<FittingUnit, { readonly count: number; readonly first: number }>();
  private readonly questions = new Map<string, { readonly first: number; readonly isList: boolean }>();
  private spans: SpanCounts = { unquoted: 0, cut: 0, first: 0 };
  /** Whether some row has several classes. */
  isMultiLabel = false;

  tell(what: string, count = 1): void {
    this.notes.set(what, (this.notes.get(what) ?? 0) + count);
  }

  /** @param row from 1 */
  add(row: number, unit: FittingUnit | null): void {
    this.rows = row;
    if (unit !== null) this.count(unit, 1, row);
  }

  /** @param row from 1 */
  classify(row: number, task: string, labels: number, isList = labels > 1): void {
    if (labels > 1) this.isMultiLabel = true;
    const known = this.questions.get(task);
    if (known === undefined ? this.questions.size <= MAX_TASKS : isList && !known.isList)
      this.questions.set(task, { first: known?.first ?? row, isList });
  }

  /** @param row from 1 */
  addSpans(row: number, unquoted: number, cut: number): void {
    const first = this.spans.first === 0 && cut > 0 ? row : this.spans.first;
    this.spans = { unquoted: this.spans.unquoted + unquoted, cut: this.spans.cut + cut, first };
  }

  part(): ReadingPart {
    return { rows: this.rows, notes: this.notes, units: this.units, tasks: this.questions, spans: this.spans };
  }

  /** Adds the next rows. @param rowsBefore of those rows */
  append(rowsBefore: number, part: ReadingPart): void {
    this.rows += part.rows;
    for (const [what, count] of part.notes) this.tell(what, count);
    for (const [unit, { count, first }] of part.units) this.count(unit, count, rowsBefore + first);
    this.addSpans(rowsBefore + part.spans.first, part.spans.unquoted, part.spans.cut);
    for (const [task, { first, isList }] of part.tasks) this.classify(rowsBefore + first, task, 0, isList);
  }

  get tasks(): readonly TaskOfFile[] {
    return [...this.questions].map(([name, { isList }]) => ({ name, isList }));
  }

  /** The unit that the rows prove so far. */
  get provenUnit(): OffsetUnit | null {
    if (this.units.has('UTF-16')) return this.units.has('code points') ? null : 'UTF-16';
    return this.units.has('code points') ? 'code points' : null;
  }

  /**
   * @param assumed the unit in which rows were read that fit both
   * @param isByTask whether rows were read with several tasks
   * @throws UnreadableFileError when rows contradict each other, or the assumption, or answer different questions
   */
  reading(layout: Layout, assumed: OffsetUnit, isByTask: boolean): LayoutReading {
    if (!isByTask) this.refuseTasks();
    this.refuseCutWords();
    const points = this.units.get('code points');
    const utf16 = this.units.get('UTF-16');
    const either = this.units.get('either');
    if (points && utf16)
      throw new UnreadableFileError(
        `the offsets of row ${points.first} count code points, and those of row ${utf16.first} UTF-16 code units; ` +
          'a file must count in one of them, so one of these rows is wrong',
      );
    const proof = points ?? utf16;
    if (either && proof && (points ? 'code points' : 'UTF-16') !== assumed)
      throw new UnreadableFileError(
        `the offsets of row ${proof.first} count ${points ? 'code points' : 'UTF-16 code units'}, which was not known ` +
          `when row ${either.first} was read, where both fit; make row ${proof.first} the first of the file`,
      );
    if (either && !proof)
      this.tell(`where offsets may also be ${assumed === 'UTF-16' ? 'code points' : 'UTF-16'}`, either.count);
    return {
      layout: layout.name,
      rows: this.rows,
      notes: [...this.notes].map(([what, count]) => ({ what, count })),
    };
  }

  /** Offsets that are wrong throughout, such as ends that count the last character, or bytes, still lie within their texts. */
  private refuseCutWords(): void {
    const { unquoted, cut, first } = this.spans;
    if (cut < MIN_CUT_SPANS || 2 * cut <= unquoted) return;
    throw new UnreadableFileError(
      `${cut} of ${unquoted} spans begin or end inside a word, first in row ${first}; offsets count characters from 0, and the end ` +
        'is behind the last one. If these are right, give each span its text',
    );
  }

  private refuseTasks(): void {
    const [first, second] = this.questions;
    if (first === undefined || second === undefined) return;
    throw new UnreadableFileError(
      `row ${first[1].first} has a class of ${quote(first[0])}, and row ${second[1].first} one of ${quote(second[0])}, of which the ` +
        `first rows say nothing; make row ${second[1].first} the first of the file`,
    );
  }

  private count(unit: FittingUnit, count: number, first: number): void {
    const known = this.units.get(unit);
    this.units.set(unit, { count: (known?.count ?? 0) + count, first: known?.first ?? first });
  }
}

/** The reading of a file's rows, in words: `Label Studio JSON, 412 tasks, 3 without annotations`; null: unchanged. */
export function readAs({ container, reading }: Pick<Contents, 'container' | 'reading'>): string | null {
  const said = [...(container === undefined ? [] : [container]), ...(reading ? [layoutAs(reading)] : [])];
  return said.length === 0 ? null : said.join('; ');
}

function layoutAs({ layout: name, rows, notes }: LayoutReading): string {
  const layout = layoutNamed(name);
  return [
    layout?.title ?? name,
    `${rows} ${layout?.unit ?? 'rows'}`,
    ...notes.map(({ what, count }) => `${count} ${what}`),
  ].join(', ');
}
