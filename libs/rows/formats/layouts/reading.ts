import { UnreadableFileError } from '../limits.js';
import type { JsonObject } from '#domain/json.js';
import { HEAD_KEYS } from '../rows/columns.js';
import { nearHead } from '../rows/near-names.js';
import { quote } from '../rows/spans.js';
import { MAX_TASKS, type Contents, type LayoutReading, type LeftOut } from '#domain/dataset/index.js';
import type { Layout, OffsetUnit, TaskOfFile } from './layout.js';
import type { FittingUnit } from './offsets.js';
import { layoutNamed, OWN_ROWS } from './registry.js';

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
  /** Keys of the rows, in the order in which they first come. */
  readonly keys: ReadonlySet<string>;
}

interface SpanCounts {
  readonly unquoted: number;
  readonly cut: number;
  readonly first: number;
  /** The first of these, in words. */
  readonly example: string | null;
  /** Spans with a text, and those whose text does not stand at their offsets, with the first row and what is wrong there. */
  readonly quoted: number;
  readonly misquoted: number;
  readonly fault: { readonly row: number; readonly reason: string } | null;
}

/** Keys of rows, by what becomes of them. */
interface Unused {
  /** Those that the layout has read in the first rows. */
  readonly read: ReadonlySet<string>;
  /** Those of stored rows beside their text and labels. */
  readonly kept: readonly string[];
}

const MAX_KEYS = 1000;
const MAX_NAMED_KEYS = 20;
/** Keys of rows that are known, and not learned: their names, and the calls that they come from. */
const USED_KEYS = new Set(['text', ...HEAD_KEYS, 'id', 'meta', 'source_inference_id']);

/** With fewer spans in a file that cut words, nothing is concluded from them. */
const MIN_CUT_SPANS = 5;

/** Sums up how the rows of a file were read. */
export class ReadingTally {
  private rows = 0;
  private readonly notes = new Map<string, number>();
  private readonly units = new Map<FittingUnit, { readonly count: number; readonly first: number }>();
  private readonly questions = new Map<string, { readonly first: number; readonly isList: boolean }>();
  private spans: SpanCounts = {
    ...{ unquoted: 0, cut: 0, first: 0, example: null },
    ...{ quoted: 0, misquoted: 0, fault: null },
  };
  private readonly keys = new Set<string>();
  /** Whether some row has several classes. */
  isMultiLabel = false;
  /** Whether some row has an answer that is neither a class nor spans. */
  hasOtherAnswers = false;

  tell(what: string, count = 1): void {
    this.notes.set(what, (this.notes.get(what) ?? 0) + count);
  }

  /** @param row from 1 */
  add(row: number, unit: FittingUnit | null): void {
    this.rows = row;
    if (unit !== null) this.count(unit, 1, row);
  }

  /** Remembers the keys of a row. */
  see(row: JsonObject): void {
    for (const key in row) this.addKey(key);
  }

  /** @param row from 1 */
  classify(row: number, task: string, labels: number, isList = labels > 1): void {
    if (labels > 1) this.isMultiLabel = true;
    const known = this.questions.get(task);
    if (known === undefined ? this.questions.size <= MAX_TASKS : isList && !known.isList)
      this.questions.set(task, { first: known?.first ?? row, isList });
  }

  /** @param more with rows from 1 */
  addSpans(more: SpanCounts, rowsBefore = 0): void {
    const { spans } = this;
    const isFirst = spans.first === 0 && more.cut > 0;
    this.spans = {
      unquoted: spans.unquoted + more.unquoted,
      cut: spans.cut + more.cut,
      first: isFirst ? rowsBefore + more.first : spans.first,
      example: isFirst ? more.example : spans.example,
      quoted: spans.quoted + more.quoted,
      misquoted: spans.misquoted + more.misquoted,
      fault: spans.fault ?? (more.fault && { ...more.fault, row: rowsBefore + more.fault.row }),
    };
  }

  part(): ReadingPart {
    const { rows, notes, units, questions: tasks, spans, keys } = this;
    return { rows, notes, units, tasks, spans, keys };
  }

  /** Adds the next rows. @param rowsBefore of those rows */
  append(rowsBefore: number, part: ReadingPart): void {
    this.rows += part.rows;
    for (const [what, count] of part.notes) this.tell(what, count);
    for (const key of part.keys) this.addKey(key);
    for (const [unit, { count, first }] of part.units) this.count(unit, count, rowsBefore + first);
    this.addSpans(part.spans, rowsBefore);
    for (const [task, { first, isList }] of part.tasks) this.classify(rowsBefore + first, task, 0, isList);
  }

  get hasClasses(): boolean {
    return this.questions.size > 0;
  }

  /** The classification tasks that are known and those of the rows; null if none is known and the rows have one at most. */
  tasksWith(known: readonly TaskOfFile[]): readonly TaskOfFile[] | null {
    if (known.length === 0 && this.questions.size < 2) return null;
    const found = [...this.questions].map(([name, { isList }]) => ({ name, isList }));
    return [...known, ...found.filter(({ name }) => !known.some((task) => task.name === name))];
  }

  /** The unit that the rows prove so far. */
  get provenUnit(): OffsetUnit | null {
    if (this.units.has('UTF-16')) return this.units.has('code points') ? null : 'UTF-16';
    return this.units.has('code points') ? 'code points' : null;
  }

  /**
   * @param layout null: our own rows
   * @param assumed the unit in which rows were read that fit both
   * @param of how many rows the file has, and whether they were read with several tasks
   * @returns null if rows were stored as they are in the file
   * @throws UnreadableFileError when rows contradict each other, or the assumption, or answer different questions
   */
  reading(
    layout: Layout | null,
    assumed: OffsetUnit,
    { rows, isByTask, unused }: { readonly rows: number; readonly isByTask: boolean; readonly unused: Unused },
  ): LayoutReading | null {
    this.tellUnused(layout, unused);
    if (layout === null && this.notes.size === 0) return null;
    if (!isByTask) this.refuseTasks();
    this.refuseCutWords();
    this.refuseMisquoted();
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
      layout: layout?.name ?? OWN_ROWS,
      rows,
      notes: [...this.notes].map(([what, count]) => ({ what, count })),
    };
  }

  /** Keys of the file that the layout does not read, and those that rows keep beside their labels. */
  private tellUnused(layout: Layout | null, { read, kept }: Unused): void {
    const isOfTool = (key: string): boolean => layout?.toolKeys?.test(key) ?? false;
    const dropped = layout === null ? [] : [...this.keys].filter((key) => !read.has(key) && !isOfTool(key));
    const unused = [...new Set([...dropped, ...kept])].filter((key) => !USED_KEYS.has(key));
    if (unused.length === 0) return;
    const shown = unused.slice(0, MAX_NAMED_KEYS).map((key) => {
      const meant = nearHead(key);
      const name = key === '' ? 'one without a name' : quote(key);
      return `${name}${meant === null ? '' : ` (did you mean ${meant}?)`}`;
    });
    const named = `${shown.join(' ')}${unused.length > shown.length ? ' and more' : ''}`;
    this.tell(`${unused.length === 1 ? 'column' : 'columns'} not used: ${named}`, unused.length);
  }

  private addKey(key: string): void {
    if (this.keys.size < MAX_KEYS) this.keys.add(key);
  }

  /** Offsets that are wrong throughout, such as ends that count the last character, or bytes, still lie within their texts. */
  private refuseCutWords(): void {
    const { unquoted, cut, first, example } = this.spans;
    if (cut < MIN_CUT_SPANS || 2 * cut <= unquoted) return;
    throw new UnreadableFileError(
      `${cut} of ${unquoted} spans begin or end inside a word, first in row ${first}, where ${example}; offsets count characters from 0, and the end ` +
        'is behind the last one. If these are right, give each span its text',
    );
  }

  /** Where most texts of spans stand elsewhere, the offsets are wrong, or the texts are others. */
  private refuseMisquoted(): void {
    const { quoted, misquoted, fault } = this.spans;
    if (fault === null || 2 * misquoted <= quoted) return;
    throw new UnreadableFileError(
      `row ${fault.row}: ${fault.reason}${quoted === 1 ? '' : `; ${misquoted} of ${quoted} spans have another text than their offsets say`}`,
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

/**
 * The reading of a file's rows, in words: `Label Studio JSON, 412 tasks, 3 without annotations`; null: unchanged, and none was
 * left out.
 */
export function readAs(
  { container, reading }: Pick<Contents, 'container' | 'reading'>,
  leftOut?: Pick<LeftOut, 'rows' | 'unlabelled' | 'of'>,
): string | null {
  const said = [
    ...(container === undefined ? [] : [container]),
    ...(reading ? [layoutAs(reading)] : []),
    ...(leftOut ? leftOutAs(leftOut) : []),
  ];
  return said.length === 0 ? null : said.join('; ');
}

function leftOutAs({ rows, unlabelled, of }: Pick<LeftOut, 'rows' | 'unlabelled' | 'of'>): readonly string[] {
  const said = (count: number, what: string) => (count === 0 ? [] : [`${count} of ${of} rows left out, ${what}`]);
  return [...said(unlabelled, 'without a label'), ...said(rows - unlabelled, 'not valid')];
}

function layoutAs({ layout: name, rows, notes }: LayoutReading): string {
  const layout = layoutNamed(name);
  return [
    ...(name === OWN_ROWS ? [] : [layout?.title ?? name]),
    `${rows} ${layout?.unit ?? 'rows'}`,
    ...notes.map(({ what, count }) => `${count} ${what}`),
  ].join(', ');
}
