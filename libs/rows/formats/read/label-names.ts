import type { DatasetType, LabelNames } from '#domain/dataset/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { UnreadableFileError } from '../limits.js';
import type { ColumnMapping } from '../rows/canonical.js';
import { isTaskColumn, TASK_COLUMN } from '../rows/class-tasks.js';
import { ownColumn } from '../rows/columns.js';
import { isObject } from '../rows/kinds.js';
import type { SourceRow } from './json-values.js';

/** The file's columns of numbers that stand for names. */
export type LabelNamesOfColumns = Readonly<Record<string, LabelNames>>;

/** Levels of lists and objects within a feature. */
const MAX_DEPTH = 20;
/** The number of a ClassLabel without a value, as the hidden labels of a test split have it. */
const NO_LABEL = -1;

/**
 * The names of the ClassLabels in `features` of the `datasets` library: as Parquet files and `dataset_infos.json` hold
 * them (`{"label": {"names": [...], "_type": "ClassLabel"}}`), or as the card of a repository does (`[{"name": "label",
 * "dtype": {"class_label": {"names": {"0": ...}}}}]`).
 * @param features untrusted; anything else is skipped
 * @see https://huggingface.co/docs/datasets/about_dataset_features
 */
export function labelNamesOf(features: unknown): LabelNamesOfColumns {
  const columns = fieldsOf(features, 0);
  return columns !== null && !isNames(columns) ? columns : {};
}

/** @param json the `huggingface` metadata of a table's schema; unreadable metadata is ignored */
export function labelNamesOfSchema(json: string): LabelNamesOfColumns {
  try {
    const { info } = JSON.parse(json) as { info?: { features?: unknown } };
    return labelNamesOf(info?.features);
  } catch {
    return {};
  }
}

function namesOf(feature: unknown, depth: number): LabelNames | null {
  if (depth > MAX_DEPTH || typeof feature !== 'object' || feature === null) return null;
  // A list of one feature, or the named fields of a card.
  if (Array.isArray(feature))
    return feature.length === 1 && !isNamedField(feature[0])
      ? namesOf(feature[0], depth + 1)
      : fieldsOf(feature, depth);
  const {
    _type,
    names,
    class_label,
    feature: item,
    dtype,
    sequence,
    list,
    struct,
  } = feature as Record<string, unknown>;
  if (_type === 'ClassLabel') return listOfNames(names);
  if (typeof _type === 'string') return namesOf(item, depth + 1);
  if (isObject(class_label as Json | undefined)) return listOfNames((class_label as { names?: unknown }).names);
  if (isNamedField(feature)) return namesOf(dtype ?? sequence ?? list ?? struct, depth + 1);
  const nested = sequence ?? list ?? struct;
  return nested === undefined ? fieldsOf(feature, depth) : namesOf(nested, depth + 1);
}

function fieldsOf(features: unknown, depth: number): LabelNames | null {
  if (typeof features !== 'object' || features === null) return null;
  const entries: readonly (readonly [unknown, unknown])[] = Array.isArray(features)
    ? features.filter(isNamedField).map((field) => [field.name, field])
    : Object.entries(features);
  const named = entries.flatMap(([name, feature]) => {
    const names = namesOf(feature, depth + 1);
    return typeof name === 'string' && names !== null ? [[name, names] as const] : [];
  });
  return named.length === 0 ? null : Object.fromEntries(named);
}

/** A field of a card: `{name: "label", dtype: ...}`. */
const isNamedField = (value: unknown): value is { readonly name: string } =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { name?: unknown }).name === 'string' &&
  ['dtype', 'sequence', 'list', 'struct'].some((key) => key in value);

/** A list, or an object with the numbers as its keys. */
function listOfNames(names: unknown): readonly string[] | null {
  if (typeof names !== 'object' || names === null) return null;
  const list: readonly unknown[] = Array.isArray(names)
    ? names
    : Object.keys(names).map((_, number) => (names as Record<string, unknown>)[number]);
  return list.length > 0 && list.every((name) => typeof name === 'string') ? list : null;
}

/**
 * The names that a request gives, by the columns of the file: it may call a column by its name there, or by ours.
 * @param rows the first of the file
 * @throws UnreadableFileError when it names one column both ways
 */
export function namesByColumn(
  asked: LabelNamesOfColumns,
  rows: readonly JsonObject[],
  datasetType: DatasetType,
  columnMapping: ColumnMapping,
): LabelNamesOfColumns {
  const columns = [...new Set(rows.flatMap(Object.keys))];
  const found = new Map<string, string>();
  for (const name of Object.keys(asked)) {
    const mapped = Object.hasOwn(columnMapping, name) ? columnMapping[name]! : name;
    const column = columns.includes(mapped)
      ? mapped
      : (columns.find((each) => ownColumn(datasetType, each) === mapped) ?? mapped);
    const other = found.get(column);
    if (other !== undefined)
      throw new UnreadableFileError(
        `label_names has names for the column ${JSON.stringify(column)} twice, as ${JSON.stringify(other)} and as ${JSON.stringify(name)}`,
      );
    found.set(column, name);
  }
  return Object.fromEntries([...found].map(([column, name]) => [column, asked[name]!]));
}

/**
 * Columns of lists that say 1 for each name that a row has: lists as long as the names, of 0 and 1, in every row.
 * @param rows the first of the file
 * @throws UnreadableFileError for lists that may as well be the numbers of the names
 */
export function oneHotColumns(rows: readonly JsonObject[], columns: LabelNamesOfColumns): readonly string[] {
  return Object.entries(columns).flatMap(([column, names]) => {
    const lists = rows.map((row) => valueOf(row, column) ?? null).filter((list) => list !== null);
    if (!isNames(names) || lists.length === 0 || !lists.every((list) => isOneHot(list, names))) return [];
    // Numbers of the tags of tokens.
    if (rows.every((row) => hasTokensFor(row, names.length))) return [];
    // Numbers would be in their order, and each of them once.
    if (lists.every((list) => (list as readonly Json[]).every((value, index) => value === index)))
      throw new UnreadableFileError(
        `${JSON.stringify(column)} is ${JSON.stringify(lists[0])} in each row: numbers of names (${names.join(', ')}), or 1 for each name ` +
          `that the row has (${namedIn(lists[0]!, names).join(', ')})? Write the names instead`,
      );
    return [column];
  });
}

const isOneHot = (list: Json, names: readonly string[]): boolean =>
  Array.isArray(list) &&
  list.length === names.length &&
  (list as readonly Json[]).every((value) => value === 0 || value === 1 || typeof value === 'boolean');

const hasTokensFor = (row: JsonObject, tags: number): boolean =>
  Object.values(row).some(
    (list) =>
      Array.isArray(list) &&
      list.length === tags &&
      (list as readonly Json[]).every((each) => typeof each === 'string'),
  );

const namedIn = (list: Json, names: readonly string[]): readonly string[] =>
  names.filter((_, index) => Boolean((list as readonly Json[])[index]));

/**
 * A row with its numbers replaced by their names; -1 means no value.
 * @param oneHot columns whose lists say 1 for each name
 */
export function withLabelNames(
  source: SourceRow,
  columns: LabelNamesOfColumns,
  oneHot: readonly string[] = [],
): SourceRow {
  const { value } = source;
  if (value === undefined) return source;
  let row: JsonObject | null = null;
  for (const column in columns) {
    const before = valueOf(row ?? value, column);
    if (before === undefined) continue;
    if (oneHot.includes(column) && before !== null) {
      const names = columns[column] as readonly string[];
      if (!isOneHot(before, names))
        return {
          error: { field: column, reason: `must be ${names.length} values 0 or 1, as in the first rows` },
          raw: value,
        };
      row = withValue(row ?? value, column, namedIn(before, names));
      continue;
    }
    try {
      const after = named(before, columns[column]!);
      if (after !== before) row = withValue(row ?? value, column, after);
    } catch (error) {
      if (error instanceof NoSuchNumberError) return { error: { field: column, reason: error.message }, raw: value };
      throw error;
    }
  }
  return row === null ? source : { value: row, given: value };
}

/** Columns that no row has. @param rows the first of the file */
export const unusedColumns = (rows: readonly JsonObject[], columns: LabelNamesOfColumns): readonly string[] =>
  Object.keys(columns).filter((column) => rows.every((row) => valueOf(row, column) === undefined));

/** What a row has in a column; `labels.topic` is also the key `topic` of its `labels`. */
function valueOf(row: JsonObject, column: string): Json | undefined {
  if (Object.hasOwn(row, column)) return row[column];
  const task = column.slice(TASK_COLUMN.length);
  return isTaskColumn(column) && isObject(row.labels) && Object.hasOwn(row.labels, task) ? row.labels[task] : undefined;
}

const withValue = (row: JsonObject, column: string, value: Json): JsonObject =>
  Object.hasOwn(row, column)
    ? { ...row, [column]: value }
    : { ...row, labels: { ...(row.labels as JsonObject), [column.slice(TASK_COLUMN.length)]: value } };

class NoSuchNumberError extends Error {}

function named(value: Json, names: LabelNames): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((entry) => named(entry, names));
  if (isNames(names)) {
    const number = numberOf(value, names);
    if (number === null) return value;
    if (number === NO_LABEL) return null;
    const name = names[number];
    if (name === undefined)
      throw new NoSuchNumberError(`${number} has no name; label_names has names for 0 to ${names.length - 1}`);
    return name;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, field]): [string, Json | undefined] => {
    const inside = Object.hasOwn(names, key) ? names[key] : undefined;
    return [key, inside === undefined || field === undefined ? field : named(field, inside)];
  });
  return Object.fromEntries(entries);
}

/** The cells of a file without types are texts. */
function numberOf(value: Json, names: readonly string[]): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^(?:-1|\d{1,9})(?:\.0+)?$/.test(value) && !names.includes(value)
    ? Number(value)
    : null;
}

const isNames = (names: LabelNames): names is readonly string[] => Array.isArray(names);
