import type { DatasetType } from '#domain/dataset/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { DEFAULT_LIMITS } from '../limits.js';
import { namer, shaper, type ColumnMapping } from '../rows/canonical.js';
import { validateRow } from '../rows/validate.js';
import { isOwnEntity, isSpanEntry } from './parts/span-entries.js';
import { isText } from './parts/named-columns.js';
import { ReadingTally } from './reading.js';
import { detectLayout } from './registry.js';
import { RowReader } from './row-reader.js';

const MAX_CLASS_CHARACTERS = 60;
const MAX_TRIED = 3;
/** Rows whose short texts may all differ and still be classes. */
const MAX_DISTINCT = 5;

/**
 * A `column_mapping` with which the first rows of a file are valid: tried on them. Undefined: none was found.
 * @param rows with the names of the file
 */
export function suggestedMapping(rows: readonly JsonObject[], datasetType: DatasetType): ColumnMapping | undefined {
  const columns = [...new Set(rows.flatMap(Object.keys))];
  const under = (column: string) => rows.map((row) => row[column]);
  const texts = columns
    .filter((column) => under(column).every(isText))
    .sort((a, b) => lengthOf(under(b)) - lengthOf(under(a)));
  for (const text of texts.slice(0, MAX_TRIED)) {
    const labels = columns.filter((column) => column !== text).flatMap((column) => labelled(column, under(column)));
    for (const { head, column } of labels.toSorted((a, b) => a.rank - b.rank).slice(0, MAX_TRIED)) {
      const mapping = { ...(text !== 'text' && { text }), ...(head !== column && { [head]: column }) };
      if (Object.keys(mapping).length > 0 && areValid(rows, datasetType, mapping)) return mapping;
    }
  }
  return undefined;
}

const lengthOf = (texts: readonly (Json | undefined)[]): number =>
  texts.reduce<number>((sum, text) => sum + (text as string).length, 0);

/** What a column may label; the lowest rank is the likeliest. */
function labelled(column: string, values: readonly (Json | undefined)[]) {
  if (values.every((value) => Array.isArray(value))) {
    const entries = values.flat() as readonly Json[];
    if (entries.length === 0) return [];
    if (entries.every((entry) => isOwnEntity(entry) || isSpanEntry(entry)))
      return [{ head: 'entities', column, rank: 0 }];
    return entries.every(isText) ? [{ head: 'labels', column, rank: 1 }] : [];
  }
  if (!values.every(isText) || values.some((value) => value.length > MAX_CLASS_CHARACTERS)) return [];
  // Of one row, any short text might be its class.
  if (values.length < 2) return [];
  const distinct = new Set(values).size / values.length;
  const isConstant = new Set(values).size === 1 && values.length > 2;
  return distinct === 1 && values.length > MAX_DISTINCT
    ? []
    : [{ head: 'label', column, rank: isConstant ? 4 : 2 + distinct }];
}

function areValid(rows: readonly JsonObject[], datasetType: DatasetType, mapping: ColumnMapping): boolean {
  const named = rows.map(namer(datasetType, mapping));
  const layout = detectLayout(named, datasetType);
  const columns = layout?.columnsIn?.(named) ?? [];
  const assumedUnit = layout?.offsets ?? 'code points';
  const unknown = { isMultiLabel: null, classTasks: null };
  const settings = { datasetType, assumedUnit, ...unknown, columns, counting: 'usual' } as const;
  const reader = layout && new RowReader(layout, settings, new ReadingTally());
  return named.every((row, index) => {
    const read = reader?.read(index + 1, row) ?? { rows: [row], problems: [] };
    return read.problems.length === 0 && read.rows.length > 0 && read.rows.every((each) => isValid(each, datasetType));
  });
}

function isValid(row: JsonObject, datasetType: DatasetType): boolean {
  const verdict = validateRow(shaper(datasetType)(row), datasetType, DEFAULT_LIMITS);
  return 'contents' in verdict && verdict.contents.heads.length > 0;
}
