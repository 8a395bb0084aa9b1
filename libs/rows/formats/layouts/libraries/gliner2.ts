import type { Json, JsonObject } from '#domain/json.js';
import { isObject } from '../../rows/kinds.js';
import type { Layout, RowContext } from '../layout.js';

const HEADS = ['entities', 'classifications', 'json_structures', 'relations'];
const DESCRIPTIONS = ['entity_descriptions', 'json_descriptions', 'relation_descriptions'];

/**
 * Training rows of GLiNER2: `input`, and `output` by head.
 * @see https://github.com/fastino-ai/GLiNER2/blob/main/tutorial/8-train_data.md
 */
export const gliner2: Layout = {
  name: 'gliner2',
  title: 'GLiNER2 training rows',
  unit: 'rows',
  offsets: 'code points',
  needs: [
    { what: '"input" with a text', holds: (row) => typeof (row.input ?? row.text) === 'string' },
    { what: `"output" with ${HEADS.join(', ')}`, holds: (row) => headsIn(row).some((key) => HEADS.includes(key)) },
    {
      what: `no other keys in "output" than these and ${DESCRIPTIONS.join(', ')}`,
      holds: (row) => outputOf(row) !== null,
    },
  ],
  columnsIn: (rows) => [...new Set(rows.flatMap((row) => relationsIn(row).flatMap(endsOf)))],
  read(row, context) {
    const text = row.input ?? row.text;
    const output = outputOf(row);
    if (typeof text !== 'string' || output === null) {
      context.refuse('', `must have "input" and "output", with ${HEADS.join(', ')}, as the rows before it`);
      return [];
    }
    const { entities, classifications, json_structures: structures, relations } = output;
    if (DESCRIPTIONS.some((key) => output[key] !== undefined)) context.tell('with descriptions, which are not learned');
    return [
      {
        text,
        ...(isObject(entities) && { entities: pairsOf(entities) }),
        ...classesOf(Array.isArray(classifications) ? (classifications as readonly Json[]) : [], context),
        ...(Array.isArray(structures) && {
          json_structures: (structures as readonly Json[]).map(structureOf),
        }),
        ...(Array.isArray(relations) && { relations: relationsIn(row).map((each) => withEnds(each, context)) }),
      },
    ];
  },
};

/** `schema` beside `text` in older files. */
const valueIn = ({ input, output, text, schema }: JsonObject): Json | undefined =>
  input === undefined && text !== undefined ? schema : output;

function headsIn(row: JsonObject): readonly string[] {
  const value = valueIn(row);
  return isObject(value) ? Object.keys(value) : [];
}

function outputOf(row: JsonObject): JsonObject | null {
  const value = valueIn(row);
  if (!isObject(value)) return null;
  const keys = Object.keys(value);
  return keys.some((key) => HEADS.includes(key)) && keys.every((key) => [...HEADS, ...DESCRIPTIONS].includes(key))
    ? value
    : null;
}

/** `{label: [text]}` as `[text, label]`; null: there is none. */
const pairsOf = (entities: JsonObject): Json[] =>
  Object.entries(entities).flatMap(([label, texts = null]) =>
    (Array.isArray(texts) ? (texts as readonly Json[]) : texts === null ? [] : [texts]).map((text): Json => [
      text,
      label,
    ]),
  );

function classesOf(classifications: readonly Json[], context: RowContext): JsonObject {
  let classes: JsonObject = {};
  for (const each of classifications) {
    const { task, true_label, multi_label: isList } = isObject(each) ? each : ({} as JsonObject);
    const labels = (Array.isArray(true_label) ? (true_label as readonly Json[]) : [true_label ?? null]).filter(
      (label) => typeof label === 'string',
    );
    if (typeof task !== 'string' || (labels.length === 0 && !(isList === true && context.isTask(task))))
      context.tell('classifications without a task or a label left out');
    else classes = { ...classes, ...context.classes(task, labels, isList === true) };
  }
  return classes;
}

/** A structure without its empty fields. */
function structureOf(structure: Json): Json {
  if (!isObject(structure)) return structure;
  const entries = Object.entries(structure).map(([name, fields]): [string, Json] => {
    if (!isObject(fields)) return [name, fields ?? null];
    const kept = Object.entries(fields).filter(([, value]) => !isEmpty(isObject(value) ? value.value : value));
    return [name, Object.fromEntries<Json | undefined>(kept)];
  });
  return Object.fromEntries(entries);
}

const isEmpty = (value: Json | undefined): boolean => value === undefined || value === null || value === '';

const relationsIn = (row: JsonObject): readonly Json[] => {
  const { relations } = outputOf(row) ?? {};
  return Array.isArray(relations) ? (relations as readonly Json[]) : [];
};

/** The names of the two fields of each relation that does not call them head and tail, with its own name, as columns of the layout. */
function endsOf(relation: Json): readonly string[] {
  if (!isObject(relation)) return [];
  return Object.entries(relation).flatMap(([name, ends]) => {
    const fields = isObject(ends) ? Object.keys(ends) : [];
    const isNative = fields.includes('head') || fields.includes('tail');
    return fields.length === 2 && !isNative ? [JSON.stringify([name, ...fields])] : [];
  });
}

/** A relation with `head` and `tail`: the first and the second of its fields, in the order that its name has first in the file. */
function withEnds(relation: Json, context: RowContext): Json {
  if (!isObject(relation)) return relation;
  const entries = Object.entries(relation).map(([name, ends]): [string, Json] => {
    const [own] = endsOf({ [name]: ends });
    if (own === undefined || !isObject(ends)) return [name, ends ?? null];
    const [, ...fields] = JSON.parse(own) as string[];
    const known = context.columns
      .map((column) => JSON.parse(column) as string[])
      .find(([relationName, ...others]) => relationName === name && others.every((field) => fields.includes(field)));
    const [head, tail] = known?.slice(1) ?? fields;
    context.tell(
      `relations ${JSON.stringify(name)} from ${JSON.stringify(head)} (head) to ${JSON.stringify(tail)} (tail)`,
    );
    return [name, { head: ends[head!]!, tail: ends[tail!]! }];
  });
  return Object.fromEntries(entries);
}
