import { connect } from 'node:net';
import { startTestApi, type TestApi } from '#test/support/api.js';

describe('errors over HTTP', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi({ bodyMaxBytes: 64 * 1024 });
  });
  afterAll(() => api.close());

  describe('401', () => {
    it('has a message and a code without credentials', async () => {
      for (const path of ['/projects', '/nowhere', '/projects/%zz']) {
        const { status, body } = await api.call('GET', path, undefined, {});
        expect([path, status]).toEqual([path, 401]);
        expect(body).toEqual({ detail: { message: expect.any(String), code: 'invalid_credentials' } });
      }
    });

    it.each([
      [401, {}, 'invalid_api_key'],
      [404, null, 'not_found'],
    ])(
      "is %i for an unknown route below /v1 in OpenAI's envelope, along with the detail",
      async (status, headers, code) => {
        const answer = await api.call('GET', '/v1/nowhere', undefined, headers ?? { 'x-api-key': api.key });
        expect(answer.status).toBe(status);
        expect(answer.body).toEqual({
          detail: expect.anything(),
          error: { code, type: expect.any(String), param: null, message: expect.any(String) },
        });
      },
    );

    it.each([
      [{ 'x-api-key': 'sk-wrong-prefix' }, /begin with pio_sk_ or fast_sk_/],
      [{ 'x-api-key': `pio_sk_${'a'.repeat(43)}` }, /unknown/],
      [{ authorization: `Bearer pio_sk_${'a'.repeat(43)}` }, /unknown/],
      [{ 'x-api-key': `fast_sk_${'a'.repeat(43)}` }, /unknown/],
      [{ authorization: `Bearer fast_sk_${'a'.repeat(43)}` }, /unknown/],
      [{ authorization: 'Bearer no-such-session' }, /signed in/],
      [{ authorization: 'Basic dXNlcjpwYXNz' }, /Bearer/],
      [{ cookie: 'anneal_session=nonsense' }, /signed in/],
    ])('%j is refused with its fault and is not repeated', async (headers, message) => {
      const { status, body } = await api.call('GET', '/projects', undefined, headers);
      expect(status).toBe(401);
      expect(body).toEqual({ detail: expect.stringMatching(message) });
      for (const value of Object.values(headers)) expect(JSON.stringify(body)).not.toContain(value.split(' ').at(-1));
    });

    it('HEAD requires a key as GET does', async () => {
      const head = (headers: Record<string, string>) => fetch(`${api.url}/projects`, { method: 'HEAD', headers });
      expect((await head({})).status).toBe(401);
      expect((await head({ 'x-api-key': api.key })).status).toBe(200);
    });

    it('X-API-Key wins over Bearer', async () => {
      const good = { authorization: `Bearer ${api.key}`, 'x-api-key': 'pio_sk_wrong' };
      expect((await api.call('GET', '/projects', undefined, good)).status).toBe(401);
      const bad = { authorization: 'Bearer pio_sk_wrong', 'x-api-key': api.key };
      expect((await api.call('GET', '/projects', undefined, bad)).status).toBe(200);
    });

    it('is answered before the body is checked', async () => {
      expect((await api.call('POST', '/projects', '{', {})).status).toBe(401);
    });
  });

  it.each([
    ['GET', '/nowhere'],
    ['GET', '/projects/%2F'],
    ['GET', '/projects/%zz'],
    ['DELETE', `/projects/${'a'.repeat(3000)}`],
  ])('%s %#: an unknown path is 404 with detail', async (method, path) => {
    const { status, body } = await api.call(method, path);
    expect(status).toBe(404);
    expect(body).toEqual({ detail: expect.any(String) });
  });

  describe('bodies', () => {
    const post = (body: string, headers: Record<string, string> = {}) =>
      api.call('POST', '/projects', body, { 'x-api-key': api.key, ...headers });

    it.each([
      ['{', 'at position 1'],
      ['{"name":', 'it ends too early'],
      ['{"name":}', 'it holds a stray character'],
      ['{"name":"x"} trailing', 'at position 13'],
      ['\u0000', 'it holds a stray character'],
      ['{"__proto__":{"x":1}}', 'the name __proto__ is not allowed'],
    ])('malformed JSON %j is 400 with the position, and quotes nothing', async (body, where) => {
      const answer = await post(body);
      expect(answer.status).toBe(400);
      expect(answer.body.detail).toMatch(new RegExp(`^the body is not valid JSON: ${where}`));
    });

    it('another media type is 400', async () => {
      const answer = await post('name=x', { 'content-type': 'application/x-www-form-urlencoded' });
      expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining('JSON')]);
      expect((await post('{}', { 'content-type': 'nonsense' })).status).toBe(400);
    });

    it('an unknown content encoding is 415, naming the supported ones', async () => {
      const answer = await post('{"name":"x"}', { 'content-encoding': 'compress' });
      expect([answer.status, answer.body.detail]).toEqual([415, expect.stringContaining('"compress"')]);
      expect(answer.headers.get('accept-encoding')).toBe('gzip, deflate, br, zstd');
      expect((await post('{"name":"x"}', { 'content-encoding': 'identity' })).status).toBe(200);
    });

    it('JSON media types with parameters are accepted', async () => {
      for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/merge-patch+json'])
        expect((await post('{"name":"x"}', { 'content-type': type })).status).toBe(200);
    });

    it('are read as JSON without a Content-Type', async () => {
      const response = await fetch(`${api.url}/projects`, {
        method: 'POST',
        headers: { 'x-api-key': api.key },
        body: new TextEncoder().encode('{"name":"x"}'),
      });
      expect(response.status).toBe(200);
    });

    it('an empty body counts as no body', async () => {
      const answer = await post('', { 'content-type': 'application/json' });
      expect(answer.status).toBe(422);
      expect(answer.body.errors).toEqual([{ loc: ['body'], msg: expect.any(String), type: 'missing' }]);
      expect((await api.call('DELETE', '/projects/x', '')).status).toBe(404);
    });

    it.each(['null', '[]', '"text"', '5'])('%s in place of an object is 422', async (body) => {
      expect((await post(body)).status).toBe(422);
    });

    it('invalid UTF-8 is 400', async () => {
      const response = await fetch(`${api.url}/projects`, {
        method: 'POST',
        headers: { 'x-api-key': api.key, 'content-type': 'application/json' },
        body: Buffer.from([0x22, 0xff, 0x22]),
      });
      expect(response.status).toBe(400);
    });

    it('too large are 413, whether the length is declared or not', async () => {
      expect((await post(JSON.stringify({ name: 'x'.repeat(70_000) }))).status).toBe(413);
      const chunks = new ReadableStream({
        pull(controller) {
          controller.enqueue(new Uint8Array(16_384).fill(32));
        },
      });
      const response = await fetch(`${api.url}/projects`, {
        method: 'POST',
        headers: { 'x-api-key': api.key, 'content-type': 'application/json' },
        body: chunks,
        duplex: 'half',
      }).catch((error: unknown) => error);
      if (response instanceof Response) expect(response.status).toBe(413);
    });

    it.each([
      ['nested 30,000 levels deep', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
      ['nested without end', '['.repeat(30_000)],
    ])('%s is 422 and names the limit', async (_, deep) => {
      const { status, body } = await post(`{"name":"x","more":${deep}}`);
      const problem = 'is nested more than 64 levels deep; make it flatter';
      expect([status, body.errors]).toEqual([422, [{ loc: ['body'], msg: problem, type: 'out_of_range' }]]);
    });

    it('a hostile key is treated like any other', async () => {
      const answer = await post('{"name":"x","constructor":{"prototype":{"polluted":1}},"toString":5}');
      expect([answer.status, answer.headers.get('anneal-ignored')]).toEqual([200, 'constructor, toString']);
      expect(({} as { polluted?: number }).polluted).toBeUndefined();
    });
  });

  it.each([
    ['nonsense', 'nonsense\r\n\r\n', 400],
    ['a header of 20 KB', `GET /projects HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('answer unparseable requests (%s) in the native shape, and close the connection', async (_, sent, status) => {
    const { hostname, port } = new URL(api.url);
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => socket.write(sent));
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(text));
    });
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toMatch(/^X-Request-Id: [0-9a-f-]{36}$/m);
    expect(JSON.parse(body)).toEqual({ detail: expect.any(String) });
  });

  describe("the error's dialect", () => {
    const withVersion = () => ({ 'x-api-key': api.key, 'anthropic-version': '2023-06-01' });

    it("is Anthropic's with its version header, on any route", async () => {
      const { status, body, headers } = await api.call('GET', '/nowhere', undefined, withVersion());
      expect(status).toBe(404);
      expect(body).toEqual({
        type: 'error',
        error: { type: 'not_found_error', message: expect.any(String) },
        request_id: headers.get('request-id'),
      });
      const refused = await api.call('POST', '/projects', {}, withVersion());
      expect([refused.status, refused.body.error.type]).toEqual([422, 'invalid_request_error']);
      const anonymous = await api.call('GET', '/projects', undefined, { 'anthropic-version': 'x' });
      expect([anonymous.status, anonymous.body.error.type]).toEqual([401, 'authentication_error']);
    });

    it("is OpenAI's on OpenAI routes", async () => {
      for (const path of ['/v1/chat/completions', '/v1/v1/embeddings', '/v1/responses?x=1']) {
        const { status, body } = await api.call('POST', path, {}, {});
        expect([path, status]).toEqual([path, 401]);
        expect(body).toEqual({
          error: { code: 'invalid_api_key', type: 'authentication_error', param: null, message: expect.any(String) },
        });
      }
    });

    it('/v1/messages without the version header has both', async () => {
      const { body } = await api.call('POST', '/v1/messages', {}, {});
      expect(body).toMatchObject({ type: 'error', error: { type: 'authentication_error' }, detail: expect.anything() });
    });

    it('/v1/models has both', async () => {
      const { body } = await api.call('GET', '/v1/models/nothing%2Fhere', undefined, {});
      expect(body).toMatchObject({ error: { type: 'authentication_error' }, detail: expect.anything() });
    });
  });

  describe('request ids', () => {
    it('a valid one is echoed, on errors too', async () => {
      const headers = { 'x-api-key': api.key, 'x-request-id': 'build-17:3' };
      for (const path of ['/projects', '/nowhere', '/projects/%zz', '/health/live'])
        expect([path, (await api.call('GET', path, undefined, headers)).headers.get('x-request-id')]).toEqual([
          path,
          'build-17:3',
        ]);
    });

    it('an invalid one is replaced', async () => {
      for (const id of ['a b', '<script>', 'x'.repeat(200)]) {
        const { headers } = await api.call('GET', '/projects', undefined, { 'x-api-key': api.key, 'x-request-id': id });
        expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      }
    });
  });
});
