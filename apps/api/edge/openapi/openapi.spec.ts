import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: unknown[];
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema?: object }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: object }>> };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly $ref?: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema?: object; readonly example?: unknown }>>;
}

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties: Record<string, object> }>> };
}

describe('the OpenAPI document', () => {
  let api: TestApi;
  let paths: Record<string, Record<string, Operation>>;
  let text: string;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  beforeAll(async () => {
    api = await sharedTestApi();
    const { status, body } = await api.call('GET', '/openapi.json', undefined, {});
    expect(status).toBe(200);
    text = JSON.stringify(body);
    paths = body.paths;
    ajv.addSchema({ $id: 'document', components: body.components });
  });
  afterAll(() => api.close());

  const operations = () => Object.values(paths).flatMap((item) => Object.values(item));

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(JSON.parse(text) as Record<string, unknown>)).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('has no keywords of OpenAPI 3.0, which a 3.1 validator ignores', () => {
    expect(text).not.toMatch(/"nullable":(?:true|false)|"exclusive(?:Minimum|Maximum)":(?:true|false)/);
  });

  it('states the limits that only class-validator declares', () => {
    const { GenerateBody, CreateApiKeyBody, PullBody } = (JSON.parse(text) as Document).components.schemas;
    const labels = { minItems: 1, maxItems: 200, uniqueItems: true, items: { type: 'string', maxLength: 200 } };
    expect(GenerateBody?.properties['labels']).toMatchObject(labels);
    expect(PullBody?.properties['split']).toHaveProperty('pattern');
    // Transformed before it is checked: clients may send other forms than the one that the check takes.
    expect(CreateApiKeyBody?.properties['expires_at']).not.toHaveProperty('pattern');
  });

  it('has one operation id for each route', () => {
    const ids = operations().map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('postCreateApiKey');
  });

  it('has no dangling references', () => {
    const { components } = JSON.parse(text) as { components: Record<string, Record<string, unknown>> };
    const refs = [...text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)];
    expect(refs.length).toBeGreaterThan(100);
    for (const [, kind = '', name = ''] of refs) expect(Object.keys(components[kind] ?? {})).toContain(name);
  });

  it('has only valid JSON schemas', () => {
    const { components } = JSON.parse(text) as { components: { schemas: Record<string, object> } };
    for (const name of Object.keys(components.schemas))
      expect(() => ajv.compile({ $ref: `document#/components/schemas/${name}` })).not.toThrow();
  });

  it('describes every route: its purpose, its input and its answer', () => {
    for (const [path, item] of Object.entries(paths))
      for (const [method, operation] of Object.entries(item)) {
        const route = `${method} ${path}`;
        expect([route, operation.summary?.length, operation.tags?.length]).toEqual([route, expect.any(Number), 1]);
        const inPath = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
        expect([route, inPath]).toEqual([route, [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)]);
        for (const { name, schema } of operation.parameters)
          expect([route, name, Object.keys(schema ?? {}).length > 0]).toEqual([route, name, true]);
        const given = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
        expect([route, given.length > 0]).toEqual([route, true]);
        for (const [status, { content }] of given)
          expect([route, status, Object.keys(content ?? {}).length > 0]).toEqual([route, status, true]);
        for (const [, { content }] of given)
          for (const [type, { schema }] of Object.entries(content ?? {}))
            expect([route, type, schema !== undefined || type !== 'application/json']).toEqual([route, type, true]);
      }
  });

  it('describes every error in its shape, with its headers, and every answer with its request id', () => {
    for (const operation of operations())
      for (const [status, { description, headers, content }] of Object.entries(operation.responses)) {
        const at = `${operation.operationId} ${status}`;
        expect([at, description, Object.keys(headers ?? {})]).toEqual([
          at,
          expect.stringMatching(/./),
          expect.arrayContaining(['X-Request-Id', ...(HEADERS_OF[status] ?? [])]),
        ]);
        if (Number(status) < 400) continue;
        expect([at, content?.['application/json']?.schema]).toEqual([at, expect.anything()]);
      }
  });

  it('has examples that fit their schemas', () => {
    let examples = 0;
    /** Most errors have the same schema. */
    const validators = new Map<string, ValidateFunction>();
    for (const { operationId, responses } of operations())
      for (const [status, { content }] of Object.entries(responses))
        for (const { schema, example } of Object.values(content ?? {})) {
          if (example === undefined || !schema) continue;
          examples += 1;
          const inDocument = JSON.stringify(schema).replaceAll('"#/', '"document#/');
          const validate = validators.get(inDocument) ?? ajv.compile(JSON.parse(inDocument) as object);
          validators.set(inDocument, validate);
          expect([operationId, status, validate(example)]).toEqual([operationId, status, true]);
        }
    expect(examples).toBeGreaterThan(10);
  });

  it('marks the routes that need no key', async () => {
    for (const [path, item] of Object.entries(paths)) {
      const isPublic = item['get']?.security?.length === 0;
      if (!item['get'] || path.includes('{')) continue;
      const { status } = await api.call('GET', path, undefined, {});
      expect([path, isPublic, status === 401]).toEqual([path, isPublic, !isPublic]);
    }
  });

  it('lists the errors of every route, and billing and region errors on routes that run models', () => {
    for (const { responses } of operations())
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '500']));
    expect(Object.keys(paths['/inference']?.['post']?.responses ?? {})).toEqual(
      expect.arrayContaining([
        '400',
        '401',
        '402',
        '403',
        '404',
        '409',
        '413',
        '422',
        '425',
        '429',
        '451',
        '500',
        '503',
      ]),
    );
  });

  it('has a page to read it in', async () => {
    const page = await api.call('GET', '/docs', undefined, {});
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringMatching(/html/)]);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
  });
});

/** Required response headers by status. */
const HEADERS_OF: Readonly<Record<string, readonly string[]>> = {
  '304': ['ETag'],
  '402': ['x-should-retry'],
  '409': ['x-should-retry', 'Retry-After'],
  '425': ['x-should-retry', 'Retry-After'],
  '429': [
    'Retry-After',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'X-RateLimit-Scope',
    'X-RateLimit-Code',
  ],
  '451': ['x-should-retry'],
};
