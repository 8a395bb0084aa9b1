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

/** The fields of a schema with their bounds, in the page's notation: `limit` 1 to 200. */
export const fieldsOf = ({ properties = {} }: Schema): ReadonlyMap<string, string> =>
  new Map(Object.entries(properties).map(([name, schema]) => [name, boundsOf(schema)]));

/** The parameters of a query with their bounds and defaults. */
export const queryOf = ({ parameters = [] }: Operation): ReadonlyMap<string, string> =>
  new Map(
    parameters.flatMap(({ name, in: where, schema = {} }) => {
      const start = schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`;
      return where === 'query' ? [[name, [boundsOf(schema), start].filter(Boolean).join(', ')]] : [];
    }),
  );

/** `1 to 200`, `at most 5000 characters`, `2 to 100 entries`; empty where there is no bound. */
function boundsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, items, pattern } = schema;
  const { exclusiveMinimum } = schema;
  return [
    range(minimum ?? exclusiveMinimum, maximum, '', exclusiveMinimum === undefined ? '' : 'above '),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' entries'),
    pattern === undefined ? '' : `\`${pattern}\``,
    items && boundsOf(items) !== '' ? `each ${boundsOf(items)}` : '',
  ]
    .filter(Boolean)
    .join(', ');
}

function range(least: number | undefined, most: number | undefined, unit: string, above = ''): string {
  if (least !== undefined && most !== undefined) return `${above}${least} to ${most}${unit}`;
  if (most !== undefined) return `at most ${most}${unit}`;
  return least === undefined ? '' : `${above || 'at least '}${least}${unit}`;
}
