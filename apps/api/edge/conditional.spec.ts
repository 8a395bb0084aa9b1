import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';

describe('If-None-Match', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
    await api.call('POST', '/projects', { name: 'first' });
  });
  afterAll(() => api.close());

  const get = (path: string, headers: Record<string, string> = {}) =>
    api.call('GET', path, undefined, { 'x-api-key': api.key, ...headers });
  const tagOf = async (path: string) => (await get(path)).headers.get('etag') ?? '';

  it.each(['/projects', '/base-models', '/v1/models', '/felix/datasets', '/inferences', '/list-api-keys'])(
    '%s has a strong ETag, and is 304 without a body when the tag matches',
    async (path) => {
      const { headers } = await get(path);
      const etag = headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]+"$/);
      expect(headers.get('cache-control')).toBe('private, no-cache');
      expect(headers.get('vary')).toMatch(/X-API-Key.*Authorization/);
      const again = await get(path, { 'if-none-match': etag });
      expect([again.status, again.body]).toEqual([304, '']);
      expect(again.headers.get('etag')).toBe(etag);
      expect(again.headers.get('content-type')).toBeNull();
      expect(again.headers.get('x-request-id')).toBeTruthy();
    },
  );

  it.each([
    ['a weak one', (tag: string) => `W/${tag}`, 304],
    ['one of a list', (tag: string) => `"other", ${tag}, W/"third"`, 304],
    ['anything', () => '*', 304],
    ['another', () => '"other"', 200],
    ['nothing', () => '', 200],
    ['one without quotes', (tag: string) => tag.replaceAll('"', ''), 200],
  ])('%s', async (_, header, status) => {
    expect((await get('/projects', { 'if-none-match': header(await tagOf('/projects')) })).status).toBe(status);
  });

  it('returns 200 with the content after a change', async () => {
    const before = await tagOf('/projects');
    await api.call('POST', '/projects', { name: 'second' });
    const { status, body } = await get('/projects', { 'if-none-match': before });
    expect([status, body.count]).toEqual([200, 2]);
  });

  it('answers 304 for a resource of each kind while it does not change', async () => {
    const { body: upload } = await api.call('POST', '/felix/datasets/upload/url', { dataset_name: 'tagged' });
    const call = { model_id: 'anneal/encoder-base-v1', text: 'Ada', schema: ['person'] };
    const { body: inference } = await api.call('POST', '/inference', call);
    const version = `/felix/datasets/tagged/${upload.version_number}`;
    const model = '/v1/models/anneal%2Fencoder-base-v1';
    for (const path of [version, model, `/inferences/${inference.inference_id}`]) {
      const again = await get(path, { 'if-none-match': await tagOf(path) });
      expect([path, again.status]).toEqual([path, 304]);
    }
    const before = await tagOf(version);
    await fetch(upload.presigned_url, { method: 'PUT', body: '{"text":"a","label":"b"}' });
    await api.call('POST', '/felix/datasets/upload/process', { dataset_id: upload.dataset_id });
    expect((await get(version, { 'if-none-match': before })).status).toBe(200);
  });

  it("does not match another workspace's tag for the same content", async () => {
    const { key } = await api.colleague();
    const tag = await tagOf('/base-models');
    const hers = await api.call('GET', '/base-models', undefined, { 'x-api-key': key, 'if-none-match': tag });
    expect(hers.status).toBe(200);
  });

  it('gets the tag and the length from HEAD', async () => {
    const head = (headers: Record<string, string> = {}) =>
      fetch(`${api.url}/projects`, { method: 'HEAD', headers: { 'x-api-key': api.key, ...headers } });
    const tag = await tagOf('/projects');
    const { status, headers } = await head();
    expect([status, headers.get('etag')]).toEqual([200, tag]);
    expect(Number(headers.get('content-length'))).toBeGreaterThan(10);
    const known = await head({ 'if-none-match': tag });
    expect([known.status, known.headers.get('content-length')]).toEqual([304, null]);
  });

  it('has no effect on errors and public routes, which have no ETag and are not cached', async () => {
    for (const path of ['/nowhere', '/inferences/nothing', '/health/live', '/openapi.json']) {
      const { headers } = await get(path, { 'if-none-match': '*' });
      expect([path, headers.get('etag'), headers.get('cache-control')]).toEqual([path, null, 'no-store']);
    }
    const refused = await api.call('GET', '/projects', undefined, { 'if-none-match': '*' });
    expect(refused.status).toBe(401);
  });
});
