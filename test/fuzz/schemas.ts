import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { ApiDocument, Schema } from './document.js';

const COMPONENT = /^#\/components\/schemas\/(.+)$/;
// An object that lists properties has no others, unless it says so: clients are told of every field.
const CLOSED = { unevaluatedProperties: false };

/** Checks values against schemas of a document, strictly: a property that is not documented is an error. */
export class Schemas {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true });
  private readonly compiled = new Map<Schema, ValidateFunction>();

  constructor(private readonly document: ApiDocument) {
    formats.default(this.ajv);
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      this.ajv.addSchema({ $id: `closed:${name}`, ...converted(schema, 'closed') });
      this.ajv.addSchema({ $id: `open:${name}`, ...converted(schema, 'open') });
    }
  }

  /** @returns what is wrong, one line each */
  problems(schema: Schema, value: unknown): readonly string[] {
    let validate = this.compiled.get(schema);
    if (!validate) this.compiled.set(schema, (validate = this.ajv.compile(converted(schema, 'closed'))));
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      `${instancePath || 'it'} ${message} ${JSON.stringify(params)}`.slice(0, 300),
    );
  }

  /** The schema itself, where it refers to one. */
  resolved(schema: Schema): Schema {
    const name = COMPONENT.exec(schema.$ref ?? '')?.[1];
    return name === undefined ? schema : this.resolved(this.document.components.schemas[name] ?? {});
  }
}

/**
 * A schema that refers to the others as they were added, and is closed.
 * @param others whether an object may have properties that it does not list; parts of an `allOf` may, the whole may not
 */
function converted(schema: Schema, others: 'closed' | 'open'): Record<string, unknown> {
  const { $ref, properties, items, allOf, oneOf, anyOf, additionalProperties, not, ...rest } = schema;
  const name = COMPONENT.exec($ref ?? '')?.[1];
  const each = (list: readonly Schema[], how = others) => list.map((one) => converted(one, how));
  const result: Record<string, unknown> = {
    ...rest,
    ...(name !== undefined && { $ref: `${others}:${name}` }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, converted(one, 'closed')])),
    }),
    ...(items && { items: converted(items, 'closed') }),
    ...(allOf && { allOf: each(allOf, allOf.length === 1 && !properties ? others : 'open') }),
    ...(oneOf && { oneOf: each(oneOf) }),
    ...(anyOf && { anyOf: each(anyOf) }),
    ...(not && { not: converted(not, 'open') }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: converted(additionalProperties, 'closed') }
      : additionalProperties !== undefined && { additionalProperties }),
  };
  const listsAll = (properties !== undefined || (allOf?.length ?? 0) > 1) && additionalProperties === undefined;
  return others === 'closed' && listsAll ? { ...result, ...CLOSED } : result;
}
