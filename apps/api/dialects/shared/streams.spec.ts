import { connect, type Socket } from 'node:net';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { hostedSettings, type HostedSettings } from '#test/support/hosted-settings.js';
import {
  begins,
  startScriptedProvider,
  streams,
  type Act,
  type ScriptedProvider,
} from '#test/support/scripted-provider.js';
import { closeApi } from '../../edge/close-api.js';

const PATH = '/v1/chat/completions';

describe('streams of the compatible routes', () => {
  let provider: ScriptedProvider;
  let hosted: HostedSettings;
  let api: TestSystem;
  let sockets: Socket[];

  beforeAll(async () => {
    provider = await startScriptedProvider();
    hosted = await hostedSettings(provider.url, { max_response_bytes: 2 ** 40 });
    api = await startTestApi({ ...hosted.values, metricsPort: 0 });
  });
  beforeEach(() => (sockets = []));
  afterEach(() => sockets.forEach((socket) => socket.destroy()));
  afterAll(async () => {
    await api.close();
    await hosted.remove();
    await provider.close();
  });

  /** Requests a stream by hand, and reads it or not. */
  const ask = (reads: boolean) => {
    const before = provider.seen.length;
    const upstream = () => provider.request(before);
    const body = JSON.stringify({ model: 'acme/chat', stream: true, messages: [{ role: 'user', content: 'Hi' }] });
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    const said = { text: '' };
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => (said.text += chunk.toString()));
    if (!reads) socket.pause();
    const head = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${api.key}\r\nContent-Type: application/json\r\n`;
    socket.write(`${head}X-Request-Id: mine-1\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    return { socket, said, upstream };
  };
  const turn = () => new Promise(setImmediate);
  const newest = async () => (await api.call('GET', '/inferences?limit=1')).body.inferences[0];
  /** Requests to this route that were counted as answered. */
  const counted = async () =>
    Number(/anneal_http_requests_total\{[^}]*chat\/completions[^}]*\} (\d+)/.exec(await api.metrics())?.[1] ?? 0);

  it('have the same headers as every answer', async () => {
    const before = await counted();
    provider.script(streams('Hello there'));
    const { headers } = await api.call('POST', PATH, {
      ...{ model: 'acme/chat', stream: true, messages: [{ role: 'user', content: 'Hi' }] },
    });
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': expect.any(String),
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': expect.any(String),
      'x-ratelimit-reset': expect.any(String),
    });
    expect(await counted()).toBe(before + 1);
  });

  it('are cancelled upstream when the client disconnects, counted, and recorded once with the partial output', async () => {
    const before = await counted();
    provider.script(begins('Hello there', 'hang'));
    const { socket, said, upstream } = ask(true);
    const { left } = await upstream();
    while (!said.text.includes('Hello there')) await turn();
    socket.destroy();
    await left;
    const record = await api.until(newest, (call) => call?.error_type === 'cancelled');
    expect(record).toMatchObject({ status: 'failed', format: 'openai', output_tokens: 4 });
    expect(record.cost).toBeGreaterThan(0);
    expect(await counted()).toBe(before + 1);
  });

  it('hold back a provider that sends faster than the client reads', async () => {
    let poured = 0;
    const floods: Act = (response) => {
      const piece = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(65_536) } }] })}\n\n`;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const pour = () => {
        do poured += 1;
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once('drain', pour);
      };
      pour();
    };
    provider.script(floods);
    const { socket, upstream } = ask(false);
    const { left } = await upstream();
    for (let before = -1; before !== poured;) {
      before = poured;
      for (let calls = 0; calls < 5; calls += 1) await api.call('GET', '/projects');
    }
    // The buffers of four sockets. Without back-pressure there is no end to it.
    expect(poured).toBeLessThan(1_000);
    socket.destroy();
    await left;
  });

  it('in flight end properly when the server closes', async () => {
    const goOn = Promise.withResolvers<void>();
    const pieces = streams('Hello there');
    provider.script(async (response, request) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"index":0,"delta":{"content":"First "}}]}\n\n');
      await goOn.promise;
      response.writeHead = () => response;
      await pieces(response, request);
    });
    const { socket, said } = ask(true);
    const ended = new Promise((resolve) => socket.once('close', resolve));
    while (!said.text.includes('First ')) await turn();
    const closed = closeApi(api.app);
    while (api.app.getHttpServer().listening) await turn();
    goOn.resolve();
    await ended;
    expect(said.text).toMatch(/x-request-id: mine-1/i);
    expect(said.text).toMatch(/there[^]*data: \[DONE\]\n\n\r\n0\r\n\r\n$/);
    await closed;
  });
});
