import type { Json, JsonObject } from '#domain/json.js';
import type { OwnRequest } from './own-requests.js';
import type { RouteTool } from './tools.js';

interface Parameter {
  readonly name: string;
  readonly in: 'header' | 'path' | 'query';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: JsonObject;
}

interface Schema extends JsonObject {
  readonly $ref?: string;
  readonly properties?: JsonObject;
  readonly required?: string[];
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
}

/** The parts of the OpenAPI document that tools are made of. */
export interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Arguments of a tool as JSON Schema, and how they become a request. */
export interface ToolArguments {
  readonly summary: string;
  readonly inputSchema: { readonly type: 'object' } & JsonObject;
  /** Arguments that stand in the path. */
  readonly inPath: readonly string[];
  readonly request: (given: JsonObject) => OwnRequest;
}

const REF = '#/components/schemas/';
/** A field of the body whose name is also a parameter's: `name` of `PUT /models/{name}` stays the parameter. */
const OTHER = 'new_';

/** @throws Error where the document has no such route */
export function argumentsOf({ route }: Pick<RouteTool, 'route'>, document: Described): ToolArguments {
  const [method = '', path = ''] = route.split(' ');
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`no route ${route}`);
  const parameters = (operation.parameters ?? []).filter((each) => each.in !== 'header');
  const taken = new Set(parameters.map(({ name }) => name));
  const argumentOf = (field: string) => (taken.has(field) ? OTHER + field : field);
  const body = bodyOf(operation, document);
  const fields = Object.entries(body?.properties ?? {}).map(([field, schema]) => [argumentOf(field), schema] as const);
  const properties = Object.fromEntries([...parameters.map(parameterSchema), ...fields]);
  const required = [
    ...parameters.filter((each) => each.in === 'path' || each.required).map(({ name }) => name),
    ...(body?.required ?? []).map(argumentOf),
  ];
  return {
    summary: [operation.summary, operation.description].filter(Boolean).join('. '),
    inputSchema: {
      type: 'object',
      ...withDefinitions({ properties, required, additionalProperties: false }, document),
    },
    inPath: parameters.filter((each) => each.in === 'path').map(({ name }) => name),
    request: (given) => {
      const query = new URLSearchParams();
      for (const { name } of parameters.filter((each) => each.in === 'query'))
        for (const value of [given[name]].flat()) if (value != null) query.append(name, written(value));
      // Arguments that are no parameters are fields of the body; the route refuses by name those that it does not know.
      const rest = Object.entries(given).filter(([name]) => !taken.has(name));
      const sent = rest.map(([name, value]) => [fieldOf(name, taken), value]);
      return {
        method: method as OwnRequest['method'],
        url:
          path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(written(given[name] ?? ''))) +
          (query.size > 0 ? `?${query}` : ''),
        ...((body !== null || sent.length > 0) && { body: Object.fromEntries(sent) as JsonObject }),
      };
    },
  };
}

const fieldOf = (argument: string, taken: ReadonlySet<string>): string => {
  const field = argument.slice(OTHER.length);
  return argument.startsWith(OTHER) && taken.has(field) ? field : argument;
};

const written = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

const parameterSchema = ({ name, description, schema = {} }: Parameter): readonly [string, Json] => [
  name,
  { ...schema, ...(description !== undefined && { description }) },
];

function bodyOf({ requestBody }: Operation, { components }: Described): Schema | null {
  const schema = requestBody?.content['application/json']?.schema;
  if (!schema) return null;
  return schema.$ref === undefined ? schema : (components.schemas[schema.$ref.slice(REF.length)] ?? null);
}

/** The schema with everything that it refers to, as a client without the document can read it. */
function withDefinitions(schema: JsonObject, { components }: Described): JsonObject {
  const definitions: Record<string, JsonObject> = {};
  const local = (part: JsonObject): JsonObject => {
    const text = JSON.stringify(part);
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      if (!(name in definitions)) {
        definitions[name] = {};
        definitions[name] = local(components.schemas[name] ?? {});
      }
    return JSON.parse(text.replaceAll(`"${REF}`, '"#/$defs/')) as JsonObject;
  };
  const own = local(schema);
  return Object.keys(definitions).length > 0 ? { ...own, $defs: definitions } : own;
}
