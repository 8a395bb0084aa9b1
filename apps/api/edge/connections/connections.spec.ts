import { once } from 'node:events';
import { testEmbedded } from '#test/deployments/test-api.js';
import { anotherApi, type AnotherApi } from '#test/support/another-api.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { openRawClient, type RawClient } from '#test/support/raw-client.js';
import { eventually } from '#test/support/eventually.js';
import type { Connections } from './connections.js';

const MIB = 1024 ** 2;

let system: TestSystem;
beforeAll(async () => {
  system = await startTestApi();
});
afterAll(() => system.close());

describe('slow clients', () => {
  let api: AnotherApi;
  beforeAll(async () => {
    const limits = { headersMs: 300, bodyMs: 3_000, lingerMs: 300, paceMs: 1_000, minBytesPerSecond: 1_000 };
    api = await anotherApi(system, {}, { connections: { ...limits, checkEveryMs: 50 } });
  });
  afterAll(() => api.close());

  const post = (path: string, headers: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
  /** Sends one piece after the other for as long as the connection is open. */
  function drip(client: RawClient, everyMs: number, piece: string): void {
    const timer = setInterval(() => client.socket.write(piece), everyMs);
    client.socket.once('close', () => clearInterval(timer));
    client.socket.on('error', () => undefined);
  }

  it('lose a connection on which they send nothing', async () => {
    const client = await openRawClient(api.url);
    expect(await client.until(/}$/)).toMatch(/^HTTP\/1\.1 408 [^]*Connection: close/);
    await once(client.socket, 'close');
  });

  it('get 408 for headers that arrive too slowly', async () => {
    const client = await openRawClient(api.url);
    client.socket.write('GET /health/live HTTP/1.1\r\n');
    drip(client, 40, 'X-A: b\r\n');
    expect(await client.until(/}$/)).toMatch(/^HTTP\/1\.1 408 [^]*Connection: close/);
  });

  it.each([
    ['/projects', /{"detail":"the request was too slow: the body must come at 1000 bytes a second/],
    ['/v1/chat/completions', /{"error":{"code":"request_timeout"/],
    ['/v1/messages', /{"type":"error","error":{/],
  ])('get 408 for a body of %s that arrives too slowly, in the shape of its errors', async (path, shape) => {
    const client = await openRawClient(api.url);
    client.socket.write(post(path, `X-API-Key: ${system.key}\r\nContent-Length: 10000\r\n`) + '{');
    drip(client, 40, ' ');
    const answer = await client.until(/}$/);
    expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*^connection: close\r$/im);
    expect(answer).toMatch(shape);
    await client.ended;
  });

  it('get 408 for a JSON body that keeps the minimum pace but not the total time', async () => {
    const client = await openRawClient(api.url);
    client.socket.write(post('/inference', `X-API-Key: ${system.key}\r\nContent-Length: 4000000\r\n`));
    drip(client, 20, ' '.repeat(1_000));
    expect(await client.until(/}$/)).toMatch(/^HTTP\/1\.1 408 [^]*within 3 seconds/);
  });

  it('are disconnected if a request is answered before its body has arrived, once they could read the answer', async () => {
    const client = await openRawClient(api.url);
    client.socket.write(post('/inference', 'Content-Length: 4000000\r\n'));
    drip(client, 20, ' '.repeat(1_000));
    expect(await client.until(/^HTTP\/1\.1 401 /)).toBeTruthy();
    await client.ended;
  });

  testEmbedded('may upload for as long as bytes keep coming, and get 408 when they stop', 'S3 takes it', async () => {
    const begun = await api.call('POST', '/felix/datasets/upload/url', {
      dataset_name: 'slow',
      filename: 'slow.jsonl',
    });
    const { pathname, search } = new URL(begun.body.presigned_url);
    const client = await openRawClient(api.url);
    client.socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n`);
    const start = performance.now();
    let sent = 0;
    // Longer than any JSON body may take.
    for (; performance.now() - start < 4_000; sent += 1_000) {
      client.socket.write(' '.repeat(1_000));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(client.text()).toBe('');
    expect(await client.until(/}$/)).toMatch(/^HTTP\/1\.1 408 /);
    expect(sent).toBeLessThan(10_000_000);
  });
});

describe('memory for unfinished bodies', () => {
  let api: AnotherApi;
  let connections: Connections;
  beforeEach(async () => {
    const bounds = { maxHeldBytes: 4 * MIB, maxHeldBytesByAddress: 3 * MIB };
    api = await anotherApi(system, { bodyMaxBytes: 2 * MIB, trustedProxies: 'loopback' }, { connections: bounds });
    ({ connections } = api.app.getHttpAdapter().getInstance());
  });
  afterEach(() => api.close());

  const begin = async (from: string, declared: number, sent: number): Promise<RawClient> => {
    const client = await openRawClient(api.url);
    client.socket.on('error', () => undefined);
    const head = `X-API-Key: ${system.key}\r\nX-Forwarded-For: ${from}\r\nContent-Length: ${declared}`;
    client.socket.write(`POST /inference HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n${' '.repeat(sent)}`);
    return client;
  };
  const holds = (bytes: number) => eventually(() => connections.held.size >= bytes);
  const holdsNothing = () => eventually(() => connections.held.size === 0);

  it('has a limit per address: a body that declares more than the remaining memory is refused unread', async () => {
    const first = await begin('203.0.113.1', 2 * MIB, MIB);
    await holds(MIB);
    const second = await begin('203.0.113.1', 2 * MIB, MIB);
    await holds(2 * MIB);
    const refused = await begin('203.0.113.1', 2 * MIB, 0);
    expect(await refused.until(/}$/)).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 1/);
    const other = await begin('203.0.113.2', MIB, 0);
    other.socket.write(`{"name":"x"${' '.repeat(MIB - 12)}}`);
    // Read to the end, and refused for its content.
    expect(await other.until(/}$/)).toMatch(/^HTTP\/1\.1 422 [^]*model_id/);
    for (const { socket } of [first, second, refused, other]) socket.destroy();
    await holdsNothing();
  });

  it('is limited over all addresses', async () => {
    const clients = [await begin('203.0.113.1', 2 * MIB, 1.5 * MIB), await begin('203.0.113.2', 2 * MIB, 1.5 * MIB)];
    await holds(3 * MIB);
    const refused = await begin('203.0.113.3', 2 * MIB, 0);
    expect(await refused.until(/}$/)).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 1/);
    for (const { socket } of [...clients, refused]) socket.destroy();
    await holdsNothing();
  });

  it('counts the memory used rather than the bytes, if bytes arrive one by one', async () => {
    const client = await openRawClient(api.url);
    client.socket.write(
      `POST /projects HTTP/1.1\r\nHost: x\r\nX-API-Key: ${system.key}\r\nTransfer-Encoding: chunked\r\n\r\n` +
        '1\r\n \r\n'.repeat(20_000),
    );
    await holds(2 * 16_384);
    expect(connections.held.size).toBe(2 * 16_384);
    client.socket.write('c\r\n{"name":"x"}\r\n0\r\n\r\n');
    expect(await client.until(/}$/)).toMatch(/^HTTP\/1\.1 200 /);
    expect(connections.held.size).toBe(0);
    client.socket.destroy();
  });
});

describe('connections', () => {
  it('are limited per address and in total', async () => {
    const api = await anotherApi(system, {}, { connections: { maxConnections: 5, maxConnectionsByAddress: 3 } });
    try {
      const live = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
      const open = await Promise.all([1, 2, 3].map(() => openRawClient(api.url)));
      for (const client of open) client.socket.write(live);
      await Promise.all(open.map((client) => client.until(/^HTTP\/1\.1 200 /)));
      const refused = await openRawClient(api.url);
      refused.socket.on('error', () => undefined);
      await refused.ended;
      expect(refused.text()).toBe('');
      open[0]!.socket.destroy();
      await open[0]!.ended;
      for (;;) {
        const next = await openRawClient(api.url);
        next.socket.on('error', () => undefined).write(live);
        const answered = await next.until(/^HTTP\/1\.1 200 /).catch(() => null);
        next.socket.destroy();
        if (answered !== null) break;
      }
      for (const { socket } of open) socket.destroy();
    } finally {
      await api.close();
    }
  });
});

describe('a request with Expect: 100-continue', () => {
  const head = (key: string) =>
    `POST /projects HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n`;

  it('is told to continue when its body is wanted', async () => {
    const client = await openRawClient(system.url);
    client.socket.write(head(system.key));
    await client.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    client.socket.write('{"name":"x"}');
    expect(await client.until(/}$/)).toMatch(/HTTP\/1\.1 200 [^]*connection: keep-alive/i);
    client.socket.destroy();
  });

  it('is refused without its body, and the connection closes', async () => {
    const client = await openRawClient(system.url);
    client.socket.write(head('pio_sk_unknown'));
    expect(await client.until(/}$/)).toMatch(/^HTTP\/1\.1 401 [^]*^connection: close\r$/im);
    await once(client.socket, 'close');
  });
});
