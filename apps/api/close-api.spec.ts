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

  test('lets a request under way end', async () => {
    const body = '{"name":"late"}';
    const { socket, answer } = await begin(body, 5);
    const closed = closeApi(app);
    socket.write(body.slice(5));
    expect(await answer).toMatch(/^HTTP\/1\.1 200[^]*"late"/);
    await closed;
    await expect(fetch(`${api.url}/health/live`)).rejects.toThrow();
  });

  test('cuts one that does not end in time', async () => {
    const { answer } = await begin('{"name":"never"}', 5);
    await closeApi(app, 20);
    expect(await answer).toBe('');
  });
});
