import type { DatasetType, Head } from '#domain/dataset/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { FileLimits } from '../limits.js';
import { HEAD_COLUMNS } from './columns.js';
import { locateSpans, quote } from './spans.js';

export interface FieldProblem {
  /** `entities[2].start`; empty when it is the row as a whole. */
  readonly field: string;
  readonly reason: string;
}

/** What a valid row holds. */
export interface RowContents {
  readonly heads: readonly Head[];
  readonly entityLabels: readonly string[];
  readonly classLabels: readonly string[];
  /** Labels of structures and relations. */
  readonly otherLabels: readonly string[];
  /** `label` or `labels`; null when the row says nothing about classes. */
  readonly mode: 'label' | 'labels' | null;
}

export type RowVerdict = { readonly contents: RowContents } | { readonly problems: readonly FieldProblem[] };

/** Says what is wrong with a canonical row, or what it holds. The head columns that it carries decide what is looked at. */
export function validateRow(row: JsonObject, datasetType: DatasetType, limits: FileLimits): RowVerdict {
  if (datasetType === 'decoder') return verdict(messageProblems(row), { ...NOTHING, heads: ['messages'] });
  // Their columns have the names that somebody gave their fields: `label` means nothing there.
  if (datasetType === 'records' || datasetType === 'fields') return { contents: NOTHING };
  const columns = Object.keys(HEAD_COLUMNS).filter((column) => row[column] !== undefined);
  if (columns.length === 0) return withoutHeads(row, datasetType);
  const problems = textProblems(row);
  const text = typeof row.text === 'string' ? row.text : '';
  const entities = row.entities === undefined ? NO_LABELS : entityLabels(text, row.entities);
  const classes = classLabels(row);
  const structures = row.json_structures === undefined ? NO_LABELS : structureLabels(text, row.json_structures);
  const relations = row.relations === undefined ? NO_LABELS : relationLabels(text, row.relations);
  for (const found of [entities, classes, structures, relations]) problems.push(...found.problems);
  for (const { labels } of [entities, classes, structures, relations])
    for (const label of labels)
      if (label.length > limits.labelLength)
        problems.push({
          field: '',
          reason: `the label ${quote(label)} is longer than ${limits.labelLength} characters`,
        });
  return verdict(problems, {
    heads: [...new Set(columns.flatMap((column) => HEAD_COLUMNS[column] ?? []))],
    entityLabels: entities.labels,
    classLabels: classes.labels,
    otherLabels: [...structures.labels, ...relations.labels],
    mode: row.label !== undefined ? 'label' : row.labels !== undefined ? 'labels' : null,
  });
}

/** Of one row. */
const MOST_ENTITIES = 20_000;
/** Characters of the text times different spans: each is looked for through the whole text. */
const MOST_SEARCHING = 2_000_000_000;

const spanOf = (entry: Json): unknown =>
  Array.isArray(entry) ? entry[0] : isObject(entry) ? (entry.text ?? entry.span) : null;

interface Labels {
  readonly labels: readonly string[];
  readonly problems: readonly FieldProblem[];
}

const NO_LABELS: Labels = { labels: [], problems: [] };
const NOTHING: RowContents = { heads: [], entityLabels: [], classLabels: [], otherLabels: [], mode: null };

const verdict = (problems: readonly FieldProblem[], contents: RowContents): RowVerdict =>
  problems.length > 0 ? { problems } : { contents };

function withoutHeads(row: JsonObject, datasetType: DatasetType): RowVerdict {
  if (datasetType === 'custom') return { contents: NOTHING };
  const [field, shape] =
    datasetType === 'classification'
      ? ['label', '{"text": ..., "label": ...}']
      : ['entities', '{"text": ..., "entities": [[span, label], ...]}'];
  const own = `is missing: a row of a ${datasetType} dataset is ${shape}`;
  return verdict([...textProblems(row), { field, reason: own }], NOTHING);
}

function textProblems(row: JsonObject): FieldProblem[] {
  if (row.text === undefined || row.text === null) return [{ field: 'text', reason: 'is missing' }];
  if (typeof row.text !== 'string') return [{ field: 'text', reason: `must be a string, is ${kind(row.text)}` }];
  return row.text.trim() === '' ? [{ field: 'text', reason: 'is empty' }] : [];
}

function entityLabels(text: string, value: Json): Labels {
  if (!Array.isArray(value)) return notList('entities', value);
  if (value.length > MOST_ENTITIES)
    return { labels: [], problems: [{ field: 'entities', reason: `has more than ${MOST_ENTITIES} entries` }] };
  const entries = value as readonly Json[];
  if (text.length * new Set(entries.map(spanOf)).size > MOST_SEARCHING)
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
    return { labels: [], problems: [{ field: 'labels', reason: 'stands beside label; a row has one or the other' }] };
  if (label !== undefined)
    return isLabel(label)
      ? { labels: [label], problems: [] }
      : { labels: [], problems: [{ field: 'label', reason: notLabel(label) }] };
  if (labels === undefined) return NO_LABELS;
  if (!Array.isArray(labels)) return notList('labels', labels);
  const list = labels as readonly Json[];
  const seen = new Set<string>();
  const problems = list.flatMap((entry, index): FieldProblem[] => {
    const field = `labels[${index}]`;
    if (!isLabel(entry)) return [{ field, reason: notLabel(entry) }];
    if (seen.has(entry)) return [{ field, reason: `${quote(entry)} is there twice` }];
    seen.add(entry);
    return [];
  });
  return { labels: list.filter(isLabel), problems };
}

/** `[{<structure>: {<field>: span or list of spans}}]`, every value verbatim in the text. */
function structureLabels(text: string, value: Json): Labels {
  if (!Array.isArray(value)) return notList('json_structures', value);
  const labels: string[] = [];
  const problems: FieldProblem[] = [];
  for (const [index, instance] of (value as readonly Json[]).entries()) {
    const at = `json_structures[${index}]`;
    if (!isObject(instance) || Object.keys(instance).length === 0) {
      problems.push({ field: at, reason: 'must be {<structure>: {<field>: <value>}}' });
      continue;
    }
    for (const [name, fields] of Object.entries(instance)) {
      if (!isObject(fields)) {
        problems.push({ field: `${at}.${name}`, reason: `must be {<field>: <value>}, is ${kind(fields)}` });
        continue;
      }
      for (const [field, content] of Object.entries(fields)) {
        labels.push(`${name}.${field}`);
        const values = Array.isArray(content) ? (content as readonly Json[]) : [content];
        for (const [position, entry] of values.entries()) {
          const place = `${at}.${name}.${field}${Array.isArray(content) ? `[${position}]` : ''}`;
          problems.push(...verbatimProblems(text, place, entry));
        }
      }
    }
  }
  return { labels, problems };
}

/** `[{<relation>: {head, tail}}]`, both verbatim in the text. */
function relationLabels(text: string, value: Json): Labels {
  if (!Array.isArray(value)) return notList('relations', value);
  const labels: string[] = [];
  const problems: FieldProblem[] = [];
  for (const [index, instance] of (value as readonly Json[]).entries()) {
    const at = `relations[${index}]`;
    if (!isObject(instance) || Object.keys(instance).length === 0) {
      problems.push({ field: at, reason: 'must be {<relation>: {head, tail}}' });
      continue;
    }
    for (const [name, ends] of Object.entries(instance)) {
      labels.push(name);
      if (!isObject(ends)) {
        problems.push({ field: `${at}.${name}`, reason: `must be {head, tail}, is ${kind(ends)}` });
        continue;
      }
      for (const end of ['head', 'tail']) problems.push(...verbatimProblems(text, `${at}.${name}.${end}`, ends[end]));
    }
  }
  return { labels, problems };
}

function verbatimProblems(text: string, field: string, value: Json | undefined): FieldProblem[] {
  if (value === undefined || value === null) return [{ field, reason: 'has no value; leave it out or fill it in' }];
  if (typeof value !== 'string') return [{ field, reason: `must be a string copied from text, is ${kind(value)}` }];
  if (value === '') return [{ field, reason: 'is empty' }];
  return text.includes(value) ? [] : [{ field, reason: `${quote(value)} does not occur in text` }];
}

const ROLES = ['system', 'user', 'assistant', 'tool'];

function messageProblems({ messages }: JsonObject): FieldProblem[] {
  if (messages === undefined || messages === null)
    return [{ field: 'messages', reason: 'is missing: a decoder row is {"messages": [{"role", "content"}, ...]}' }];
  if (!Array.isArray(messages)) return [...notList('messages', messages).problems];
  const list = messages as readonly Json[];
  const problems = list.flatMap((message, index): FieldProblem[] => {
    const at = `messages[${index}]`;
    if (!isObject(message)) return [{ field: at, reason: `must be {role, content}, is ${kind(message)}` }];
    const { role, content } = message;
    if (typeof role !== 'string' || !ROLES.includes(role))
      return [{ field: `${at}.role`, reason: `must be one of ${ROLES.join(', ')}` }];
    return typeof content === 'string'
      ? []
      : [{ field: `${at}.content`, reason: `must be a string, is ${kind(content)}` }];
  });
  if (problems.length > 0) return problems;
  const last = list.at(-1);
  return isObject(last) && last.role === 'assistant'
    ? []
    : [{ field: 'messages', reason: 'must end with what the assistant should answer' }];
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isLabel = (value: Json): value is string => typeof value === 'string' && value.trim() !== '';
const notLabel = (value: Json): string =>
  typeof value === 'string' ? 'is empty' : `must be a string, is ${kind(value)}`;

function notList(field: string, value: Json): Labels {
  const example = field === 'labels' ? '["red","fast"]' : '[["Ada","person"]]';
  const inCsv = typeof value === 'string' ? `; in CSV a list is written as JSON: ${example}` : '';
  return { labels: [], problems: [{ field, reason: `must be a list, is ${kind(value)}${inCsv}` }] };
}

function kind(value: Json | undefined): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
