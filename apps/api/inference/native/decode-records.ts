import { isRecord, kindOf, type Reader } from './reader.js';

type Path = readonly (string | number)[];
const DTYPES = ['str', 'list'] as const;

/** A map from structure name to its fields. @returns the names */
export function readStructures(reader: Reader, value: unknown): readonly string[] {
  const path = ['schema', 'structures'];
  if (!isRecord(value)) {
    reader.refuse(path, `must be a map from structure name to its fields, not ${kindOf(value)}`, 'wrong_type');
    return [];
  }
  const names = Object.keys(value);
  if (names.length === 0) reader.refuse(path, 'must name at least one structure', 'out_of_range');
  for (const name of names) readFields(reader, value[name], [...path, name]);
  return names;
}

function readFields(reader: Reader, value: unknown, path: Path): void {
  const fields = isRecord(value) ? value['fields'] : value;
  if (!Array.isArray(fields)) return reader.refuse(path, 'must be a list of fields, or {fields: [...]}', 'wrong_type');
  if (fields.length === 0) reader.refuse(path, 'must have at least one field', 'out_of_range');
  fields.forEach((field: unknown, index) => readField(reader, field, [...path, index]));
}

/** An object, or compact: `name::str|list::description`, in which a part `[a|b]` names the choices. */
function readField(reader: Reader, field: unknown, path: Path): void {
  if (typeof field === 'string') {
    if (field.split('::')[0] === '') reader.refuse(path, 'must begin with the name of the field', 'missing');
    return;
  }
  if (!isRecord(field)) return reader.refuse(path, `must be an object or a string, not ${kindOf(field)}`, 'wrong_type');
  reader.string(field['name'], [...path, 'name']);
  reader.oneOf(field['dtype'], [...path, 'dtype'], DTYPES);
  reader.optionalString(field['description'], [...path, 'description']);
  reader.number(field['threshold'], [...path, 'threshold'], [0, 1]);
  if (field['choices'] !== undefined) reader.labels(field['choices'], [...path, 'choices'], 1_000);
}

/** Names, objects, or a map from name to description. @returns the names */
export function readRelations(reader: Reader, value: unknown): readonly string[] {
  const path = ['schema', 'relations'];
  if (isRecord(value)) return Object.keys(value);
  if (!Array.isArray(value)) {
    reader.refuse(path, `must be a list or a map of relations, not ${kindOf(value)}`, 'wrong_type');
    return [];
  }
  if (value.length === 0) reader.refuse(path, 'must name at least one relation', 'out_of_range');
  return value.map((item: unknown, index) => {
    if (!isRecord(item)) return reader.string(item, [...path, index], 'a relation name or an object with `name`');
    return reader.string(item['name'] ?? item['relation'] ?? item['type'], [...path, index, 'name']);
  });
}
