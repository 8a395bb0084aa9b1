import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { RENAMED } from '../aliases.js';
import { COMMON_ERRORS, errorResponse, KEY_ERRORS, MODEL_ERRORS, OVERLOADED } from './error-responses.js';
import { ERROR_SCHEMAS } from './error-schemas.js';
import { isClosed } from '../validation/closed.js';
import { schema31, type Documented } from '../validation/schema-31.js';
import { withDeclaredBounds } from './declared-bounds.js';
import { schemasForGenerators } from './for-generators.js';
import { HEADERS, headers, LIMIT_HEADERS, type HeaderName } from './headers.js';

/** The OpenAPI document at `/openapi.json` and a page for reading it at `/docs`; created on the first request. */
export function serveDocumentation(app: INestApplication): void {
  const fastify = app.getHttpAdapter().getInstance() as FastifyInstance;
  fastify.addHook('onRoute', (route) => {
    if (route.url.startsWith('/docs'))
      route.onRequest = (_request, reply, done) => {
        void reply.header('content-security-policy', PAGE_POLICY);
        done();
      };
  });
  SwaggerModule.setup('docs', app, () => describeApi(app), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Anneal API',
  });
}

/** Nothing of other origins is run, shown or requested. Swagger UI has styles in its elements. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

function describeApi(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Anneal')
    .setDescription('Turns labelled examples into small task models, serves them, and records every call.')
    .setVersion('1')
    .addServer('/')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key' }, 'key')
    .addBearerAuth({ type: 'http', bearerFormat: 'API key', description: 'An API key, or a session token.' }, 'bearer')
    .addCookieAuth('anneal_session', { type: 'apiKey', in: 'cookie' }, 'session')
    .addSecurityRequirements('key')
    .addSecurityRequirements('bearer')
    .build();
  return finish(SwaggerModule.createDocument(app, config));
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & { 'x-public'?: boolean };
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Adds renamed routes by the names to use. Their older names are deprecated. */
function withNewerNames(paths: OpenAPIObject['paths']): OpenAPIObject['paths'] {
  const all = { ...paths };
  for (const { route, methods, names } of RENAMED) {
    const [older, newer] = [asTemplate(route), asTemplate(names[0])];
    for (const method of methods.map((each) => each.toLowerCase() as Lowercase<typeof each>)) {
      const operation = paths[older]![method]!;
      all[newer] = { ...all[newer], [method]: structuredClone(operation) };
      operation.deprecated = true;
    }
  }
  return all;
}

/** `/inferences/:id` is `/inferences/{id}`. */
const asTemplate = (route: string): string => route.replaceAll(/:(\w+)/g, '{$1}');

/** Adds the parts common to all routes. */
function finish(document: OpenAPIObject): OpenAPIObject {
  const paths: OpenAPIObject['paths'] = {};
  for (const [path, item] of Object.entries(withNewerNames(document.paths))) {
    paths[path] = item;
    for (const method of METHODS) if (item[method]) complete(item[method], method, path);
  }
  const schemas = withDeclaredBounds({ ...document.components?.schemas, ...ERROR_SCHEMAS });
  const closed = new Set([...nativeBodies(paths), ...Object.keys(schemas).filter(isClosed)]);
  for (const name of closed) schemas[name] = { ...schemas[name], additionalProperties: false };
  // Hidden from Nest, which would translate some of it, and change what decorators hold.
  return {
    ...document,
    openapi: '3.1.0',
    paths,
    components: { ...document.components, schemas: schemasForGenerators(schemas), headers: HEADERS },
  };
}

/** Names of the schemas of bodies whose unknown fields are refused. */
function nativeBodies(paths: OpenAPIObject['paths']): readonly string[] {
  const native = Object.entries(paths).filter(([path]) => !path.startsWith('/v1/'));
  const bodies = native.flatMap(([, item]) => METHODS.map((method) => item[method]?.requestBody));
  return [...JSON.stringify(bodies).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);
}

function complete(operation: Operation, method: string, path: string): void {
  const isPublic = operation['x-public'] === true;
  delete operation['x-public'];
  operation.operationId = operationId(method, path);
  if (isPublic) operation.security = [];
  // A generator that knows no JSON lines leaves out a route that takes nothing else.
  const content = operation.requestBody && 'content' in operation.requestBody ? operation.requestBody.content : {};
  if (content['application/x-ndjson'])
    content['application/octet-stream'] = { schema: { type: 'string', format: 'binary' } };
  const errors = {
    ...COMMON_ERRORS,
    ...(!isPublic || path === '/auth/sign-in' ? KEY_ERRORS : {}),
    ...(RUNS_MODELS.test(path) ? MODEL_ERRORS : {}),
    ...(path === '/v1/messages' ? OVERLOADED : {}),
  };
  const told = Object.entries(errors).map(([status, error]) => [status, errorResponse(status, error, path)]);
  const takesAsOf = (operation.parameters ?? []).some((each) => 'name' in each && each.name === 'as_of');
  const isConditional = method === 'get' && !isPublic;
  if (isConditional) operation.parameters = [...(operation.parameters ?? []), IF_NONE_MATCH];
  operation.responses = {
    ...(isConditional
      ? {
          '304': {
            description: "Not modified: the client's copy is current",
            headers: headers('X-Request-Id', 'ETag'),
          },
        }
      : {}),
    ...Object.fromEntries(told),
    ...withHeaders(
      operation,
      isPublic ? [] : [...LIMIT_HEADERS, ...(isConditional ? CONDITIONAL : []), ...(takesAsOf ? AS_OF : [])],
    ),
  } as Operation['responses'];
  for (const part of [...(operation.parameters ?? []), ...mediaTypesOf(operation)] as { schema?: Documented }[])
    if (part.schema) part.schema = schema31(part.schema);
}

function mediaTypesOf({ requestBody, responses }: Operation): readonly object[] {
  const parts = [requestBody, ...Object.values(responses)] as readonly ({ readonly content?: object } | undefined)[];
  return parts.flatMap((part) => Object.values(part?.content ?? {}) as readonly object[]);
}

const AS_OF = ['x-anneal-as-of', 'x-anneal-left-out'] as const;
const CONDITIONAL = ['ETag', 'Cache-Control'] as const;
const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'ETags that the client holds, or `*`. The answer is 304 if one matches.',
  schema: { type: 'string' },
} as NonNullable<Operation['parameters']>[number];

/** The route's own responses with our headers; a response without a description gets the route's summary. */
function withHeaders({ summary, responses }: Operation, names: readonly HeaderName[]): Record<string, object> {
  return Object.fromEntries(
    Object.entries(responses as Record<string, { headers?: object; description?: string }>).map(
      ([status, response]) => [
        status,
        {
          ...response,
          description: response.description || (summary ?? ''),
          headers: { ...headers('X-Request-Id', ...names), ...response.headers },
        },
      ],
    ),
  );
}

const RUNS_MODELS =
  /^\/(inference$|gliner-2|generate|v1\/(chat\/completions|completions|responses|embeddings|messages(\/count_tokens)?)$)/;

/** `get /felix/datasets/{name}` is `getFelixDatasetsByName`: stable, and one for each route. */
function operationId(method: string, path: string): string {
  const words = path.split('/').flatMap((part) => {
    const parameter = /^\{(.+)\}$/.exec(part)?.[1];
    return parameter === undefined ? part.split(/[^A-Za-z0-9]+/) : ['by', parameter];
  });
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
