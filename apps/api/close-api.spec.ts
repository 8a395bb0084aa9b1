import { connect, type Socket } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { once } from 'node:events';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { closeApi } from './close-api.js';

describe('closing', () => {
  let api: TestApi;
  let app: NestFastifyApplication;
  beforeEach(async () => {
    api = await startTestApi();
    app = api.app;
  });
  afterEach(() => api.close());

  /** A request whose body has begun to arrive. */
  async function begin(body: string, sent: number): Promise<{ socket: Socket; answer: Promise<string> }> {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', () => undefined);
    const answer = once(socket, 'close').then(() => text);
    const arrived = new Promise<void>((resolve) => app.getHttpServer().once('request', () => resolve()));
    socket.write(
      `POST /projects HTTP/1.1\r\nHost: x\r\nX-API-Key: ${api.key}\r\nContent-Length: ${body.length}\r\n\r\n` +
        body.slice(0, sent),
    );
    await arrived;
    return { socket, answer };
  }

  async function stopsListening(): Promise<void> {
    while (app.getHttpServer().listening) await new Promise(setImmediate);
  }

  test('lets a request under way end', async () => {
    const body = '{"name":"late"}';
    const { socket, answer } = await begin(body, 5);
    const closed = closeApi(app);
    await stopsListening();
    socket.write(body.slice(5));
    const text = await answer;
    expect(text).toMatch(/^HTTP\/1\.1 200[^]*"late"/);
    expect(text).toMatch(/^connection: close$/im);
    await closed;
    await expect(fetch(`${api.url}/health/live`)).rejects.toThrow();
  });

  test('a request that arrives meanwhile on an open connection is 503 in the usual shape', async () => {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.write('GET /health/live HTTP/1.1\r\n');
    // Once another request has been answered, the beginning of this one has been read.
    await fetch(`${api.url}/health/live`);
    const closed = closeApi(app);
    await stopsListening();
    socket.write('Host: x\r\n\r\n');
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 503 [^]*{"detail":"the server is stopping; try again"}$/);
    expect(text).toMatch(/^x-request-id: /im);
    await closed;
  });

  test('cuts one that does not end in time', async () => {
    const { answer } = await begin('{"name":"never"}', 5);
    await closeApi(app, 20);
    expect(await answer).toBe('');
  });
});
