/** `/openapi.json`, as far as types are generated from it. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

export interface ApiOperation {
  readonly summary?: string;
  /** Permissions, any one of which a caller needs. */
  readonly 'x-needs'?: readonly string[];
  readonly requestBody?: unknown;
  readonly parameters?: readonly ApiParameter[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema?: unknown }>> }>>;
}

interface ApiParameter {
  readonly name: string;
  readonly in: string;
  readonly schema: object;
  readonly description?: string;
}

/** JSON without `description` (a property of that name stays: its value is a schema) and examples. */
export const withoutDescriptions = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, each: unknown) =>
      (key === 'description' && typeof each === 'string' && each !== '') || key === 'example' ? undefined : each,
    ),
  );

/** The schemas to which something refers, directly or through others. */
export function reachable<T>(from: unknown, schemas: Readonly<Record<string, T>>): Record<string, T> {
  const found = new Set<string>();
  const follow = (value: unknown): void => {
    for (const [, name = ''] of (JSON.stringify(value) ?? '').matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      follow(schemas[name]);
    }
  };
  follow(from);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}
