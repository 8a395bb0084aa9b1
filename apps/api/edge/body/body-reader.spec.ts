import { fastify, type FastifyInstance } from 'fastify';
import { connect, type AddressInfo } from 'node:net';
import { addConnections, Connections } from '../connections/connections.js';
import { connectionLimits } from '../connections/limits.js';
import { addBodyReader } from './body-reader.js';
import type { HttpError } from '../errors/http-error.js';

function bare(): FastifyInstance {
  const connections = new Connections(connectionLimits(1_000), true);
  const app = fastify({ serverFactory: (handler) => connections.createServer(handler) });
  addConnections(app, connections);
  return app;
}

it('a truncated body is a 400, not a server error', async () => {
  const app = bare();
  addBodyReader(app, 1_000);
  app.post('/', () => 'read');
  const refused = new Promise((resolve) =>
    app.setErrorHandler((error, _request, reply) => {
      resolve(error);
      return reply.send();
    }),
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  app.server.once('request', () => socket.destroy());
  const socket = connect(port, '127.0.0.1', () =>
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{"name":'),
  );
  expect(await refused).toMatchObject({
    status: 400,
    message: expect.stringContaining('before its body was complete'),
  });
  await app.close();
});

describe('a JSON body', () => {
  let app: FastifyInstance;
  beforeAll(() => {
    app = bare();
    addBodyReader(app, 4 * 1024 * 1024);
    app.post('/', ({ body }) => ({ body }));
    const bodyLimits = { bytes: 16 * 1024 * 1024, values: 50_000 };
    app.post('/large', { config: { bodyLimits } }, ({ body }) => ({ size: JSON.stringify(body).length }));
    app.setErrorHandler((error: HttpError, _request, reply) =>
      reply.code(error.status).send({ detail: error.message, errors: error.options.errors }),
    );
  });
  afterAll(() => app.close());
  const send = (payload: string | Buffer, url = '/') =>
    app.inject({ method: 'POST', url, payload, headers: { 'content-type': 'application/json' } });
  const refusal = async (payload: string | Buffer, url?: string) => {
    const answer = await send(payload, url);
    return [answer.statusCode, answer.json<{ detail: string }>().detail];
  };

  it.each([
    '',
    ' ',
    'application/json;',
    'application/json; charset',
    'application/json, application/json',
    'text/json',
  ])('is JSON with the Content-Type %j', async (type) => {
    const headers = { 'content-type': type };
    const answer = await app.inject({ method: 'POST', url: '/', payload: '{"a":1}', headers });
    expect([answer.statusCode, answer.json()]).toEqual([200, { body: { a: 1 } }]);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded'])('is refused with the Content-Type %j', async (type) => {
    const headers = { 'content-type': type };
    const answer = await app.inject({ method: 'POST', url: '/', payload: '{"a":1}', headers });
    expect([400, 415]).toContain(answer.statusCode);
  });

  it('with more bytes than its route takes is 413, and the error names the limit', async () => {
    expect(await refusal(JSON.stringify({ a: 'x'.repeat(65_536) }))).toEqual([
      413,
      'the body is larger than 65536 bytes',
    ]);
    expect(await refusal(JSON.stringify({ a: 'x'.repeat(4 * 1024 * 1024) }), '/large')).toEqual([
      413,
      'the body is larger than 4194304 bytes',
    ]);
  });

  it('with more values than its route takes is 422, and the error names the limit', async () => {
    const answer = await send(JSON.stringify({ a: Array.from({ length: 1_000 }, () => 0) }));
    expect([answer.statusCode, answer.json()]).toEqual([
      422,
      {
        detail: 'the body holds more than 1000 values; send less in one request',
        errors: [{ loc: ['body'], msg: 'holds more than 1000 values; send less in one request', type: 'out_of_range' }],
      },
    ]);
    expect((await send(JSON.stringify({ a: Array.from({ length: 998 }, () => 0) }))).statusCode).toBe(200);
  });

  it('nested too deeply to be stored is 422', async () => {
    const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
    expect((await send(nested(64))).statusCode).toBe(200);
    expect(await refusal(nested(66))).toEqual([422, expect.stringContaining('64 levels')]);
  });

  it.each(['{"__proto__":1}', '{"a":[{"__proto__":{}}]}', '{"\\u005f_proto__":1}', '{"__pr\\u006Fto__":1}'])(
    'is 400 with the name __proto__, as %s',
    async (text) => expect(await refusal(text)).toEqual([400, expect.stringContaining('__proto__')]),
  );

  it('may contain the text __proto__', async () => {
    expect((await send('{"a":"__proto__","b":"\\u005f"}')).json()).toEqual({ body: { a: '__proto__', b: '_' } });
  });

  it('that is not JSON is 400, and the error gives the place but not the content', async () => {
    const [status, detail] = await refusal('{"secret":tru}');
    expect([status, detail]).toEqual([400, expect.stringContaining('not valid JSON')]);
    expect(detail).not.toContain('secret');
    expect(await refusal('{"a":')).toEqual([400, expect.stringMatching('too early')]);
    expect(await refusal(Buffer.from([0x22, 0xff, 0x22]))).toEqual([400, 'the body is not valid UTF-8']);
  });

  it('parsed in several turns gives the same value or refusal', async () => {
    const text = 'é\n"\\'.repeat(200_000);
    expect((await send(JSON.stringify({ text }), '/large')).json()).toEqual({ size: JSON.stringify({ text }).length });
    expect(await refusal(`{"a":"${'x'.repeat(300_000)}`, '/large')).toEqual([
      400,
      expect.stringMatching('too early|at position'),
    ]);
  });
});
