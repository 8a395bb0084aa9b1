import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import {
  asModelsErrors,
  COMMON_RESPONSES,
  ERROR_SCHEMAS,
  KEY_RESPONSES,
  MODEL_RESPONSES,
  NOT_MODIFIED,
} from './error-responses.js';

/** The OpenAPI document at `/openapi.json` and a page for reading it at `/docs`; made when it is first asked for. */
export function serveDocumentation(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => describeApi(app), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Anneal API',
  });
}

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

/** Adds what is true of all routes, and takes out the second address of those that have two. */
function finish(document: OpenAPIObject): OpenAPIObject {
  const paths: OpenAPIObject['paths'] = {};
  for (const [path, item] of Object.entries(document.paths)) {
    if (path.startsWith('/v1/v1/')) continue;
    paths[path] = item;
    for (const method of METHODS) if (item[method]) complete(item[method], method, path);
  }
  const schemas = { ...document.components?.schemas, ...ERROR_SCHEMAS };
  return { ...document, paths, components: { ...document.components, schemas } };
}

function complete(operation: Operation, method: string, path: string): void {
  const isPublic = operation['x-public'] === true;
  delete operation['x-public'];
  operation.operationId = operationId(method, path);
  if (isPublic) operation.security = [];
  const responses = {
    ...COMMON_RESPONSES,
    ...(!isPublic || path === '/auth/sign-in' ? KEY_RESPONSES : {}),
    ...(!isPublic && method === 'get' ? NOT_MODIFIED : {}),
    ...(RUNS_MODELS.test(path) ? MODEL_RESPONSES : {}),
    ...operation.responses,
  };
  operation.responses = (
    path.startsWith('/v1/models') ? asModelsErrors(responses) : responses
  ) as Operation['responses'];
}

const RUNS_MODELS = /^\/(inference$|gliner-2|generate)/;

/** `get /felix/datasets/{name}` is `getFelixDatasetsByName`: stable, and one for each route. */
function operationId(method: string, path: string): string {
  const words = path.split('/').flatMap((part) => {
    const parameter = /^\{(.+)\}$/.exec(part)?.[1];
    return parameter === undefined ? part.split(/[^A-Za-z0-9]+/) : ['by', parameter];
  });
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
