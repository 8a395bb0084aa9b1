import type { ApiDocument, Operation } from '#test/fuzz/document.js';
import type { Schema } from '#test/fuzz/document.js';

const COMPONENT = /^#\/components\/schemas\/(.+)$/;

/** Names of the schemas that requests and successful answers are made of. */
export function schemasInUse(document: ApiDocument): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const name = COMPONENT.exec((value as Schema).$ref ?? '')?.[1];
    if (name !== undefined && !found.has(name)) {
      found.add(name);
      walk(document.components.schemas[name]);
    }
    Object.values(value).forEach(walk);
  };
  for (const item of Object.values(document.paths))
    for (const operation of Object.values(item)) {
      walk(operation.requestBody);
      for (const [status, response] of Object.entries(operation.responses)) if (/^2/.test(status)) walk(response);
    }
  return found;
}

/** The fields of a schema; `!` follows the name of one with bounds. */
export const fieldsOf = ({ properties = {} }: Schema): readonly string[] =>
  Object.entries(properties).map(([name, schema]) => withMark(name, schema));

/** The parameters of a query; `!` follows the name of one with bounds. */
export const queryOf = ({ parameters = [] }: Operation): readonly string[] =>
  parameters.flatMap(({ name, in: where, schema = {} }) => (where === 'query' ? [withMark(name, schema)] : []));

const withMark = (name: string, schema: Schema): string => (isBounded(schema) ? `${name}!` : name);

function isBounded({ items, ...schema }: Schema): boolean {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems, pattern } = schema;
  const bounds = [minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems, pattern];
  return bounds.some((bound) => bound !== undefined) || (items !== undefined && isBounded(items));
}
