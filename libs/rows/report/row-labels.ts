import type { DatasetType } from '#domain/dataset/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { callsIn, callsText } from '../formats/rows/calls.js';
import { tasksOf } from '../formats/rows/class-tasks.js';
import { plainValueOf } from '../formats/rows/field-values.js';
import { isObject, listOf } from '../formats/rows/kinds.js';
import { isPair } from '../formats/rows/preferences.js';
import { distinct, repeatedEntities } from '../formats/rows/repeated.js';
import { normalised } from './normalised.js';

/** Labels of a row for a head. */
export interface RowLabels {
  /** One of `HEADS`, or a classification task by its name. */
  readonly head: string;
  /** A label for each time that the row has it. */
  readonly labels: readonly string[];
  /** The same for rows with the same labels, whatever the order and spelling of their spans. */
  readonly meaning: string;
}

/**
 * The text of a stored row that a model would read: `text`; for a chat the part before its last message; for a pair the
 * prompt and both answers, in one order whichever is chosen. Null for rows of tables, whose columns have other names,
 * and for free rows.
 */
export function textOf(row: JsonObject, datasetType: DatasetType): string | null {
  if (isTable(datasetType)) return null;
  if (datasetType !== 'decoder') return typeof row.text === 'string' ? row.text : null;
  return isPair(row)
    ? [...contentsOf(row.prompt), ...[row.chosen, row.rejected].map(stringOf).sort()].join('\n')
    : contentsOf(row.messages).slice(0, -1).join('\n');
}

const contentsOf = (messages: Json | undefined): string[] => listOf(messages).map(saidIn);

/** What a message says, with its calls. */
function saidIn(message: Json | undefined): string {
  const { content, ...own } = objectOf(message);
  const calls = callsIn(own);
  return [stringOf(content), ...(calls.length > 0 ? [callsText(calls)] : [])].filter(Boolean).join('\n');
}

/**
 * Labels of a stored row by head. An absent key means unlabelled; an empty list means that there is nothing of that
 * kind.
 */
export function labelsOf(row: JsonObject, datasetType: DatasetType): RowLabels[] {
  if (isTable(datasetType)) return [];
  if (datasetType === 'decoder') return [isPair(row) ? choiceOf(row) : replyOf(row)];
  const { entities, label, labels, json_structures: structures, relations } = row;
  const tasks = tasksOf(row);
  return [
    ...(entities === undefined ? [] : [entityLabels(listOf(entities))]),
    ...(tasks ?? []).map(({ task, labels: own }) => ({ ...classLabels(own), head: task })),
    ...((label === undefined && labels === undefined) || tasks !== null
      ? []
      : [classLabels(label === undefined ? listOf(labels) : [label])]),
    ...(structures === undefined ? [] : [structureLabels(listOf(structures))]),
    ...(relations === undefined ? [] : [relationLabels(listOf(relations))]),
  ];
}

const isTable = (datasetType: DatasetType): boolean => datasetType === 'records' || datasetType === 'fields';

/** Replies have no labels; two different ones to the same messages still contradict each other. */
const replyOf = ({ messages }: JsonObject): RowLabels => ({
  head: 'messages',
  labels: [],
  meaning: normalised(saidIn(listOf(messages).at(-1))),
});

/** The same pair with the other answer chosen is a contradiction. */
const choiceOf = ({ chosen }: JsonObject): RowLabels => ({
  head: 'preferences',
  labels: [],
  meaning: normalised(stringOf(chosen)),
});

/** Rows of the other heads contain expected or preferred answers instead of labels. */
export const hasLabels = (head: string): boolean => head !== 'messages' && head !== 'preferences';

function entityLabels(entities: readonly Json[]): RowLabels {
  const repeated = repeatedEntities(entities);
  const found = repeated.size === 0 ? entities : entities.filter((_, index) => !repeated.has(index));
  const pairs = found.map((entity) => {
    if (Array.isArray(entity)) return [stringOf(entity[0] as Json), stringOf(entity[1] as Json)] as const;
    const { text, span, label } = objectOf(entity);
    return [stringOf(text ?? span), stringOf(label)] as const;
  });
  const labels = pairs.map(([, label]) => label);
  return { head: 'entities', labels, meaning: meaningOf(pairs.map(([span, label]) => [label, normalised(span)])) };
}

function classLabels(classes: readonly Json[]): RowLabels {
  const labels = classes.map(stringOf);
  return { head: 'classification', labels, meaning: meaningOf(labels) };
}

function structureLabels(structures: readonly Json[]): RowLabels {
  const labels: string[] = [];
  const records = structures.flatMap((instance) =>
    Object.entries(objectOf(instance)).map(([name, fields]): Json => {
      const values = Object.entries(objectOf(fields)).map(([field, value]): Json => {
        const entries = Array.isArray(value) ? (value as readonly Json[]) : [value ?? null];
        for (const _ of entries) labels.push(`${name}.${field}`);
        return [field, ...entries.map((entry) => normalised(stringOf(plainValueOf(entry)))).sort()];
      });
      return [name, meaningOf(values)];
    }),
  );
  return { head: 'structures', labels, meaning: meaningOf(records) };
}

function relationLabels(relations: readonly Json[]): RowLabels {
  const found = distinct(relations.flatMap((instance) => Object.entries(objectOf(instance))));
  const triples = found.map(([type, ends]) => {
    const { head, tail } = objectOf(ends);
    return [type, normalised(stringOf(head)), normalised(stringOf(tail))];
  });
  return { head: 'relations', labels: found.map(([type]) => type), meaning: meaningOf(triples) };
}

const meaningOf = (entries: readonly Json[]): string =>
  entries
    .map((entry) => JSON.stringify(entry))
    .sort()
    .join();

const stringOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
