import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, constants, createZstdCompress, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { anotherApi } from '#test/support/another-api.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { eventually } from '#test/support/eventually.js';
import { openRawClient } from '#test/support/raw-client.js';

const MIB = 1024 ** 2;
const ENCODERS: readonly (readonly [string, (content: string | Buffer) => Buffer])[] = [
  ['gzip', (content) => gzipSync(content)],
  ['deflate', (content) => deflateSync(content)],
  ['br', (content) => brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })],
  ['zstd', (content) => zstdCompressSync(content)],
];

const head = (key: string, headers: string) =>
  `POST /projects HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Encoding: gzip\r\n${headers}\r\n\r\n`;
const project = (name: string) => JSON.stringify({ name, description: 'x'.repeat(500) });

describe('encoded bodies', () => {
  let api: TestSystem;
  beforeAll(async () => {
    api = await startTestApi({ bodyMaxBytes: 4 * MIB });
  });
  afterEach(async () => {
    const { held } = api.app.getHttpAdapter().getInstance().connections;
    await eventually(() => Promise.resolve(held.size === 0));
  });
  afterAll(() => api.close());

  it('that arrive too slowly are 408', async () => {
    const slow = await anotherApi(api, {}, { connections: { paceMs: 300, checkEveryMs: 50 } });
    const client = await openRawClient(slow.url);
    client.socket.on('error', () => undefined).write(head(api.key, 'Content-Length: 10000'));
    client.socket.write(gzipSync(project('x')).subarray(0, 20));
    expect(await client.until(/}$/)).toMatch(/^HTTP\/1\.1 408 /);
    client.socket.destroy();
    await slow.close();
  });

  async function post(path: string, body: Buffer, encoding: string, headers: Record<string, string> = {}) {
    const response = await fetch(api.url + path, {
      method: 'POST',
      headers: { 'x-api-key': api.key, 'content-type': 'application/json', 'content-encoding': encoding, ...headers },
      body: body as never,
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as never };
  }

  describe.each(ENCODERS)('%s', (encoding, encode) => {
    it('a body is decoded', async () => {
      const answer = await post('/projects', encode(project(`by ${encoding}`)), encoding);
      expect([answer.status, answer.body]).toMatchObject([200, { name: `by ${encoding}` }]);
    });

    it('a body so large that it is parsed over several turns is decoded', async () => {
      const call = { model_id: 'none', text: 'Maria Rossi flew to Berlin. '.repeat(20_000), schema: ['person'] };
      const answer = await post('/inference', encode(JSON.stringify(call)), encoding);
      // Read to its end: the model is looked for after the body.
      expect([answer.status, answer.body]).toMatchObject([404, { detail: expect.stringContaining('none') }]);
    });

    it.each([
      ['/projects', MIB],
      ['/inference', 8 * MIB],
    ])('decoding on %s stops with 413 at the size limit', async (path, bytes) => {
      const bomb = encode(Buffer.alloc(bytes, ' '));
      expect(bomb.length).toBeLessThan(bytes / 100);
      expect((await post(path, bomb, encoding)).status).toBe(413);
    });

    it('a body with more values than the route takes is 422', async () => {
      const body = encode(`[${'1,'.repeat(20_000)}1]`);
      const answer = await post('/projects', body, encoding);
      expect([answer.status, answer.body]).toMatchObject([422, { detail: expect.stringContaining('1000 values') }]);
    });

    it('a damaged or truncated body is 400', async () => {
      const whole = encode(project('x'));
      expect((await post('/projects', Buffer.from(project('x')), encoding)).status).toBe(400);
      expect((await post('/projects', whole.subarray(0, whole.length - 12), encoding)).status).toBe(400);
    });

    it('any body without a key is 401', async () => {
      const answer = await post('/projects', encode(Buffer.alloc(MIB)), encoding, { 'x-api-key': '' });
      expect(answer.status).toBe(401);
    });
  });

  it.each(['x-gzip', 'GZIP', 'identity, gzip', ' gzip ,'])('%j is gzip', async (encoding) => {
    expect((await post('/projects', gzipSync(project('x')), encoding)).status).toBe(200);
  });

  it.each(['compress', 'gzip, br', 'gzip, gzip', 'aws-chunked', '"gzip"'])('%j is 415 by name', async (encoding) => {
    const answer = await post('/v1/chat/completions', gzipSync('{}'), encoding);
    expect([answer.status, answer.body]).toMatchObject([
      415,
      { error: { code: 'unsupported_encoding', message: expect.stringContaining(JSON.stringify(encoding)) } },
    ]);
    expect(answer.headers.get('accept-encoding')).toBe('gzip, deflate, br, zstd');
  });

  it('zstd with a window that RFC 9659 does not allow is 400', async () => {
    const packer = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: 25 } });
    const body = await buffer(Readable.from([Buffer.from(project('x'))]).pipe(packer));
    expect((await post('/projects', body, 'zstd')).status).toBe(400);
  });

  const inChunk = (bytes: Buffer) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

  it('a body that decodes to more than the limit is refused before the whole body has arrived', async () => {
    const client = await openRawClient(api.url);
    client.socket.write(head(api.key, 'Transfer-Encoding: chunked'));
    client.socket.write(inChunk(gzipSync(Buffer.alloc(MIB, ' ')).subarray(0, 500)));
    expect(await client.until(/}$/)).toMatch(/^HTTP\/1\.1 413 /);
    client.socket.destroy();
  });

  it('a body larger than the limit is 413 even if it decodes to nothing', async () => {
    const client = await openRawClient(api.url);
    client.socket.write(head(api.key, 'Transfer-Encoding: chunked'));
    const [begin, emptyBlock] = [gzipSync('').subarray(0, 10), Buffer.from([0, 0, 0, 0xff, 0xff])];
    client.socket.write(inChunk(Buffer.concat([begin, ...Array<Buffer>(14_000).fill(emptyBlock)])));
    expect(await client.until(/}$/)).toMatch(/^HTTP\/1\.1 413 /);
    client.socket.destroy();
  });
});
