import { isRecord, type Fields } from '../json.js';

/** A schema: what each of an encoder's four heads is to find in a text. */
export interface Scheme {
  /** null: the text is not read for entities. */
  readonly entities: readonly Described[] | null;
  readonly tasks: readonly Task[];
  readonly structures: readonly Structure[];
  /** null: the text is not read for relations. */
  readonly relations: readonly Described[] | null;
}

/** A name with its meaning. */
export interface Described {
  readonly name: string;
  readonly description?: string;
}

/** A question about the whole text, answered by one of its labels or by several. */
export interface Task {
  readonly name: string;
  readonly labels: readonly string[];
  readonly multiple: boolean;
}

/** A kind of record. */
export interface Structure {
  readonly name: string;
  readonly fields: readonly Field[];
}

export interface Field extends Described {
  readonly isList: boolean;
  /** The only values; absent: values are stretches of the text. */
  readonly choices?: readonly string[];
}

export const NOTHING: Scheme = { entities: null, tasks: [], structures: [], relations: null };

export const isEmpty = ({ entities, tasks, structures, relations }: Scheme): boolean =>
  [entities ?? [], tasks, structures, relations ?? []].every(({ length }) => length === 0);

/** The `schema` of a call; null if nothing is requested, so that a trained model answers with its own labels. */
export function schemaOf(scheme: Scheme): string[] | Record<string, unknown> | null {
  if (isEmpty(scheme)) return null;
  const { entities, tasks, structures, relations } = scheme;
  const plain = entities?.every(({ description }) => !description);
  const names = entities?.map(({ name }) => name) ?? [];
  if (plain && tasks.length === 0 && structures.length === 0 && !relations?.length) return names;
  return {
    ...(names.length > 0 && { entities: plain ? names : mapOf(entities!) }),
    ...(tasks.length > 0 && {
      classifications: tasks.map(({ name, labels, multiple }) => ({
        task: name,
        labels,
        ...(multiple && { multi_label: true }),
      })),
    }),
    ...(structures.length > 0 && {
      structures: Object.fromEntries(structures.map(({ name, fields }) => [name, { fields: fields.map(fieldOf) }])),
    }),
    ...(relations && relations.length > 0 && { relations: mapOf(relations) }),
  };
}

const mapOf = (all: readonly Described[]): Record<string, string | null> =>
  Object.fromEntries(all.map(({ name, description }) => [name, description || null]));

const fieldOf = ({ name, isList, choices, description }: Field) => ({
  name,
  dtype: isList ? 'list' : 'str',
  ...(choices && choices.length > 0 && { choices }),
  ...(description && { description }),
});

/** The scheme of a recorded call; null if its `schema` is not one of `/inference`. */
export function schemeOf(schema: unknown): Scheme | null {
  if (Array.isArray(schema)) return { ...NOTHING, entities: described(schema) };
  if (!isRecord(schema)) return null;
  const { entities, classifications, structures, relations } = schema;
  if (![entities, classifications, structures, relations].some(Boolean)) return null;
  return {
    entities: entities ? described(entities) : null,
    tasks: tasksIn(classifications),
    structures: isRecord(structures)
      ? Object.entries(structures).map(([name, value]) => ({ name, fields: fieldsIn(value) }))
      : [],
    relations: relations ? described(relations) : null,
  };
}

/** For a list or a map of names, each with a description or a definition or without. */
const described = (value: unknown): readonly Described[] =>
  entriesOf(value).map(([name, definition]) => {
    const description = isRecord(definition) ? definition['description'] : definition;
    return { name, ...(typeof description === 'string' && description !== name && { description }) };
  });

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (isRecord(value)) return Object.entries(value);
  if (!Array.isArray(value)) return [];
  return value.map((one: unknown) => {
    const { name, relation, type, task }: Fields = isRecord(one) ? one : { name: one };
    return [String(name ?? relation ?? type ?? task), one] as const;
  });
}

const tasksIn = (value: unknown): readonly Task[] =>
  entriesOf(value).map(([name, definition]) => {
    const { labels, multi_label, top_k }: Fields = isRecord(definition) ? definition : { labels: definition };
    const names = Array.isArray(labels) ? labels.map(String) : Object.keys(isRecord(labels) ? labels : {});
    return { name, labels: names, multiple: multi_label === true || typeof top_k === 'number' };
  });

function fieldsIn(value: unknown): readonly Field[] {
  const fields: unknown = isRecord(value) ? value['fields'] : value;
  return Array.isArray(fields)
    ? fields.map((each: unknown) => (isRecord(each) ? definedField(each) : fieldIn(String(each))))
    : [];
}

const definedField = ({ name, dtype, choices, description }: Fields): Field => ({
  name: String(name),
  isList: dtype !== 'str',
  ...(Array.isArray(choices) && { choices: choices.map(String) }),
  ...(typeof description === 'string' && { description }),
});

/** `name::str|list::[a|b]::description`; what follows the name is optional. */
function fieldIn(text: string): Field {
  const [name = '', ...more] = text.split('::');
  const listed = more.find((part) => part.startsWith('[') && part.endsWith(']'));
  const description = more.find((part) => part !== 'str' && part !== 'list' && part !== listed);
  return {
    name,
    isList: !more.includes('str'),
    ...(listed && { choices: listed.slice(1, -1).split('|') }),
    ...(description && { description }),
  };
}
