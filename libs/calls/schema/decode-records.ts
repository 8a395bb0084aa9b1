import type { FieldQuery, RelationQuery, StructureQuery } from '#gpu-runner/contract/schema.js';
import { type Reader } from '#primitives/reader.js';
import { isPresent } from '#primitives/values.js';
import type { FieldDefinition, RelationDetails, SchemaDefinition } from './definition.js';

type Path = readonly (string | number)[];

const MAX_CHOICES = 1_000;

/** Decodes a map from structure names to their fields. @param path of the map in the body */
export function readStructures(
  reader: Reader,
  structures: NonNullable<SchemaDefinition['structures']>,
  path: Path,
): readonly StructureQuery[] {
  return Object.entries(structures).map(([name, given]) => {
    const fields = Array.isArray(given) ? given : given.fields;
    return { name, fields: readFields(reader, fields, [...path, name]) };
  });
}

function readFields(reader: Reader, fields: readonly (string | FieldDefinition)[], path: Path): readonly FieldQuery[] {
  const names = new Set<string>();
  return fields.map((given, index) => {
    const at = [...path, index];
    const field = typeof given === 'string' ? compactField(reader, given, at) : fieldOf(given);
    if (names.has(field.name))
      reader.refuse(at, `repeats the field ${JSON.stringify(field.name)}; name it once`, 'not_allowed');
    names.add(field.name);
    return field;
  });
}

const fieldOf = ({ name, dtype, choices, description, threshold }: FieldDefinition): FieldQuery => ({
  name,
  dtype: dtype ?? 'list',
  ...(isPresent(choices) && { choices: [...new Set(choices)] }),
  ...(isPresent(description) && { description }),
  ...(isPresent(threshold) && { threshold }),
});

/**
 * `name::str|list::[a|b]::description`, all but the name optional: a part that is `str` or `list` is the type (without one, a
 * field with choices is `str`, another is `list`), one in brackets the choices, any other the description.
 */
function compactField(reader: Reader, text: string, path: Path): FieldQuery {
  const [name = '', ...parts] = text.split('::');
  let dtype: FieldQuery['dtype'] | undefined;
  let choices: readonly string[] | undefined;
  const description: string[] = [];
  for (const part of parts) {
    if (dtype === undefined && description.length === 0 && (part === 'str' || part === 'list')) dtype = part;
    else if (choices === undefined && description.length === 0 && /^\[.*\]$/s.test(part)) {
      const named = part.slice(1, -1).split('|');
      choices = [...new Set(named.map((choice) => choice.trim()))];
      if (choices.includes('')) reader.refuse(path, 'must not have an empty choice', 'out_of_range');
      if (named.length > MAX_CHOICES)
        reader.refuse(path, `must name at most ${MAX_CHOICES} choices, not ${named.length}`, 'out_of_range');
    } else description.push(part);
  }
  return {
    name,
    dtype: dtype ?? (choices ? 'str' : 'list'),
    ...(choices && { choices }),
    ...(description.length > 0 && { description: description.join('::') }),
  };
}

/** Names, objects, or a map from name to description or object. */
export function relationsOf(relations: NonNullable<SchemaDefinition['relations']>): readonly RelationQuery[] {
  if (!Array.isArray(relations))
    return Object.entries(relations).map(([name, details]) => ({ name, ...detailsOf(details) }));
  const byName = new Map<string, RelationQuery>();
  for (const item of relations) {
    const relation = typeof item === 'string' ? { name: item } : { name: nameOf(item), ...detailsOf(item) };
    if (!byName.has(relation.name)) byName.set(relation.name, relation);
  }
  return [...byName.values()];
}

const nameOf = ({ name, relation, type }: RelationDetails): string => (name ?? relation ?? type)!;

function detailsOf(details: string | RelationDetails | null): Omit<RelationQuery, 'name'> {
  const given = typeof details === 'string' ? { description: details } : (details ?? {});
  const { head, tail, description, threshold }: RelationDetails = given;
  return {
    ...(isPresent(head) && { head }),
    ...(isPresent(tail) && { tail }),
    ...(isPresent(description) && { description }),
    ...(isPresent(threshold) && { threshold }),
  };
}
