import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';

/** Paths that the console uses: of the dialects of others, one. */
const USED = /^\/(?!v1\/)|^\/v1\/chat\/completions$/;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

interface Operation {
  readonly summary?: string;
  readonly requestBody?: unknown;
  readonly parameters?: readonly { readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: unknown }>>;
}

/**
 * The types of the API as TypeScript: what the console sends and gets. Errors, headers and descriptions, which the console's code does
 * not use, are left out; it would be six times as long.
 * @param document `/openapi.json`
 */
export async function typesOf({ paths, components: { schemas } }: Document): Promise<string> {
  const used = Object.entries(paths)
    .filter(([path]) => USED.test(path))
    .map(([path, item]) => [path, mapValues(item, operationOf)] as const);
  const slim = withoutDescriptions({ paths: Object.fromEntries(used), schemas }) as typeof schemas & {
    paths: object;
    schemas: Document['components']['schemas'];
  };
  const named = reachable(slim.paths, slim.schemas);
  const document = {
    openapi: '3.1.0',
    info: { title: 'Anneal', version: '1' },
    paths: slim.paths,
    components: { schemas: Object.fromEntries(Object.entries(slim.schemas).filter(([name]) => named.has(name))) },
  };
  return astToString(await openapiTS(document as OpenAPI3, { defaultNonNullable: false }));
}

function operationOf({ summary, requestBody, parameters = [], responses }: Operation): object {
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 300);
  return {
    summary,
    requestBody,
    parameters: parameters.filter((each) => each.in !== 'header'),
    responses: Object.fromEntries(answers.map(([status, { content }]) => [status, { description: '', content }])),
  };
}

const mapValues = <T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));

/** JSON without `description` (a property of that name stays: its value is a schema) and examples. */
const withoutDescriptions = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, each: unknown) =>
      (key === 'description' && typeof each === 'string' && each !== '') || key === 'example' ? undefined : each,
    ),
  );

/** Names of the schemas that something refers to, directly or through others. */
function reachable(from: unknown, schemas: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const found = new Set<string>();
  const follow = (value: unknown): void => {
    for (const [, name = ''] of (JSON.stringify(value) ?? '').matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      follow(schemas[name]);
    }
  };
  follow(from);
  return found;
}
