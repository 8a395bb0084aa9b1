import type { ClassTask } from '#domain/dataset/index.js';
import { textsAsked } from '#domain/inference/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { recordedSchema } from '#calls/schema/client-schema.js';
import type { FieldQuery } from '#gpu-runner/contract/schema.js';
import { isRecord } from '#primitives/values.js';

/** A recorded call, as the history has it. */
export interface CallInHistory {
  readonly task: string;
  readonly input: Json;
  readonly output: Json;
  /**
   * Labels of the trained model that answered, in case it was called for its own labels; null for other models or if
   * unknown.
   */
  readonly ownLabels: readonly string[] | null;
  /** Its classification tasks, if it learned several by name. */
  readonly ownTasks?: readonly ClassTask[];
}

/** The request of a call of an encoder. */
export interface AskedOfEncoder {
  /** Texts in order; null if unknown from the record. */
  readonly texts: readonly string[] | null;
  /** Whether the answer is a list with one result per text. */
  readonly isBatch: boolean;
  readonly entities: AskedEntities | null;
  /** Classifications by the key of the result. */
  readonly classifications: ReadonlyMap<string, AskedClasses>;
  /** By the key of the result; null: any. */
  readonly structures: ReadonlyMap<string, AskedFields> | null;
  /** Fields, by `ownField`, of which the answer had a learned choice: which others the model learned is not recorded. */
  readonly ownChoices: ReadonlySet<string>;
  readonly relations: AskedRelations | null;
}

/** By name; null: any, each a value or a list. */
export type AskedFields = ReadonlyMap<string, AskedField> | null;

export interface AskedField {
  readonly isList: boolean;
  /** The permitted values, which need not occur in the text; null: values must occur in it. */
  readonly choices: ReadonlySet<string> | 'any' | null;
}

export interface AskedRelations {
  /** null: any. */
  readonly names: ReadonlySet<string> | null;
}

export interface AskedEntities {
  /** null: any. */
  readonly labels: ReadonlySet<string> | null;
  /** Labels with at most one value, which need no list. */
  readonly scalar: ReadonlySet<string>;
}

export interface AskedClasses {
  /** null: any. */
  readonly labels: ReadonlySet<string> | null;
  /** null: one label, or a list of them. */
  readonly isList: boolean | null;
}

/** Derives the request from the caller's input or, for a trained model's own labels, from its output. */
export function askedOf({ task, input, output, ownLabels, ownTasks = [] }: CallInHistory): AskedOfEncoder {
  const fields = isRecord(input) ? input : {};
  const { texts, isBatch } = textsAsked(input);
  const schema = recordedSchema(task, schemaIn(fields));
  const answered = ownChoices(texts ?? [], isBatch ? ((output as readonly Json[] | null) ?? []) : [output]);
  if (schema === null)
    return {
      ...{ texts, isBatch, ownChoices: answered },
      ...ownHeads(isBatch ? (output as readonly Json[] | null)?.[0] : output, ownLabels, ownTasks),
    };
  const { entities, classifications, structures, relations } = schema;
  const scalar = entities?.flatMap(({ name, dtype }) => (dtype === 'str' ? [name] : []));
  return {
    texts,
    isBatch,
    entities: entities && { labels: new Set(entities.map(({ name }) => name)), scalar: new Set(scalar) },
    classifications: new Map(
      classifications?.map(({ task: key, labels, multiLabel, topK }) => [
        key,
        { labels: new Set(labels), isList: multiLabel || topK !== undefined },
      ]),
    ),
    structures: new Map(structures?.map(({ name, fields }) => [name, new Map(fields.map(askedField))])),
    relations: relations && { names: new Set(relations.map(({ name }) => name)) },
    ownChoices: answered,
  };
}

const askedField = ({ name, dtype, choices }: FieldQuery): [string, AskedField] => [
  name,
  { isList: dtype === 'list', choices: choices ? new Set(choices) : null },
];

/** Keys of a result that are no structure. */
const OWN_HEADS = ['entities', 'classification', 'relation_extraction'];

/** A trained model answers with its own heads; a failed answer does not show which. */
function ownHeads(
  output: Json | undefined,
  ownLabels: readonly string[] | null,
  ownTasks: readonly ClassTask[],
): Pick<AskedOfEncoder, 'entities' | 'classifications' | 'structures' | 'relations'> {
  const found = isRecord(output) ? output : null;
  const labels = ownLabels && new Set(ownLabels);
  const has = (head: string) => found === null || found[head] !== undefined;
  const classes = new Map<string, AskedClasses>(
    ownTasks
      .filter(({ name }) => has(name))
      .map((each) => [each.name, { labels: new Set(each.labels), isList: each.multiLabel }]),
  );
  if (has('classification') && (found !== null || ownTasks.length === 0))
    classes.set('classification', { labels, isList: found ? Array.isArray(found['classification']) : null });
  for (const [name, value] of Object.entries(found ?? {}))
    if (ownLabels === null && !OWN_HEADS.includes(name) && isClasses(value))
      classes.set(name, { labels, isList: Array.isArray(value) });
  return {
    entities: has('entities') ? { labels, scalar: new Set() } : null,
    classifications: classes,
    structures:
      found &&
      new Map(
        Object.keys(found).flatMap((name) => (OWN_HEADS.includes(name) || classes.has(name) ? [] : [[name, null]])),
      ),
    relations: has('relation_extraction') ? { names: labels } : null,
  };
}

/** Whether a value of an answer is a class, or a list of some: no structure is. */
const isClasses = (value: unknown): boolean => {
  const each = listOf(value);
  return each.length > 0 && each.every(isClassHit);
};

const isClassHit = (value: unknown): boolean =>
  typeof value === 'string' ||
  (isRecord(value) &&
    typeof value['label'] === 'string' &&
    Object.keys(value).every((key) => key === 'label' || key === 'confidence'));

export const ownField = (structure: string, field: string): string => JSON.stringify([structure, field]);

/** Values of a field that are looked for in their texts: all are choices, or none is. */
const MAX_LOOKED = 20;

/** The fields of which a value does not occur in its text: a choice. */
function ownChoices(texts: readonly string[], results: readonly Json[]): ReadonlySet<string> {
  const looked = new Map<string, number>();
  const choices = new Set<string>();
  for (const [index, text] of texts.entries())
    for (const [structure, records] of entriesOf(results[index]))
      for (const [field, values] of listOf(records).flatMap(entriesOf))
        for (const value of listOf(values)) {
          const key = ownField(structure, field);
          const times = (looked.get(key) ?? 0) + 1;
          if (times > MAX_LOOKED) break;
          looked.set(key, times);
          const said = isRecord(value) ? value['text'] : value;
          if (typeof said === 'string' && !text.includes(said)) choices.add(key);
        }
  return choices;
}

const entriesOf = (value: unknown): [string, unknown][] => (isRecord(value) ? Object.entries(value) : []);
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];

/** Responses have it in `text.format`. */
function schemaIn({ schema, text }: JsonObject): Json | null {
  const format = isRecord(text) && isRecord(text['format']) ? text['format'] : null;
  return schema ?? format?.['schema'] ?? null;
}
