import { isDeepStrictEqual } from 'node:util';

type Schema = Readonly<Record<string, unknown>>;

/** A value that a JSON schema allows, always the same: what a model answers that is held to a schema. */
export function exampleOf(schema: unknown, root: unknown = schema, depth = 0): unknown {
  const { $ref, type, enum: choices, anyOf, oneOf, allOf, ...rest } = (schema ?? {}) as Schema;
  const inner = (one: unknown) => exampleOf(one, root, depth + 1);
  if (depth > 12) return null;
  if (typeof $ref === 'string') return inner(at(root, $ref));
  if ('const' in rest) return rest['const'];
  if (Array.isArray(choices)) return choices[0];
  const variants = anyOf ?? oneOf;
  if (Array.isArray(variants))
    return inner(variants.find((one) => !isDeepStrictEqual(one, { type: 'null' })) ?? variants[0]);
  if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map(inner));
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return textOf(rest);
    case 'integer':
    case 'number':
      return rest['minimum'] ?? 21;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return [inner(rest['items'])];
    default:
      return Object.fromEntries(
        Object.entries((rest['properties'] ?? {}) as Schema).map(([name, one]) => [name, inner(one)]),
      );
  }
}

const textOf = ({ format }: Schema): string => (format === 'date-time' ? '2026-01-02T03:04:05Z' : 'Paris');

/** @param pointer such as `#/$defs/City` */
const at = (root: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, step) => (value as Schema | undefined)?.[step], root);
