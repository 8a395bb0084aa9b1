import { anotherApi, type AnotherApi } from '#test/support/another-api.js';
import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { trips } from '#test/support/trips.js';
import { RENAMED, withoutAlias } from './aliases.js';

const ID = '0199a7c2-0000-7000-8000-000000000000';
const cases = RENAMED.flatMap(({ route, methods, names }) =>
  methods.flatMap((method) => names.map((name) => [method, name, route, names[0]] as const)),
);

describe('newer names of routes', () => {
  let api: TestApi;
  let another: AnotherApi;
  beforeAll(async () => {
    api = await sharedTestApi();
    another = await anotherApi(api);
    await uploadDataset(api, { dataset_name: 'my trips', filename: 'trips.jsonl' }, trips(20));
  });
  afterAll(async () => {
    await another.close();
    await api.close();
  });

  it.each(cases)('%s %s is answered like %s, which names its successor', async (method, name, route, successor) => {
    expect(another.app.getHttpAdapter().getInstance().hasRoute({ method, url: route })).toBe(true);
    const of = (path: string) => path.replaceAll(/:\w+/g, ID);
    // An empty body is refused where there is one to be, so that nothing is made.
    const ask = (path: string) => api.call(method, of(path), method === 'POST' ? {} : undefined);
    const [older, newer] = [await ask(route), await ask(name)];
    expect([newer.status, newer.body.detail]).toEqual([older.status, older.body.detail]);
    expect(older.headers.get('deprecation')).toBe('@1795392000');
    expect(older.headers.get('link')).toBe(`<${of(successor)}>; rel="successor-version"`);
    expect([newer.headers.get('deprecation'), newer.headers.get('link')]).toEqual([null, null]);
    // Below /v1 errors have OpenAI's envelope, beside `detail`.
    if (newer.status >= 400)
      expect([newer.body.error?.message, older.body.error]).toEqual([expect.any(String), undefined]);
    else expect(newer.body).toEqual(older.body);
  });

  it.each(cases)(
    'are in the document, where the older ones are deprecated: %s %s for %s',
    async (method, _, route, name) => {
      const { body } = await api.call('GET', '/openapi.json', undefined, {});
      const of = (path: string) => body.paths[path.replaceAll(/:(\w+)/g, '{$1}')][method.toLowerCase()];
      expect([of(route).deprecated, of(name).deprecated]).toEqual([true, undefined]);
      expect(of(name).requestBody).toEqual(of(route).requestBody);
    },
  );

  it('keep dataset names and query strings as they were sent', async () => {
    const { status, body } = await api.call('GET', '/v1/datasets/my%20trips?');
    expect([status, body.count]).toEqual([200, 1]);
    expect((await api.call('GET', '/v1/training/jobs/?limit=x')).status).toBe(400);
    const older = await api.call('GET', '/felix/datasets/my%20trips');
    expect(older.headers.get('link')).toBe('</v1/datasets/my%20trips>; rel="successor-version"');
    const head = await fetch(`${api.url}/v1/datasets/my%20trips`, {
      method: 'HEAD',
      headers: { 'x-api-key': api.key },
    });
    expect([head.status, Number(head.headers.get('content-length')) > 0]).toEqual([200, true]);
  });

  it('take a dataset from its upload to its deletion', async () => {
    const body = { dataset_name: 'newer', file_name: 'trips.jsonl' };
    const offered = await api.call('POST', '/v1/datasets/upload/url', body);
    await (await fetch(offered.body.upload_url, { method: 'PUT', body: trips(20) })).text();
    const { dataset_id } = offered.body;
    expect((await api.call('POST', '/v1/datasets/upload/process', { dataset_id })).status).toBe(202);
    const ready = await api.until(
      () => api.call('GET', '/v1/datasets/newer'),
      (answer) => answer.body.versions?.[0]?.status === 'ready',
    );
    expect(ready.body.versions).toHaveLength(1);
    expect((await api.call('DELETE', '/v1/datasets/newer')).status).toBe(200);
  });

  it('without a key are 401, and the older name still names its successor', async () => {
    const newer = await api.call('GET', '/v1/training/jobs', undefined, {});
    expect([newer.status, newer.body.error.code]).toEqual([401, 'invalid_api_key']);
    const older = await api.call('GET', '/felix/training-jobs', undefined, {});
    expect([older.status, older.headers.get('link')]).toEqual([401, '</v1/training/jobs>; rel="successor-version"']);
  });

  it.each([
    // A dataset may be called so.
    ['POST', '/v1/datasets/merge', 405],
    ['GET', '/v1/datasets/my%20trips/1/preview', 404],
    ['PUT', '/v1/training/jobs', 405],
    ['GET', '/v1/training', 404],
    ['GET', '/v1/evaluations', 404],
  ])('exist only for the routes in the table: %s %s is %i', async (method, path, status) => {
    expect((await api.call(method, path)).status).toBe(status);
  });

  it.each(['/felix/evaluations', '/felix/trained-models', '/projects', '/v1/models'])(
    '%s is not deprecated, because it has no newer name',
    async (path) => {
      const { status, headers } = await api.call('GET', path);
      expect([status, headers.get('deprecation')]).toEqual([200, null]);
    },
  );

  it.each(['/v1/chat/completions', '/v1/models/a/b', '/v1/', '/inferences', '*'])('%s is not rewritten', (url) => {
    expect(withoutAlias({ method: 'GET', url })).toBe(url);
  });
});
