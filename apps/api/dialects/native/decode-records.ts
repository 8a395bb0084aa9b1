import type { FieldQuery, RelationQuery, StructureQuery } from '#gpu-runner/contract/schema.js';
import { isRecord, kindOf, type Reader } from '../../validation/reader.js';

type Path = readonly (string | number)[];
const DTYPES = ['str', 'list'] as const;
const STRUCTURE_FIELDS = new Set(['fields']);
const FIELD_FIELDS = new Set(['name', 'dtype', 'choices', 'description', 'threshold']);
const RELATION_FIELDS = new Set(['name', 'relation', 'type', 'head', 'tail', 'description', 'threshold']);
const MOST_RECORDS = 1_000;
const MOST_CHOICES = 1_000;

/** A map from structure name to its fields. @param path where it stands in the body */
export function readStructures(reader: Reader, value: unknown, path: Path): readonly StructureQuery[] {
  if (!isRecord(value)) {
    reader.refuse(path, `must be a map from structure name to its fields, not ${kindOf(value)}`, 'wrong_type');
    return [];
  }
  const structures = Object.entries(value);
  reader.count(path, structures.length, 'structure', MOST_RECORDS);
  return structures.slice(0, MOST_RECORDS).map(([name, fields]) => {
    if (name === '') reader.refuse(path, 'must not have a structure without a name', 'out_of_range');
    return { name, fields: readFields(reader, fields, [...path, name]) };
  });
}

function readFields(reader: Reader, value: unknown, path: Path): readonly FieldQuery[] {
  if (isRecord(value)) reader.known(value, STRUCTURE_FIELDS, path);
  const fields = isRecord(value) ? value['fields'] : value;
  if (!Array.isArray(fields)) {
    reader.refuse(path, 'must be a list of fields, or {fields: [...]}', 'wrong_type');
    return [];
  }
  reader.count(path, fields.length, 'field', MOST_RECORDS);
  const names = new Set<string>();
  return fields.slice(0, MOST_RECORDS).map((given: unknown, index) => {
    const at = [...path, index];
    const field = typeof given === 'string' ? compactField(reader, given, at) : readField(reader, given, at);
    if (names.has(field.name) && field.name !== '')
      reader.refuse(at, `the field ${JSON.stringify(field.name)} stands there twice`, 'not_allowed');
    names.add(field.name);
    return field;
  });
}

function readField(reader: Reader, field: unknown, path: Path): FieldQuery {
  if (!isRecord(field)) {
    reader.refuse(path, `must be an object or a string, not ${kindOf(field)}`, 'wrong_type');
    return { name: '', dtype: 'list' };
  }
  reader.known(field, FIELD_FIELDS, path);
  const description = reader.optionalString(field['description'], [...path, 'description']);
  const threshold = reader.number(field['threshold'], [...path, 'threshold'], [0, 1]);
  const { choices } = field;
  return {
    name: reader.string(field['name'], [...path, 'name'], 'the name of the field'),
    dtype: reader.oneOf(field['dtype'], [...path, 'dtype'], DTYPES) ?? 'list',
    ...(choices !== undefined &&
      choices !== null && { choices: reader.labels(choices, [...path, 'choices'], MOST_CHOICES) }),
    ...(description !== undefined && { description }),
    ...(threshold !== undefined && { threshold }),
  };
}

/**
 * `name::str|list::[a|b]::description`, all but the name optional: a part that is `str` or `list` is the type (without one, a
 * field with choices is `str`, another is `list`), one in brackets the choices, any other the description.
 */
function compactField(reader: Reader, text: string, path: Path): FieldQuery {
  const [name = '', ...parts] = text.split('::');
  if (name === '') reader.refuse(path, 'must begin with the name of the field', 'missing');
  let dtype: FieldQuery['dtype'] | undefined;
  let choices: readonly string[] | undefined;
  const description: string[] = [];
  for (const part of parts) {
    if (dtype === undefined && description.length === 0 && (part === 'str' || part === 'list')) dtype = part;
    else if (choices === undefined && description.length === 0 && /^\[.*\]$/s.test(part)) {
      const named = part
        .slice(1, -1)
        .split('|')
        .map((choice) => choice.trim());
      choices = reader.labels(named, path, MOST_CHOICES);
    } else description.push(part);
  }
  return {
    name,
    dtype: dtype ?? (choices ? 'str' : 'list'),
    ...(choices && { choices }),
    ...(description.length > 0 && { description: description.join('::') }),
  };
}

/** Names, objects, or a map from name to description or object. @param path where it stands in the body */
export function readRelations(reader: Reader, value: unknown, path: Path): readonly RelationQuery[] {
  const relations = new Map<string, RelationQuery>();
  const add = (relation: RelationQuery) => {
    if (!relations.has(relation.name)) relations.set(relation.name, relation);
  };
  if (isRecord(value)) {
    const named = Object.entries(value);
    reader.count(path, named.length, 'relation', MOST_RECORDS);
    for (const [name, given] of named.slice(0, MOST_RECORDS)) {
      if (name === '') reader.refuse(path, 'must not have a relation without a name', 'out_of_range');
      add({ name, ...describedRelation(reader, given, [...path, name]) });
    }
    return [...relations.values()];
  }
  if (!Array.isArray(value)) {
    reader.refuse(path, `must be a list or a map of relations, not ${kindOf(value)}`, 'wrong_type');
    return [];
  }
  reader.count(path, value.length, 'relation', MOST_RECORDS);
  value.slice(0, MOST_RECORDS).forEach((item: unknown, index) => add(readRelation(reader, item, [...path, index])));
  return [...relations.values()];
}

function readRelation(reader: Reader, item: unknown, path: Path): RelationQuery {
  if (!isRecord(item)) return { name: reader.string(item, path, 'a relation name or an object with `name`') };
  const key = ['name', 'relation', 'type'].find((each) => item[each] !== undefined) ?? 'name';
  return { name: reader.string(item[key], [...path, key]), ...describedRelation(reader, item, path) };
}

function describedRelation(reader: Reader, value: unknown, path: Path): Omit<RelationQuery, 'name'> {
  if (!isRecord(value)) {
    const description = reader.optionalString(value, path);
    return description === undefined ? {} : { description };
  }
  reader.known(value, RELATION_FIELDS, path);
  const [head, tail, description] = ['head', 'tail', 'description'].map((key) =>
    reader.optionalString(value[key], [...path, key]),
  );
  const threshold = reader.number(value['threshold'], [...path, 'threshold'], [0, 1]);
  return {
    ...(head !== undefined && { head }),
    ...(tail !== undefined && { tail }),
    ...(description !== undefined && { description }),
    ...(threshold !== undefined && { threshold }),
  };
}
