import { startTestApi, type TestApi } from '#test/support/api.js';
import { openRawClient } from '#test/support/raw-client.js';

const PAGE = 'https://app.example.com';

describe('a method that a path does not support', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi({ corsOrigins: [PAGE] });
  });
  afterAll(() => api.close());

  it.each([
    ['PATCH', '/projects', 'GET, HEAD, POST'],
    ['PATCH', '/projects/?limit=1', 'GET, HEAD, POST'],
    ['PATCH', '/proj%65cts', 'GET, HEAD, POST'],
    ['PUT', '/projects/a%2Fb', 'GET, HEAD, DELETE'],
    ['POST', '/health', 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
    ['DELETE', '/objects/a/b/c', 'GET, HEAD, PUT'],
    ['GET', '/inference', 'POST'],
    ['QUERY', '/inference', 'POST'],
    ['PROPFIND', '/inference', 'POST'],
    ['POST', '/felix/datasets/upload/nothing', 'GET, HEAD, PATCH, DELETE'],
  ])('%s %s is 405, and Allow lists the supported methods', async (method, path, allow) => {
    const { status, headers, body } = await api.call(method, path);
    expect([status, headers.get('allow')]).toEqual([405, allow]);
    expect(body).toEqual({ detail: `this path does not take ${method}; it takes ${allow}` });
  });

  it('TRACE is 405 on an existing route, and 404 elsewhere', async () => {
    const trace = async (path: string) => {
      const client = await openRawClient(api.url);
      client.socket.write(`TRACE ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${api.key}\r\nConnection: close\r\n\r\n`);
      await client.ended;
      return client.text();
    };
    expect(await trace('/projects/x')).toMatch(/^HTTP\/1\.1 405 [^]*\r\nallow: GET, HEAD, DELETE\r\n/);
    expect(await trace('/nowhere')).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('a WebSocket handshake is answered 426, so that clients fall back to HTTP', async () => {
    const client = await openRawClient(api.url);
    client.socket.write(`GET /v1/responses HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\n`);
    const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    client.socket.write(`Connection: Upgrade, close\r\nUpgrade: websocket\r\n${key}\r\n\r\n`);
    await client.ended;
    expect(client.text()).toMatch(
      /^HTTP\/1\.1 426 [^]*\r\nupgrade: HTTP\/1\.1\r\n[^]*"code":"websocket_not_supported"/i,
    );
  });

  it('HEAD is 405 on a route without GET', async () => {
    const { status, headers } = await fetch(`${api.url}/gliner-2`, {
      method: 'HEAD',
      headers: { 'x-api-key': api.key },
    });
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('a newer name of a path allows its own methods, which may be fewer', async () => {
    const allow = async (path: string) => (await api.call('PATCH', path)).headers.get('allow');
    expect(await allow('/v1/training/jobs/x')).toBe('GET, HEAD, DELETE');
    expect(await allow('/v1/gliner-2')).toBe('POST');
  });

  it.each([
    ['/v1/completions', {}, { error: { code: 'method_not_allowed', type: 'invalid_request_error' } }],
    ['/v1/messages', {}, { type: 'error', error: { type: 'invalid_request_error' }, detail: expect.any(String) }],
    ['/v1/gliner-2', {}, { error: { code: 'method_not_allowed' }, detail: expect.any(String) }],
    ['/inference', { 'anthropic-version': '2023-06-01' }, { type: 'error', error: { type: 'invalid_request_error' } }],
  ])('is refused in the error shape of %s', async (path, headers, shape) => {
    const { status, body } = await api.call('GET', path, undefined, { 'x-api-key': api.key, ...headers });
    expect(status).toBe(405);
    expect(body).toMatchObject(shape);
  });

  it('without a key is 401, the same for known and unknown paths', async () => {
    const [known, unknown] = await Promise.all(
      ['/projects', '/nowhere'].map((path) => api.call('PATCH', path, undefined, {})),
    );
    expect(known).toMatchObject({ status: 401, body: unknown!.body });
    expect([known!.headers.get('allow'), unknown!.status]).toEqual([null, 401]);
  });

  it('with an invalid body is 405 too', async () => {
    expect((await api.call('PUT', '/projects', '{')).status).toBe(405);
  });

  it('a path without a route is 404 for every method', async () => {
    for (const path of ['/nowhere', '/projects/x/y', '/Projects', '//projects'])
      for (const method of ['GET', 'PATCH']) expect([path, (await api.call(method, path)).status]).toEqual([path, 404]);
  });

  it('OPTIONS is 204, with a preflight for CORS or without, and 404 where there is no route', async () => {
    const preflight = { origin: PAGE, 'access-control-request-method': 'POST' };
    expect((await api.call('OPTIONS', '/inference', undefined, preflight)).status).toBe(204);
    for (const [path, allow] of [
      ['/inference', 'POST'],
      ['/v1/chat/completions', 'POST'],
      ['/projects', 'GET, HEAD, POST'],
    ] as const) {
      const { status, headers } = await api.call('OPTIONS', path);
      expect([status, headers.get('allow')]).toEqual([204, allow]);
    }
    expect((await api.call('OPTIONS', '/nowhere')).status).toBe(404);
    expect((await api.call('OPTIONS', '/inference', undefined, {})).status).toBe(401);
  });
});
