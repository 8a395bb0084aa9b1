import { connect, type Socket } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { once } from 'node:events';
import { UnavailableError } from '#domain/errors.js';
import { anotherApi, type AnotherApi } from '#test/support/another-api.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { openRawClient, type RawClient } from '#test/support/raw-client.js';
import { closeApi } from './close-api.js';
import { loggedError } from './errors/filter.js';
import { StoppingError } from './errors/http-error.js';

describe('closing the API', () => {
  let system: TestSystem;
  let api: AnotherApi;
  let app: NestFastifyApplication;
  beforeAll(async () => {
    system = await startTestApi();
  });
  afterAll(() => system.close());
  beforeEach(async () => {
    api = await anotherApi(system);
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
      `POST /projects HTTP/1.1\r\nHost: x\r\nX-API-Key: ${system.key}\r\nContent-Length: ${body.length}\r\n\r\n` +
        body.slice(0, sent),
    );
    await arrived;
    return { socket, answer };
  }

  async function stopsListening(): Promise<void> {
    while (app.getHttpServer().listening) await new Promise(setImmediate);
  }

  it('lets an in-flight request finish', async () => {
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

  it('logs no error for a request that it refuses since it stops', () => {
    const lines: object[] = [];
    const logger = { error: (line: object) => lines.push(line), warn: (line: object) => lines.push(line) };
    const request = { id: 'r', method: 'GET', url: '/projects', routeOptions: { url: '/projects' } };
    const logged = (error: Error) => loggedError(error, request as never, false, logger as never).status;
    expect([logged(new StoppingError()), lines]).toEqual([503, []]);
    expect([logged(new UnavailableError('another')), lines.length]).toEqual([503, 1]);
  });

  it('answers 503 in the usual shape to a request that arrives on an open connection', async () => {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.write('GET /health/live HTTP/1.1\r\n');
    // An answer to another request proves that this one's beginning has been read.
    await fetch(`${api.url}/health/live`);
    const closed = closeApi(app);
    await stopsListening();
    socket.write('Host: x\r\n\r\n');
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 503 [^]*{"detail":"the server is stopping; try again"}$/);
    expect(text).toMatch(/^x-request-id: /im);
    await closed;
  });

  it('cuts off a request that does not finish in time', async () => {
    const { answer } = await begin('{"name":"never"}', 5);
    await closeApi(app, 20);
    expect(await answer).toBe('');
  });

  describe('closing kept connections', () => {
    const live = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
    const connections = () => app.getHttpAdapter().getInstance().connections;
    /** A connection that has had an answer. */
    async function kept(): Promise<RawClient> {
      const client = await openRawClient(api.url);
      client.socket.write(live);
      expect(await client.until(/{"status":"ok"}$/)).toMatch(/^HTTP\/1\.1 200 [^]*^connection: keep-alive\r$/im);
      return client;
    }

    it('answers a last request on each, and says that the connection closes', async () => {
      const client = await kept();
      const closed = closeApi(app);
      client.socket.write(live);
      expect(await client.until(/stopping[^]*}$/)).toMatch(/HTTP\/1\.1 503 [^]*^connection: close\r$/im);
      expect(await client.ended).toBe('end');
      await closed;
    });

    it('closes idle ones without a reset, even if a request crosses with the close', async () => {
      const clients = await Promise.all(Array.from({ length: 20 }, kept));
      // Half of them send at the moment at which the server ends the connection.
      const [first] = connections().idle();
      first!.once('finish', () => {
        for (const { socket } of clients.slice(0, 10)) socket.write(live);
      });
      await closeApi(app);
      expect(await Promise.all(clients.map(({ ended }) => ended))).toEqual(clients.map(() => 'end'));
    });

    it('answers every accepted request while clients keep sending', async () => {
      const ends: string[] = [];
      let answered = 0;
      const clients = Array.from({ length: 10 }, async () => {
        const client = await kept();
        const { socket } = client;
        let begun = client.text().length;
        for (;;) {
          socket.write(live);
          const after = begun;
          const whole = new RegExp(`^[^]{${after}}HTTP/1\\.1 [^]*\\r\\n\\r\\n{[^]*}$`);
          const text = await client.until(whole);
          answered += 1;
          begun = text.length;
          if (/^connection: close\r$/im.test(text.slice(after))) break;
        }
        ends.push(await client.ended);
      });
      while (answered < 20) await new Promise(setImmediate);
      await closeApi(app);
      await Promise.all(clients);
      expect(ends).toEqual(Array<string>(10).fill('end'));
    });
  });
});
