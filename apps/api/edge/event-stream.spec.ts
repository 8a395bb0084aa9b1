import { jest } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import type { AnswerStream } from '#calls/index.js';
import type { GenerationEvent } from '#calls/hosted/port.js';
import { HttpError } from './errors/http-error.js';
import type { FastifyReply } from './http.js';
import { sendEvents, type StreamEncoder } from './event-stream.js';

const text = (said: string): readonly GenerationEvent[] => [{ type: 'text', part: 0, text: said }];
const told = (error: unknown) => new HttpError(503, (error as Error).message);

/** Writes one line per event. */
const plain: StreamEncoder = {
  begin: () => '<',
  batch: (events) => events.map((event) => (event.type === 'text' ? `${event.text}\n` : '')).join(''),
  end: () => '>',
  error: (error, requestId) => `! ${error.message} ${requestId}`,
};

/** A run of batches that notes how it is left. */
class Run {
  left: unknown[] = [];
  drawn = 0;
  readonly run: AnswerStream;

  constructor(batches: () => AsyncGenerator<readonly GenerationEvent[]>) {
    const counted = async function* (this: Run) {
      for await (const batch of batches()) {
        this.drawn += 1;
        yield batch;
      }
    }.bind(this);
    this.run = {
      events: counted(),
      leave: async (error?: unknown) => void this.left.push(error),
    } as unknown as AnswerStream;
  }
}

describe('an event stream to a client', () => {
  let server: Server;
  let sending: () => { run: Run; encoder: StreamEncoder };
  let sent: PromiseWithResolvers<void>;
  let sockets: Socket[];

  beforeEach(async () => {
    sent = Promise.withResolvers();
    sockets = [];
    server = createServer((_, raw) => {
      const { run, encoder } = sending();
      const reply = { raw, hijack: () => undefined, request: { id: 'r1' } } as unknown as FastifyReply;
      sendEvents(reply, run.run, encoder, told).then(sent.resolve, sent.reject);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answer = async (run: Run, encoder = plain) => {
    sending = () => ({ run, encoder });
    const response = await fetch(url());
    return { response, body: await response.text() };
  };
  /** A client that reads nothing until told to. */
  const silentClient = async (run: Run) => {
    sending = () => ({ run, encoder: plain });
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    socket.pause();
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    return socket;
  };

  it("sends the encoder's output", async () => {
    const run = new Run(async function* () {
      yield* [text('a'), [], text('b')];
    });
    const { response, body } = await answer(run);
    expect(body).toBe('<a\nb\n>');
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(run.left).toEqual([]);
  });

  it('sends the first batch without waiting for the next', async () => {
    const goOn = Promise.withResolvers<void>();
    sending = () => ({
      run: new Run(async function* () {
        yield text('a');
        await goOn.promise;
        yield text('b');
      }),
      encoder: plain,
    });
    const { body } = await fetch(url());
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe('<a\n');
    goOn.resolve();
    expect((await reader.read()).value).toMatch(/^b\n/);
    await reader.cancel();
  });

  it('sends its status at once even if the first batch is empty', async () => {
    const goOn = Promise.withResolvers<void>();
    sending = () => ({
      run: new Run(async function* () {
        yield [];
        await goOn.promise;
      }),
      encoder: { ...plain, begin: () => '' },
    });
    const response = await fetch(url());
    expect(response.status).toBe(200);
    goOn.resolve();
    expect(await response.text()).toBe('>');
  });

  it.each<[string, Partial<StreamEncoder>, string]>([
    ['its beginning', { begin: fails }, '! no such word r1'],
    ['a batch', { batch: fails }, '<! no such word r1'],
    ['its end', { end: fails }, '<a\n! no such word r1'],
  ])('ends with an error if its encoder cannot write %s, and reports the error to the run', async (_, broken, said) => {
    const run = new Run(async function* () {
      yield text('a');
    });
    const { body } = await answer(run, { ...plain, ...broken });
    expect(body).toBe(said);
    expect(run.left).toEqual([expect.objectContaining({ message: 'no such word' })]);
  });

  it('ends with an error if it fails in the middle', async () => {
    const run = new Run(async function* () {
      yield text('a');
      throw new Error('the provider broke off');
    });
    expect((await answer(run)).body).toBe('<a\n! the provider broke off r1');
  });

  it('draws events no faster than the client reads', async () => {
    const piece = text('x'.repeat(256 * 1024));
    const run = new Run(async function* () {
      for (;;) yield piece;
    });
    const socket = await silentClient(run);
    // The stream is at rest once it draws no event while others are served.
    for (let before = -1; before !== run.drawn || before === 0;) {
      before = run.drawn;
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    }
    // Bounded by both sockets' buffers and one piece more.
    expect(run.drawn).toBeLessThan(200);
    const rested = run.drawn;
    socket.resume();
    while (run.drawn < rested + 20) await new Promise(setImmediate);
    socket.destroy();
    await sent.promise;
    expect(run.left).toEqual([undefined]);
  });

  it('ends when a client that does not read disconnects', async () => {
    const run = new Run(async function* () {
      for (;;) yield text('x'.repeat(256 * 1024));
    });
    const socket = await silentClient(run);
    while (run.drawn < 2) await new Promise(setImmediate);
    socket.destroy();
    await sent.promise;
    expect(run.left).toEqual([undefined]);
  });

  it('ends when the client reads nothing for two minutes', async () => {
    const run = new Run(async function* () {
      for (;;) yield text('x'.repeat(256 * 1024));
    });
    // A response that nobody reads and that no kernel buffers, so that it is full once and for good.
    const raw = Object.assign(new PassThrough({ highWaterMark: 1 }), { writeHead: () => undefined });
    const reply = { raw, hijack: () => undefined, request: { id: 'r1' } } as unknown as FastifyReply;
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
    try {
      const ended = sendEvents(reply, run.run, plain, told);
      while (jest.getTimerCount() === 0) await new Promise(setImmediate);
      jest.advanceTimersByTime(119_999);
      await new Promise(setImmediate);
      expect(run.left).toEqual([]);
      jest.advanceTimersByTime(1);
      await ended;
    } finally {
      jest.useRealTimers();
    }
    expect(run.left).toEqual([undefined]);
  });

  it('ends when the client disconnects between two batches', async () => {
    const goOn = Promise.withResolvers<void>();
    const run = new Run(async function* () {
      yield text('a');
      await goOn.promise;
      yield text('b');
    });
    const socket = await silentClient(run);
    while (run.drawn < 1) await new Promise(setImmediate);
    socket.destroy();
    while ((await connections()) > 0) await new Promise(setImmediate);
    goOn.resolve();
    await sent.promise;
    expect(run.left).toEqual([undefined]);
  });
  const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
});

function fails(): never {
  throw new Error('no such word');
}
