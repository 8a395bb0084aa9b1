import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { FastifyRequest } from './http.js';
import { untilClientGone } from './client-gone.js';

describe('a task that runs until its client disconnects', () => {
  const server = createServer({ keepAlive: true });
  server.timeout = 120_000;
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const asked = async () => {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [raw] = (await once(server, 'request')) as [IncomingMessage];
    return { client, raw, request: { raw, server: { server } } as unknown as FastifyRequest };
  };

  it('sees its signal abort when the client disconnects', async () => {
    const { client, request } = await asked();
    await untilClientGone(request, async (signal) => {
      expect(signal.aborted).toBe(false);
      client.destroy();
      await once(signal, 'abort');
    });
  });

  it('starts with an aborted signal if the client has already disconnected', async () => {
    const { client, raw, request } = await asked();
    client.destroy();
    await once(raw.socket, 'close');
    await untilClientGone(request, async (signal) => expect(signal.aborted).toBe(true));
  });

  it('runs without a socket timeout, which is restored afterwards', async () => {
    const { client, raw, request } = await asked();
    const listeners = raw.socket.listenerCount('close');
    expect(raw.socket.timeout).toBe(120_000);
    await untilClientGone(request, async () => expect(raw.socket.timeout).toBe(0));
    expect(raw.socket.timeout).toBe(120_000);
    expect(raw.socket.listenerCount('close')).toBe(listeners);
    client.destroy();
  });
});
