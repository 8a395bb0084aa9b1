import { startTestApi, type TestApi } from '#test/support/api.js';

interface Operation {
  readonly operationId: string;
  readonly security?: unknown[];
  readonly responses: Record<string, unknown>;
}

describe('the OpenAPI document', () => {
  let api: TestApi;
  let paths: Record<string, Record<string, Operation>>;
  let text: string;
  beforeAll(async () => {
    api = await startTestApi();
    const { status, body } = await api.call('GET', '/openapi.json', undefined, {});
    expect(status).toBe(200);
    text = JSON.stringify(body);
    paths = body.paths;
  });
  afterAll(() => api.close());

  const operations = () => Object.values(paths).flatMap((item) => Object.values(item));

  test('has one operation id for each route', () => {
    const ids = operations().map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('postCreateApiKey');
  });

  test('refers to nothing that it does not hold', () => {
    const { components } = JSON.parse(text) as { components: { schemas: Record<string, unknown> } };
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      expect(Object.keys(components.schemas)).toContain(name);
  });

  test('says which routes need no key', async () => {
    for (const [path, item] of Object.entries(paths)) {
      const isPublic = item['get']?.security?.length === 0;
      if (!item['get'] || path.includes('{')) continue;
      const { status } = await api.call('GET', path, undefined, {});
      expect([path, isPublic, status === 401]).toEqual([path, isPublic, !isPublic]);
    }
  });

  test('names the errors of every route', () => {
    for (const { responses } of operations())
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '500']));
  });

  test('has a page for reading it', async () => {
    const page = await api.call('GET', '/docs', undefined, {});
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringMatching(/html/)]);
  });
});
