import type { DatasetType, Head } from '#domain/dataset/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { FileLimits } from '../limits.js';
import { isTaskColumn, TASK_COLUMN, taskProblems, tasksOf, type TaskLabels } from './class-tasks.js';
import { relationLabels, structureFields, type StructureField, type StructureFields } from './copied.js';
import { isObject, kind, notList, type FieldProblem, type Labels } from './kinds.js';
import { messageProblems } from './messages.js';
import { mistakenHead } from './near-names.js';
import { hasAnswer, isPair, preferenceProblems } from './preferences.js';
import { areCopied, locateSpans, quote } from './spans.js';

export type { FieldProblem };

/** The one of some kinds of rows that all rows of a dataset are. */
export type RowMode = 'label' | 'labels' | 'tasks' | 'messages' | 'preferences';

/** The contents of a valid row. */
export interface RowContents {
  readonly heads: readonly Head[];
  readonly entityLabels: readonly string[];
  readonly classLabels: readonly string[];
  readonly classTasks: readonly TaskLabels[];
  readonly relations: readonly string[];
  readonly structureFields: readonly StructureField[];
  readonly mode: RowMode | null;
  /** Whether a decoder row describes tools. */
  readonly hasTools: boolean;
}

type RowVerdict = { readonly contents: RowContents } | { readonly problems: readonly FieldProblem[] };

/** Validates a canonical row and summarises its content. The head columns present decide what is checked. */
export function validateRow(row: JsonObject, datasetType: DatasetType, limits: FileLimits): RowVerdict {
  if (datasetType === 'decoder') return validateDecoderRow(row);
  // The columns have the fields' own names, so `label` has no meaning there.
  if (datasetType === 'records' || datasetType === 'fields') return { contents: NOTHING };
  const heads = headsOf(row);
  if (heads.length === 0) return withoutHeads(row, datasetType);
  const problems = textProblems(row);
  const text = typeof row.text === 'string' ? row.text : '';
  const entities = row.entities === undefined ? NO_LABELS : entityLabels(text, row.entities);
  const classes = classLabels(row);
  const beside =
    row.labels === undefined ? undefined : Object.keys(row).find((key) => isTaskColumn(key) && row[key] !== null);
  const structures = row.json_structures === undefined ? NO_FIELDS : structureFields(text, row.json_structures);
  const relations = row.relations === undefined ? NO_LABELS : relationLabels(text, row.relations);
  if (beside !== undefined)
    problems.push({ field: beside, reason: 'stands beside labels; a row has one or the other' });
  for (const found of [entities, classes, structures, relations])
    if (found.problems.length > 0) problems.push(...found.problems);
  for (const { labels } of [entities, classes, relations])
    for (const label of labels) if (label.length > limits.labelLength) problems.push(tooLong('label', label, limits));
  for (const { structure, field, choices } of structures.fields) {
    for (const name of [structure, field])
      if (name.length > limits.labelLength) problems.push(tooLong('name', name, limits));
    for (const choice of choices)
      if (choice.length > limits.labelLength) problems.push(tooLong('choice', choice, limits));
  }
  if (isObject(row.labels))
    for (const task in row.labels) if (task.length > limits.labelLength) problems.push(tooLong('task', task, limits));
  return verdict(problems, {
    heads,
    entityLabels: entities.labels,
    classLabels: classes.labels,
    classTasks: problems.length > 0 ? [] : (tasksOf(row) ?? []),
    relations: relations.labels,
    structureFields: structures.fields,
    mode: modeOf(row),
    hasTools: false,
  });
}

function modeOf({ label, labels }: JsonObject): RowMode | null {
  if (label !== undefined) return 'label';
  if (labels === undefined) return null;
  return isObject(labels) ? 'tasks' : 'labels';
}

function validateDecoderRow(row: JsonObject): RowVerdict {
  const isPreference = isPair(row) || ((row.messages ?? null) === null && hasAnswer(row));
  const contents = { ...NOTHING, hasTools: (row.tools ?? null) !== null };
  return isPreference
    ? verdict(preferenceProblems(row), { ...contents, heads: ['preferences'], mode: 'preferences' })
    : verdict(messageProblems(row), { ...contents, heads: ['messages'], mode: 'messages' });
}

function headsOf(row: JsonObject): Head[] {
  const heads: Head[] = [];
  if (row.entities !== undefined) heads.push('entities');
  if (row.label !== undefined || row.labels !== undefined) heads.push('classification');
  if (row.json_structures !== undefined) heads.push('structures');
  if (row.relations !== undefined) heads.push('relations');
  return heads;
}

const tooLong = (what: string, label: string, limits: FileLimits): FieldProblem => ({
  field: '',
  reason: `the ${what} ${quote(label)} is longer than ${limits.labelLength} characters`,
});

/** Limit for one row. */
const MAX_ENTITIES = 20_000;
/** Characters of the text times different spans: each is looked for through the whole text. */
const MAX_SEARCHED_CHARACTERS = 2_000_000_000;

const spanOf = (entry: Json): unknown =>
  Array.isArray(entry) ? entry[0] : isObject(entry) ? (entry.text ?? entry.span) : null;

const NO_LABELS: Labels = { labels: [], problems: [] };
const NO_FIELDS: StructureFields = { fields: [], problems: [] };
const NOTHING: RowContents = {
  heads: [],
  entityLabels: [],
  classLabels: [],
  classTasks: [],
  relations: [],
  structureFields: [],
  mode: null,
  hasTools: false,
};

const verdict = (problems: readonly FieldProblem[], contents: RowContents): RowVerdict =>
  problems.length > 0 ? { problems } : { contents };

function withoutHeads(row: JsonObject, datasetType: DatasetType): RowVerdict {
  const mistaken = mistakenHead(row);
  if (mistaken !== null) {
    const reason = `is no key of a row; did you mean ${mistaken.head}? column_mapping says so, as in ${JSON.stringify({ [mistaken.head]: mistaken.key })}`;
    return verdict([{ field: mistaken.key, reason }], NOTHING);
  }
  if (datasetType === 'custom') return { contents: NOTHING };
  const [field, shape] =
    datasetType === 'classification'
      ? ['label', '{"text": ..., "label": ...}']
      : ['entities', '{"text": ..., "entities": [[span, label], ...]}'];
  const own = `is missing: a row of a ${datasetType} dataset is ${shape}; ${columnsOf(row)}`;
  return verdict([...textProblems(row), { field, reason: own }], NOTHING);
}

const SHOWN_COLUMNS = 5;

/** A hint for files with other column names or another separator. */
function columnsOf(row: JsonObject): string {
  const names = Object.keys(row);
  const shown = names.slice(0, SHOWN_COLUMNS).map(quote).join(', ');
  const more = names.length > SHOWN_COLUMNS ? ', ...' : '';
  return `this one has ${shown === '' ? 'no column' : shown + more}; column_mapping says which column is which`;
}

function textProblems(row: JsonObject): FieldProblem[] {
  if (row.text === undefined || row.text === null) return [{ field: 'text', reason: 'is missing' }];
  if (typeof row.text !== 'string') return [{ field: 'text', reason: `must be a string, is ${kind(row.text)}` }];
  return row.text.trim() === '' ? [{ field: 'text', reason: 'is empty' }] : [];
}

function entityLabels(text: string, value: Json): Labels {
  if (!Array.isArray(value)) return { labels: [], problems: notList('entities', value) };
  if (value.length > MAX_ENTITIES)
    return { labels: [], problems: [{ field: 'entities', reason: `has more than ${MAX_ENTITIES} entries` }] };
  const entries = value as readonly Json[];
  if (areCopied(text, entries)) return { labels: entries.map((entry) => entry[1]), problems: [] };
  if (text.length * new Set(entries.map(spanOf)).size > MAX_SEARCHED_CHARACTERS)
    return {
      labels: [],
      problems: [{ field: 'entities', reason: 'has too many entries for so long a text; split the row' }],
    };
  const { spans, problems } = locateSpans(text, entries);
  return {
    labels: spans.map((span) => span.label),
    problems: problems.map(({ index, field, reason }) => ({
      field: `entities[${index}]${field && `.${field}`}`,
      reason,
    })),
  };
}

function classLabels({ label, labels }: JsonObject): Labels {
  if (label !== undefined && labels !== undefined)
    return {
      labels: [],
      problems: [{ field: labelsField(labels), reason: 'stands beside label; a row has one or the other' }],
    };
  if (label !== undefined)
    return isLabel(label)
      ? { labels: [label], problems: [] }
      : {
          labels: [],
          problems: [{ field: 'label', reason: `${notLabel(label)}${areTasks(label) ? TASKS_MEANT : ''}` }],
        };
  if (labels === undefined) return NO_LABELS;
  if (isObject(labels)) {
    if (isOneHotByName(labels)) return { labels: [], problems: [{ field: 'labels', reason: namesMeant(labels) }] };
    const problems = taskProblems(labels, (value) => (isLabel(value) ? null : notLabel(value)), listProblems);
    return {
      labels: Object.values(labels)
        .flat()
        .filter((each) => isLabel(each ?? null)) as string[],
      problems,
    };
  }
  if (!Array.isArray(labels)) return { labels: [], problems: notList('labels', labels) };
  const list = labels as readonly Json[];
  return { labels: list.filter(isLabel), problems: listProblems(list, 'labels') };
}

/** `labels`, or the first of its tasks: a column of a table that has such columns. */
function labelsField(labels: Json): string {
  const [task] = isObject(labels) ? Object.keys(labels) : [];
  return task === undefined ? 'labels' : TASK_COLUMN + task;
}

function listProblems(list: readonly Json[], at: string): FieldProblem[] {
  const seen = new Set<string>();
  return list.flatMap((entry, index): FieldProblem[] => {
    const field = `${at}[${index}]`;
    if (!isLabel(entry)) return [{ field, reason: notLabel(entry) }];
    if (seen.has(entry)) return [{ field, reason: `${quote(entry)} is there twice` }];
    seen.add(entry);
    return [];
  });
}

const areTasks = (label: Json): boolean =>
  isObject(label) && Object.values(label).every((each) => Array.isArray(each) || isLabel(each ?? null));
const TASKS_MEANT = '; classes by task stand under labels: column_mapping says so, as in {"labels":"label"}';

/** Whether classes say 1 or 0 for each name. */
const isOneHotByName = (labels: JsonObject): boolean =>
  Object.keys(labels).length > 1 && Object.values(labels).every((each) => [0, 1, true, false].includes(each as number));
const namesMeant = (labels: JsonObject): string =>
  `has 0 or 1 for each name: write the names that the row has, as in {"labels": ${JSON.stringify(Object.keys(labels).filter((name) => Boolean(labels[name])))}}; ` +
  'if they are tasks, label_names says which names the numbers of each stand for';

const isLabel = (value: Json): value is string => typeof value === 'string' && value.trim() !== '';
const notLabel = (value: Json): string =>
  typeof value === 'string' ? 'is empty' : `must be a string, is ${kind(value)}${mendOf(value)}`;

const mendOf = (value: Json): string =>
  typeof value === 'number'
    ? '; label_names says which names numbers stand for'
    : typeof value === 'boolean'
      ? `; write it as text: "${value}"`
      : '';
