import type { Separator } from '../blocks.js';
import type { FileLimits } from '../limits.js';
import type { ColumnMapping } from '../rows/canonical.js';
import { csvRecords } from './csv.js';
import type { LabelNamesOfColumns } from './label-names.js';
import { SEPARATORS } from './separator.js';

/** The columns of a table without a header row. Columns of one name are one text, a line each. */
interface Headerless {
  readonly separator: Separator;
  readonly names: readonly string[];
  readonly labelNames?: LabelNamesOfColumns;
  /** Meaning of the columns, for the uploader. */
  readonly said: string;
}

type Records = readonly (readonly string[])[];

const MAX_COLUMNS = 6;
const MIN_RECORDS = 3;

/**
 * Names for the columns of a table whose first record is proven to be a row: its class is that of a later record, too,
 * and all other cells are prose. Null: the first record may be a header row.
 * @param head whole records, except the last one
 * @param told the format's separator; null: any
 */
export function headerless(
  head: Buffer,
  told: Separator | null,
  limits: Pick<FileLimits, 'rowBytes'>,
): Headerless | null {
  const whole = head.subarray(0, head.lastIndexOf('\n') + 1);
  for (const separator of told === null ? SEPARATORS : [told]) {
    const records: (readonly string[])[] = [];
    csvRecords(whole, limits, separator, (cells) => void records.push(cells));
    const width = records[0]?.length ?? 0;
    if (records.length < MIN_RECORDS || width < 2 || width > MAX_COLUMNS) continue;
    if (records.some(({ length }) => length !== width)) continue;
    const found = sentiment140(records) ?? classAndTexts(records);
    if (found !== null) return { separator, ...found };
  }
  return null;
}

/** @see https://www.kaggle.com/datasets/kazanova/sentiment140 */
function sentiment140(records: Records): Omit<Headerless, 'separator'> | null {
  const isRow = ([polarity = '', id = '', date = '', query = '', ...others]: readonly string[]) =>
    others.length === 2 &&
    /^[024]$/.test(polarity) &&
    /^\d+$/.test(id) &&
    !Number.isNaN(Date.parse(date)) &&
    query !== '';
  if (!records.every(isRow)) return null;
  return {
    names: ['label', 'id', 'date', 'query', 'user', 'text'],
    labelNames: { label: ['negative', '1', 'neutral', '3', 'positive'] },
    said: 'without a header row, in the columns of Sentiment140',
  };
}

/** In the form of AG News, Yelp reviews and Amazon Comprehend. */
function classAndTexts(records: Records): Omit<Headerless, 'separator'> | null {
  const columns = records[0]!.map((_, column) => records.map((cells) => cells[column]!.trim()));
  const classes = columns.flatMap((cells, column) => (areClasses(cells) ? [column] : []));
  const [label] = classes;
  if (label === undefined || classes.length > 1) return null;
  const texts = columns.flatMap((_, column) => (column === label ? [] : [column]));
  if (!texts.every((column) => areProse(columns[column]!))) return null;
  if (!texts.some((column) => isProse(columns[column]![0]!))) return null;
  const numbers = texts.map((column) => String(column + 1)).join(' and ');
  return {
    names: columns.map((_, column) => (column === label ? 'label' : 'text')),
    said: `without a header row, with the class in column ${label + 1} and the text in ${texts.length > 1 ? 'columns' : 'column'} ${numbers}`,
  };
}

/** A header row would name the class otherwise than any row does. */
function areClasses(cells: readonly string[]): boolean {
  return (
    cells.includes(cells[0]!, 1) &&
    new Set(cells).size <= Math.ceil(cells.length / 2) &&
    cells.every((cell) => /^(?!\d{4})[^\n[{|]{1,60}$/u.test(cell) && wordsOf(cell) <= 5) &&
    !cells.every((cell) => /\d[:/.-]\d/.test(cell))
  );
}

function areProse(cells: readonly string[]): boolean {
  const prose = cells.filter(isProse).length;
  return 2 * prose > cells.length && 2 * new Set(cells).size > cells.length && cells.some((cell) => !isDate(cell));
}

/** Three words, or as many characters of a script without blanks. */
const isProse = (cell: string): boolean => wordsOf(cell) >= 3 || /[^\x00-\u024f].{5}/u.test(cell);
const isDate = (cell: string): boolean => /\d/.test(cell) && !Number.isNaN(Date.parse(cell));
const wordsOf = (cell: string): number => cell.split(/\s+/).filter(Boolean).length;

/**
 * Numbered names for the columns of a table, if `column_mapping` names its columns by numbers (`column 2`) and the header row does not;
 * null: it has a header row.
 */
export function columnNumbers(mapping: ColumnMapping, cells: readonly string[]): readonly string[] | null {
  const numbered = cells.map((_, column) => `column ${column + 1}`);
  const mapped = Object.values(mapping);
  return mapped.length > 0 && mapped.every((name) => numbered.includes(name) && !cells.includes(name))
    ? numbered
    : null;
}
