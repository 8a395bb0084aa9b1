import { fastify, type FastifyInstance } from 'fastify';
import { connect, type AddressInfo } from 'node:net';
import { addConnections, Connections } from './connections/connections.js';
import { connectionLimits } from './connections/limits.js';
import { addBodyReader, isNestedDeeperThan } from './body.js';

function bare(): FastifyInstance {
  const connections = new Connections(connectionLimits(1_000, {}), true);
  const app = fastify({ serverFactory: (handler) => connections.createServer(handler) });
  addConnections(app, connections);
  return app;
}

test('a body that breaks off is the fault of the client, not an error of the server', async () => {
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
  expect(await refused).toMatchObject({ status: 400, message: expect.stringContaining('broke off') });
  await app.close();
});

describe('nesting', () => {
  const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;

  test.each<[string, boolean]>([
    [nested(64), false],
    [nested(66), true],
    ['['.repeat(1_000_000), true],
    [`[${Array.from({ length: 100 }, () => '[1]').join()}]`, false],
    [JSON.stringify({ text: '[[{"'.repeat(100) }), false],
    [JSON.stringify({ text: '\\"['.repeat(100) }), false],
    [`{"text":"\\\\",${nested(66).slice(1)}`, true],
    [`"${'['.repeat(100)}`, false],
  ])('of %j: too deep is %j', (text, deep) => expect(isNestedDeeperThan(64, text)).toBe(deep));

  test('beyond what can be stored is 400, wherever it is sent', async () => {
    const app = bare();
    addBodyReader(app, 1_000_000);
    app.post('/', () => 'read');
    app.setErrorHandler((error, _request, reply) => reply.code(400).send({ detail: (error as Error).message }));
    const send = (payload: string) =>
      app.inject({ method: 'POST', url: '/', payload, headers: { 'content-type': 'application/json' } });
    expect((await send(nested(64))).statusCode).toBe(200);
    const refused = await send(nested(66));
    expect([refused.statusCode, refused.json()]).toEqual([400, { detail: expect.stringContaining('64 levels') }]);
  });
});
