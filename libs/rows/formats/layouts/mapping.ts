import type { DatasetType } from '#domain/dataset/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { DEFAULT_LIMITS, UnreadableFileError } from '../limits.js';
import { withLabelNames, type LabelNamesOfColumns } from '../read/label-names.js';
import { namer, shaper, type ColumnMapping } from '../rows/canonical.js';
import { refuseNumbers } from '../rows/class-numbers.js';
import { ownColumn } from '../rows/columns.js';
import { ContentsTally } from '../rows/contents.js';
import { isReference } from '../rows/references.js';
import { validateRow } from '../rows/validate.js';
import { isOwnEntity, isSpanEntry } from './parts/span-entries.js';
import { classColumns, isText } from './parts/named-columns.js';
import { ReadingTally } from './reading.js';
import { detectLayout } from './registry.js';
import { RowReader } from './row-reader.js';

const MAX_CLASS_CHARACTERS = 60;
const MAX_TRIED = 3;
/** Rows whose short texts may all differ and still be classes. */
const MAX_DISTINCT = 5;
/** Numbers that stand for names begin at 0, and there are few of them. */
const MAX_NUMBER = 30;

/** What a request says so that a file is read. */
export interface Cure {
  readonly columnMapping: ColumnMapping;
  /** Where the classes are numbers: a name for each, to be replaced. */
  readonly labelNames: LabelNamesOfColumns;
  /** Other columns of texts, which are not read. */
  readonly without: readonly string[];
}

/**
 * A `column_mapping`, and `label_names` where it needs them, with which the first rows of a file are valid: tried on them. Undefined: none
 * was found.
 * @param rows with the names of the file
 */
export function suggestedCure(rows: readonly JsonObject[], datasetType: DatasetType): Cure | undefined {
  const columns = [...new Set(rows.flatMap(Object.keys))];
  const under = (column: string) => rows.map((row) => row[column]);
  const isOwnName = (ours: string, column: string) => (ownColumn(datasetType, column) ?? column) === ours;
  const texts = columns
    .filter((column) => !isOwnName('label', column) && classColumns({ [column]: null }).length === 0)
    .filter((column) => under(column).every(isText) && under(column).some((text) => Number.isNaN(Number(text))))
    .filter((column) => 2 * under(column).filter(isReference).length <= rows.length)
    .sort((a, b) => lengthOf(under(b)) - lengthOf(under(a)));
  const hasOwnLabel = columns.some((column) => isOwnName('label', column));
  for (const text of texts.slice(0, MAX_TRIED)) {
    const named = isOwnName('text', text) ? {} : { text };
    const labels = columns
      .filter((column) => column !== text)
      .filter((column) => !hasOwnLabel || isOwnName('label', column))
      .flatMap((column) => labelled(column, under(column), under(text)));
    const likeliest = labels.toSorted((a, b) => a.rank - b.rank).slice(0, MAX_TRIED);
    const cures = likeliest.map(({ head, column, numbers }) => ({
      columnMapping: { ...named, ...(isOwnName(head, column) ? {} : { [head]: column }) },
      labelNames:
        numbers === 0 ? {} : { [column]: Array.from({ length: numbers }, (_, number) => `name of ${number}`) },
    }));
    // The text alone, where columns with usual names, or with 0 and 1, have the classes.
    for (const cure of [{ columnMapping: named, labelNames: {} }, ...cures]) {
      if (Object.keys(cure.columnMapping).length === 0 || !isCured(rows, datasetType, cure)) continue;
      const read = [text, ...Object.values(cure.columnMapping)];
      return { ...cure, without: texts.filter((column) => !read.includes(column) && isProse(under(column))) };
    }
  }
  return undefined;
}

/** Whether most texts of a column are of three words and more, as names of classes and keys are not. */
const isProse = (texts: readonly (Json | undefined)[]): boolean =>
  2 * texts.filter((text) => /\S\s+\S+\s+\S/.test(text as string)).length > texts.length;

const lengthOf = (texts: readonly (Json | undefined)[]): number =>
  texts.reduce<number>((sum, text) => sum + (text as string).length, 0);

interface Candidate {
  readonly head: string;
  readonly column: string;
  /** The likeliest is the lowest. */
  readonly rank: number;
  /** How many names its numbers need; 0: it has names. */
  readonly numbers: number;
}

/** What a column may label. */
function labelled(
  column: string,
  values: readonly (Json | undefined)[],
  texts: readonly (Json | undefined)[],
): readonly Candidate[] {
  const as = (head: string, rank: number, numbers = 0) => [{ head, column, rank, numbers }];
  if (values.every((value) => Array.isArray(value))) {
    const entries = values.flat() as readonly Json[];
    if (entries.length === 0) return [];
    if (entries.every((entry) => isOwnEntity(entry) || isSpanEntry(entry))) return as('entities', 0);
    const isCopied = (list: Json | undefined, row: number) =>
      (list as readonly Json[]).every((each) => isText(each) && (texts[row] as string).includes(each));
    return entries.every(isText) && !values.every(isCopied) ? as('labels', 1) : [];
  }
  // Of one row, any short text might be its class.
  if (values.length < 2) return [];
  const distinct = new Set(values.map(String)).size;
  const numbers = values.map(classNumber);
  if (numbers.every((number) => number !== null))
    return distinct < 2 || distinct === values.length ? [] : as('label', 3, Math.max(...numbers) + 1);
  if (!values.every(isText) || values.some((value) => value.length > MAX_CLASS_CHARACTERS)) return [];
  const share = distinct / values.length;
  const isConstant = distinct === 1 && values.length > 2;
  return share === 1 && values.length > MAX_DISTINCT ? [] : as('label', isConstant ? 4 : 2 + share);
}

/** A number that may stand for a class, as JSON and tables write it. */
function classNumber(value: Json | undefined): number | null {
  const number = typeof value === 'string' && /^\d{1,2}(?:\.0+)?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= MAX_NUMBER ? number : null;
}

/** Whether the rows are valid with a mapping, and their file would not be refused as a whole. */
function isCured(rows: readonly JsonObject[], datasetType: DatasetType, cure: Omit<Cure, 'without'>): boolean {
  try {
    return areRead(rows, datasetType, cure);
  } catch (error) {
    if (error instanceof UnreadableFileError) return false;
    throw error;
  }
}

/** @throws UnreadableFileError for rows that are refused together */
function areRead(
  rows: readonly JsonObject[],
  datasetType: DatasetType,
  { columnMapping, labelNames }: Omit<Cure, 'without'>,
): boolean {
  const named = rows
    .map((value) => withLabelNames({ value }, labelNames).value ?? value)
    .map(namer(datasetType, columnMapping));
  const layout = detectLayout(named, datasetType);
  const columns = layout?.columnsIn?.(named) ?? [];
  const assumedUnit = layout?.offsets ?? 'code points';
  const unknown = { isMultiLabel: null, classTasks: null };
  const settings = { datasetType, assumedUnit, ...unknown, columns, counting: 'usual' } as const;
  const reading = new ReadingTally();
  const reader = layout && new RowReader(layout, settings, reading);
  const part = new ContentsTally(DEFAULT_LIMITS);
  for (const [index, row] of named.entries()) {
    const read = reader?.read(index + 1, row) ?? { rows: [row], problems: [], isUnlabelled: false };
    if (read.problems.length > 0) return false;
    for (const each of read.isUnlabelled ? [] : read.rows) {
      // Left out as unlabelled.
      if (each.label === null) continue;
      const shaped = shaper(datasetType)(each);
      const verdict = validateRow(shaped, datasetType, DEFAULT_LIMITS);
      if (!('contents' in verdict) || verdict.contents.heads.length === 0) return false;
      part.add(index + 1, shaped, verdict.contents);
    }
  }
  const whole = new ContentsTally(DEFAULT_LIMITS);
  if (whole.append(0, part.part()).total > 0) return false;
  const contents = whole.contents('csv');
  refuseNumbers(contents, () => Object.keys(labelNames).length > 0);
  reading.reading(layout, assumedUnit, { rows: rows.length, isByTask: true, unused: { read: new Set(), kept: [] } });
  return contents.rows > 0;
}
