import { fastify } from 'fastify';
import { connect, type AddressInfo } from 'node:net';
import { addBodyReader } from './body.js';

test('a body that breaks off is the fault of the client, not an error of the server', async () => {
  const app = fastify();
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
