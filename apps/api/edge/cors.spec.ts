import { describeEmbedded } from '#test/deployments/test-api.js';
import { anotherApi, type AnotherApi } from '#test/support/another-api.js';
import { startTestApi, type Answer, type TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const PAGE = 'https://app.example.com';
const OTHER = 'https://evil.example';
const admin = { email: 'ada@example.com', password: 'correct horse battery' };

const preflight = (api: Pick<TestApi, 'call'>, path: string, origin: string, method = 'POST'): Promise<Answer> =>
  api.call('OPTIONS', path, undefined, {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'content-type,x-api-key,x-stainless-os',
  });
const corsOf = ({ headers }: Answer) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));

describe('pages of other origins, with a list of origins', () => {
  let api: TestApi;
  beforeAll(async () => {
    const corsOrigins = [PAGE, 'http://localhost:5173'];
    api = await startTestApi({ corsOrigins, adminEmail: admin.email, adminPassword: admin.password });
  });
  afterAll(() => api.close());
  const key = () => ({ 'x-api-key': api.key });

  it.each([
    ['/v1/chat/completions', 'POST'],
    ['/inference', 'POST'],
    ['/felix/datasets/trips', 'DELETE'],
    ['/objects/uploads/x', 'PUT'],
    ['/auth/sign-in', 'POST'],
  ])('answers a preflight of %s without a key', async (path, method) => {
    const { status, headers, body } = await preflight(api, path, PAGE, method);
    expect([status, body]).toEqual([204, '']);
    expect(headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(headers.get('access-control-allow-credentials')).toBe('true');
    expect(headers.get('access-control-allow-methods')!.split(', ')).toContain(method);
    expect(headers.get('access-control-allow-headers')).toBe('content-type,x-api-key,x-stainless-os');
    expect(headers.get('access-control-max-age')).toBe('7200');
    expect(headers.get('vary')).toContain('Origin');
    expect(headers.get('x-request-id')).toBeTruthy();
  });

  it.each([OTHER, 'null', 'https://app.example.com.evil.example', 'http://app.example.com', PAGE.toUpperCase()])(
    'refuses a preflight of %s with 403',
    async (origin) => {
      const answer = await preflight(api, '/inference', origin);
      expect([answer.status, corsOf(answer)]).toEqual([403, []]);
      expect(answer.body.detail).toContain('ANNEAL_CORS_ORIGINS');
    },
  );

  it('lets scripts read answers and the custom headers on them', async () => {
    const { status, headers } = await api.call('GET', '/projects', undefined, { ...key(), origin: PAGE });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, PAGE]);
    const exposed = headers.get('access-control-expose-headers')!.split(', ');
    for (const name of [
      'x-request-id',
      'x-anneal-dropped',
      'x-anneal-left-out',
      'x-ratelimit-remaining',
      'etag',
      'content-range',
      'retry-after',
    ])
      expect(exposed).toContain(name);
    expect(headers.get('vary')).toMatch(/X-API-Key.*Origin/);
  });

  it.each([
    ['401', '/projects', {}],
    ['404', '/nowhere', { 'x-api-key': 'key' }],
    ['422', '/v1/chat/completions', { 'x-api-key': 'key' }],
  ])('lets scripts read a refusal: %s', async (status, path, headers: Record<string, string>) => {
    const credentials = 'x-api-key' in headers ? key() : {};
    const answer = await api.call('POST', path, {}, { ...credentials, origin: PAGE });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([Number(status), PAGE]);
  });

  it('lets scripts read a stream', async () => {
    const body = {
      model: 'anneal/encoder-base-v1',
      messages: [{ role: 'user', content: 'Maria Rossi flew to Berlin.' }],
      schema: ['person'],
      stream: true,
    };
    const answer = await api.call('POST', '/v1/chat/completions', body, { ...key(), origin: PAGE });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, PAGE]);
    expect(answer.body).toContain('data: [DONE]');
  });

  it('sends no CORS headers to unlisted origins and to clients without an origin', async () => {
    expect(corsOf(await api.call('GET', '/projects', undefined, { ...key(), origin: OTHER }))).toEqual([]);
    expect(corsOf(await api.call('GET', '/projects'))).toEqual([]);
  });

  it('lets only a listed origin sign in and act by the cookie', async () => {
    const from = (origin: string) => ({ origin, 'sec-fetch-site': 'same-site' });
    const answer = await api.call('POST', '/auth/sign-in', admin, from(PAGE));
    expect([answer.status, answer.headers.get('access-control-allow-credentials')]).toEqual([200, 'true']);
    const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
    const make = (origin: string) => api.call('POST', '/create-api-key', { name: 'page' }, { cookie, ...from(origin) });
    expect((await make(PAGE)).status).toBe(200);
    expect((await make(OTHER)).status).toBe(403);
    expect((await api.call('POST', '/auth/sign-in', admin, from(OTHER))).status).toBe(403);
  });
});

describe('pages of other origins, with *', () => {
  let system: TestApi;
  let api: AnotherApi;
  beforeAll(async () => {
    system = await sharedTestApi();
    api = await anotherApi(system, { corsOrigins: '*' });
  });
  afterAll(async () => {
    await api.close();
    await system.close();
  });

  it('may call with a key, never with a cookie', async () => {
    const asked = await preflight(api, '/v1/messages', OTHER);
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    const answer = await api.call('GET', '/projects', undefined, { 'x-api-key': system.key, origin: OTHER });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    for (const { headers } of [asked, answer]) expect(headers.has('access-control-allow-credentials')).toBe(false);
  });

  it('cannot sign in, and cannot change anything by cookie', async () => {
    const from = { origin: OTHER, 'sec-fetch-site': 'cross-site' };
    expect((await api.call('POST', '/auth/sign-in', admin, from)).status).toBe(403);
    const cookie = `anneal_session=${system.session}`;
    expect((await api.call('POST', '/create-api-key', { name: 'x' }, { cookie, ...from })).status).toBe(403);
  });
});

describe('pages of other origins, without the setting', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
  });
  afterAll(() => api.close());

  it('get no CORS headers', async () => {
    const asked = await preflight(api, '/inference', PAGE);
    expect([asked.status, corsOf(asked)]).toEqual([401, []]);
    expect(corsOf(await api.call('GET', '/projects', undefined, { 'x-api-key': api.key, origin: PAGE }))).toEqual([]);
  });
});

describeEmbedded('presigned addresses and pages of other origins', 'the bucket of S3 has rules of its own', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi({ corsOrigins: [PAGE] });
  });
  afterAll(() => api.close());

  it('let scripts of listed origins download and upload', async () => {
    const { objectStore } = api.application.ports;
    await objectStore.put('jobs/1/model', Buffer.from('weights'));
    const url = await objectStore.presignGet('jobs/1/model', { expiresInSeconds: 60, fileName: 'model' });
    const got = await fetch(url, { headers: { origin: PAGE } });
    expect([await got.text(), got.headers.get('access-control-allow-origin')]).toEqual(['weights', PAGE]);
    const { body } = await api.call('POST', '/felix/datasets/upload/url', { dataset_name: 'from a page' });
    const put = await fetch(body.presigned_url, { method: 'PUT', body: '{"text": "x"}', headers: { origin: PAGE } });
    expect(await put.json()).toMatchObject({ size: 13 });
    expect(put.headers.get('access-control-allow-origin')).toBe(PAGE);
  });
});
