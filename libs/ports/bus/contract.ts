import type { Json } from '#domain/json.js';
import { callOnce, CallTimedOutError, NoServerError, RemoteError, type Bus, type CallHandler } from './port.js';

/** The promises of every bus adapter. `open` gives a bus of its own, with short waits before a redelivery. */
export function busContract(name: string, open: () => Promise<Bus>): void {
  describe(`bus: ${name}`, () => {
    let bus: Bus;
    beforeEach(async () => {
      bus = await open();
    });
    afterEach(() => bus.close());

    describe('offer and take', () => {
      it('delivers each message to one taker, in order, whether it was offered before or after', async () => {
        const taken = collect(4);
        await bus.offer('jobs', '1', 1);
        await bus.offer('jobs', '2', 2);
        bus.take('jobs', async (body) => taken.add(body));
        await bus.offer('jobs', '3', 3);
        await bus.offer('jobs', '4', 4);
        expect(await taken.all).toEqual([1, 2, 3, 4]);
      });

      it('takers share the messages, each message going to one of them', async () => {
        const taken = collect(20);
        // Each taker holds its first message until the other has one.
        const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
        for (const own of begun)
          bus.take('jobs', async (body) => {
            own.resolve();
            await Promise.all(begun.map(({ promise }) => promise));
            taken.add(body);
          });
        for (let index = 0; index < 20; index += 1) await bus.offer('jobs', String(index), index);
        expect(new Set(await taken.all).size).toBe(20);
      });

      it('a message that a handler rejects is delivered again until one takes it', async () => {
        const taken = collect(1);
        let tries = 0;
        bus.take('jobs', async (body) => {
          tries += 1;
          if (tries < 3) throw new Error('not now');
          taken.add(body);
        });
        await bus.offer('jobs', '1', 'x');
        expect(await taken.all).toEqual(['x']);
        expect(tries).toBe(3);
      });

      it('a rejected message does not hold up the others', async () => {
        const taken = collect(2);
        bus.take('jobs', async (body) => {
          if (body === 'bad' && !taken.got.includes('good')) throw new Error('not now');
          taken.add(body);
        });
        await bus.offer('jobs', '1', 'bad');
        await bus.offer('jobs', '2', 'good');
        expect(await taken.all).toEqual(['good', 'bad']);
      });

      it('the same id offered again at once is delivered once', async () => {
        const taken = collect(2);
        bus.take('jobs', async (body) => taken.add(body));
        await bus.offer('jobs', 'same', 1);
        await bus.offer('jobs', 'same', 1);
        await bus.offer('jobs', 'other', 2);
        expect(await taken.all).toEqual([1, 2]);
      });

      it('a stopped taker takes no more, and stopping waits for what it has in hand', async () => {
        const started = Promise.withResolvers<void>();
        const finish = Promise.withResolvers<void>();
        let finished = false;
        const first = bus.take('jobs', async () => {
          started.resolve();
          await finish.promise;
          finished = true;
        });
        await bus.offer('jobs', '1', 1);
        await started.promise;
        const stopping = first.stop();
        await bus.offer('jobs', '2', 2);
        const taken = collect(1);
        bus.take('jobs', async (body) => taken.add(body));
        expect(await taken.all).toEqual([2]);
        expect(finished).toBe(false);
        finish.resolve();
        await stopping;
        expect(finished).toBe(true);
      });
    });

    describe('signal and listen', () => {
      it('delivers every signal to every listener, in order, asynchronously', async () => {
        const first = collect(3);
        const second = collect(3);
        bus.listen('progress', (body) => first.add(body));
        bus.listen('progress', (body) => second.add(body));
        bus.listen('other', () => first.add('not this'));
        for (const body of [1, 2, 3]) bus.signal('progress', body);
        expect(first.got).toEqual([]);
        expect(await first.all).toEqual([1, 2, 3]);
        expect(await second.all).toEqual([1, 2, 3]);
      });

      it('a listener that throws harms neither the others nor the caller', async () => {
        const heard = collect(2);
        bus.listen('progress', () => {
          throw new Error('broken listener');
        });
        bus.listen('progress', (body) => heard.add(body));
        bus.signal('progress', 1);
        bus.signal('progress', 2);
        expect(await heard.all).toEqual([1, 2]);
      });

      it('a stopped listener hears nothing more', async () => {
        const stopped = collect(1);
        const other = collect(2);
        const subscription = bus.listen('progress', (body) => stopped.add(body));
        bus.listen('progress', (body) => other.add(body));
        bus.signal('progress', 1);
        await stopped.all;
        await subscription.stop();
        bus.signal('progress', 2);
        await other.all;
        expect(stopped.got).toEqual([1]);
      });
    });

    describe('call and serve', () => {
      const options = { deadlineMs: 60_000 };

      it('a plain answer is one frame', async () => {
        bus.serve('double', async (body) => (body as number) * 2);
        expect(await Array.fromAsync(bus.call('double', 21, options))).toEqual([42]);
        expect(await callOnce(bus, 'double', 4, options)).toBe(8);
      });

      it('a streamed answer gives its frames in order', async () => {
        bus.serve('count', async function* (body) {
          for (let frame = 0; frame < (body as number); frame += 1) yield frame;
        });
        expect(await Array.fromAsync(bus.call('count', 5, options))).toEqual([0, 1, 2, 3, 4]);
      });

      it('a large request and a large answer arrive whole', async () => {
        bus.serve('echo', async (body) => body);
        const large = 'ä'.repeat(2 * 1024 * 1024);
        expect((await callOnce(bus, 'echo', [large, 'x'], options)) as Json[]).toEqual([large, 'x']);
      });

      it('stopping a server waits for the calls that it has in hand', async () => {
        const begun = Promise.withResolvers<void>();
        const finish = Promise.withResolvers<void>();
        const server = bus.serve('slow', async () => {
          begun.resolve();
          await finish.promise;
          return 'answered';
        });
        const answer = callOnce(bus, 'slow', null, options);
        await begun.promise;
        let stopped = false;
        const stopping = server.stop().then(() => (stopped = true));
        await expect(callOnce(bus, 'nobody', null, options)).rejects.toThrow(NoServerError);
        expect(stopped).toBe(false);
        finish.resolve();
        expect(await answer).toBe('answered');
        await stopping;
      });

      it('fails with an error of its own when there is no server', async () => {
        await expect(callOnce(bus, 'nobody', null, options)).rejects.toThrow(NoServerError);
        const server = bus.serve('left', async () => 1);
        await callOnce(bus, 'left', null, options);
        await server.stop();
        await expect(callOnce(bus, 'left', null, options)).rejects.toThrow(NoServerError);
      });

      it("passes on a server's error with its code, message and details", async () => {
        bus.serve('plain', async () => {
          throw Object.assign(new Error('the model is not there'), { code: 'model_missing' });
        });
        bus.serve('detailed', async () => {
          throw new RemoteError('model_missing', 'the model is not there', { model: 'm1' });
        });
        bus.serve('streamed', async function* () {
          yield 1;
          throw new Error('lost it');
        });
        const plain = await callOnce(bus, 'plain', null, options).catch((error: unknown) => error);
        expect(plain).toBeInstanceOf(RemoteError);
        expect(plain).toMatchObject({ code: 'model_missing', message: 'the model is not there', details: {} });
        const detailed = await callOnce(bus, 'detailed', null, options).catch((error: unknown) => error);
        expect(detailed).toBeInstanceOf(RemoteError);
        expect(detailed).toMatchObject({ code: 'model_missing', details: { model: 'm1' } });
        const frames: Json[] = [];
        const streamed = await (async () => {
          for await (const frame of bus.call('streamed', null, options)) frames.push(frame);
        })().catch((error: unknown) => error);
        expect(frames).toEqual([1]);
        expect(streamed).toMatchObject({ name: 'RemoteError', message: 'lost it' });
      });

      it('a passed deadline ends the call and tells the server', async () => {
        const told = Promise.withResolvers<void>();
        let isServed = false;
        bus.serve('slow', async (_body, { signal }) => {
          isServed = true;
          signal.addEventListener('abort', () => told.resolve());
          await told.promise;
          return 'late';
        });
        // A call whose deadline passes on its way to the server has nobody to tell.
        for (let deadlineMs = 20; !isServed; deadlineMs *= 2)
          await expect(callOnce(bus, 'slow', null, { deadlineMs })).rejects.toThrow(CallTimedOutError);
        await told.promise;
      });

      it('aborting ends the call and tells the server', async () => {
        const served = Promise.withResolvers<void>();
        const told = Promise.withResolvers<void>();
        bus.serve('slow', async (_body, { signal }) => {
          served.resolve();
          signal.addEventListener('abort', () => told.resolve());
          await told.promise;
          return 'late';
        });
        const abort = new AbortController();
        const call = callOnce(bus, 'slow', null, { ...options, signal: abort.signal });
        await served.promise;
        abort.abort(new Error('the client has left'));
        await expect(call).rejects.toThrow('the client has left');
        await told.promise;
      });

      it('leaving the loop early tells the server', async () => {
        const ended = Promise.withResolvers<void>();
        bus.serve('endless', async function* (_body, { signal }) {
          signal.addEventListener('abort', () => ended.resolve());
          for (let frame = 0; ; frame += 1) yield frame;
        });
        for await (const frame of bus.call('endless', null, options)) if (frame === 3) break;
        await ended.promise;
      });

      it('a server that cuts its calls off stops though a reader takes nothing, and tells the caller why', async () => {
        const cutOff = new AbortController();
        const told = Promise.withResolvers<void>();
        const endless: CallHandler = async function* (_body, { signal }) {
          signal.addEventListener('abort', () => told.resolve());
          for (;;) yield 'x'.repeat(100_000);
        };
        const server = bus.serve('endless', endless, { cutOff: cutOff.signal });
        const reading = bus.call('endless', null, { deadlineMs: 600_000 })[Symbol.asyncIterator]();
        await reading.next();
        cutOff.abort(new RemoteError('unavailable', 'it is shut down'));
        await server.stop();
        await told.promise;
        const readOn = async () => {
          while (!(await reading.next()).done);
        };
        await expect(readOn()).rejects.toMatchObject({ code: 'unavailable', message: 'it is shut down' });
      });

      it('several servers share the calls', async () => {
        const by = new Set<Json>();
        for (const server of ['a', 'b']) bus.serve('who', async () => server);
        while (by.size < 2) by.add(await callOnce(bus, 'who', null, options));
        expect([...by].sort()).toEqual(['a', 'b']);
      });
    });
  });
}

/** Collects bodies; `all` resolves with the first `count` of them. */
function collect(count: number) {
  const got: Json[] = [];
  const { promise, resolve } = Promise.withResolvers<readonly Json[]>();
  return {
    got,
    all: promise,
    add(body: Json): void {
      got.push(body);
      if (got.length === count) resolve([...got]);
    },
  };
}
