import { withoutAlias } from '#apps/api/edge/aliases.js';

/** The part of JSON Schema that the document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly not?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  readonly example?: unknown;
}

/** A route of the OpenAPI document: `/openapi.json`, in OpenAPI 3.1. */
export interface Route {
  /** Upper case. */
  readonly method: string;
  /** `/projects/{id}` */
  readonly path: string;
  readonly operation: Operation;
}

export interface Operation {
  /** Empty: it needs no key. */
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly schema?: Schema;
}

export interface Response {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export const routesOf = ({ paths }: ApiDocument): readonly Route[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** Routes without the newer names of renamed ones, which lead to the same. */
export const ownRoutesOf = (document: ApiDocument): readonly Route[] =>
  routesOf(document).filter(({ method, path }) => withoutAlias({ method, url: path }) === path);

export const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** Whether a route takes no API key, but the session of a browser. */
export const needsSession = ({
  operation: { security = [] },
}: {
  readonly operation: Pick<Operation, 'security'>;
}): boolean => security.some((scheme) => 'session' in scheme);

/** The schema of the JSON body that a route takes. */
export const bodySchemaOf = ({ operation }: Route): Schema | null =>
  operation.requestBody?.content['application/json']?.schema ?? null;
