import { randomUUID } from 'node:crypto';
import { connect, type NatsConnection } from 'nats';
import { describeWithServer } from '#test/servers/describe.js';
import { busContract } from '../contract.js';
import { BusFullError, callOnce, NoServerError, ServerLostError } from '../port.js';
import { openNatsBus, type NatsBus, type OpenNatsBusOptions } from './index.js';
import { isServing } from './serving.fixture.js';
import { kill, startPeer } from './peer.fixture.js';

describeWithServer('nats', ({ address }) => {
  const prefixes: string[] = [];
  let admin: NatsConnection;
  beforeAll(async () => {
    admin = await connect({ servers: address });
  });
  afterAll(async () => {
    const { streams } = await admin.jetstreamManager();
    for (const prefix of prefixes) await streams.delete(`${prefix}-offers`).catch(() => undefined);
    await admin.close();
  });

  const freshAddress = (): string => {
    const prefix = `test-${randomUUID()}`;
    prefixes.push(prefix);
    return `${address}?prefix=${prefix}`;
  };
  const quiet = { firstRetryMs: 1, maxRetryMs: 5, onError: () => undefined };

  busContract('NATS', () => openNatsBus(freshAddress(), quiet));

  describe('the bus over NATS', () => {
    const buses: NatsBus[] = [];
    const open = async (at: string, options: OpenNatsBusOptions = {}): Promise<NatsBus> => {
      const bus = await openNatsBus(at, { ...quiet, ...options });
      buses.push(bus);
      return bus;
    };
    afterEach(async () => {
      for (const bus of buses.splice(0)) await bus.close();
    });

    describe('offers', () => {
      it('go to another taker if theirs dies, after the wait', async () => {
        const at = freshAddress();
        const bus = await open(at, { ackWaitMs: 500 });
        await bus.offer('jobs', '1', 'hint');
        const peer = await startPeer('take', at);
        await kill(peer);
        const taken = Promise.withResolvers<unknown>();
        bus.take('jobs', async (body) => taken.resolve(body));
        expect(await taken.promise).toBe('hint');
      });

      it('return at once from a taker that is stopping', async () => {
        const bus = await open(freshAddress());
        const taken = new Set<unknown>();
        for (let index = 0; index < 200; index += 1) await bus.offer('jobs', String(index), index);
        for (let round = 0; taken.size < 200; round += 1) {
          const first = Promise.withResolvers<void>();
          const taker = bus.take('jobs', async (body) => {
            taken.add(body);
            first.resolve();
          });
          await first.promise;
          // The taker has asked for the next message by now; it stops before, during or after its delivery.
          for (let turn = 0; turn < round % 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
          await taker.stop();
        }
      });

      it('with the same id on another subject are other messages', async () => {
        const bus = await open(freshAddress());
        const taken: unknown[] = [];
        const both = Promise.withResolvers<void>();
        for (const subject of ['a.b', 'a-b'])
          bus.take(subject, async (body) => {
            if (taken.push(body) === 2) both.resolve();
          });
        await bus.offer('a.b', 'same', 'dot');
        await bus.offer('a-b', 'same', 'dash');
        await both.promise;
        expect(taken.sort()).toEqual(['dash', 'dot']);
      });

      it('are refused beyond the queue limit, and the same id is accepted once there is room', async () => {
        const bus = await open(freshAddress(), { maxWaiting: 1 });
        await bus.offer('jobs', '1', 1);
        await expect(bus.offer('jobs', '2', 2)).rejects.toThrow(BusFullError);
        await bus.offer('others', '1', 1);
        const taken: unknown[] = [];
        const both = Promise.withResolvers<void>();
        const first = Promise.withResolvers<void>();
        bus.take('jobs', async (body) => {
          if (taken.push(body) === 2) both.resolve();
          first.resolve();
        });
        await first.promise;
        // The acknowledgement is in flight.
        while (
          !(await bus.offer('jobs', '2', 2).then(
            () => true,
            (error) => !(error instanceof BusFullError),
          ))
        );
        await both.promise;
        expect(taken).toEqual([1, 2]);
      });

      it('with more than ids are refused', async () => {
        const bus = await open(freshAddress());
        await expect(bus.offer('jobs', '1', 'x'.repeat(100_000))).rejects.toThrow(/offer ids only/);
        await expect(bus.offer('a b', '1', 1)).rejects.toThrow(/no subject/);
      });

      it('are lost when the stream is deleted; later ones arrive', async () => {
        const at = freshAddress();
        // A stream is made in its own time where the disk is busy.
        const bus = await open(at, { offerDeadlineMs: 20_000 });
        const taken: unknown[] = [];
        const arrived = Promise.withResolvers<void>();
        bus.take('jobs', async (body) => {
          taken.push(body);
          if (body === 'after') arrived.resolve();
        });
        await bus.offer('nobody', '1', 'lost');
        const { streams } = await admin.jetstreamManager();
        await streams.delete(`${prefixes.at(-1)}-offers`);
        await bus.offer('jobs', '2', 'after');
        await arrived.promise;
        await streams.delete(`${prefixes.at(-1)}-offers`);
        const again = Promise.withResolvers<unknown>();
        bus.take('nobody', async (body) => again.resolve(body));
        await bus.offer('nobody', '1', 'offered again');
        expect(await again.promise).toBe('offered again');
        expect(taken).toEqual(['after']);
      });
    });

    describe('calls', () => {
      const options = { deadlineMs: 15_000 };
      const large = 'ä'.repeat(8 * 1024 * 1024);

      it('carry a request and an answer of 16 MiB whole, even with several servers', async () => {
        const at = freshAddress();
        const [caller, ...servers] = [await open(at), await open(at), await open(at)];
        for (const server of servers)
          server.serve('echo', async function* (body) {
            yield (body as string).length;
            yield body;
            yield 'small';
          });
        await Promise.all(servers.map(isServing));
        for (let call = 0; call < 3; call += 1) {
          const frames = await Array.fromAsync(caller.call('echo', large, options));
          expect(frames[1] === large).toBe(true);
          expect([frames[0], frames[2], frames.length]).toEqual([large.length, 'small', 3]);
        }
      });

      it('are refused with more bytes than can be carried, on either side', async () => {
        const bus = await open(freshAddress());
        bus.serve('large', async (body) => 'x'.repeat(body as number));
        await expect(callOnce(bus, 'large', 'x'.repeat(33 * 1024 * 1024), options)).rejects.toThrow(RangeError);
        await expect(callOnce(bus, 'large', 33 * 1024 * 1024, options)).rejects.toThrow(/at most/);
      });

      it('each get their own answer with 1,000 at once', async () => {
        const at = freshAddress();
        const [caller, ...servers] = [await open(at), await open(at), await open(at)];
        for (const server of servers)
          server.serve('double', async (body) => {
            await new Promise((resolve) => setImmediate(resolve));
            return (body as number) * 2;
          });
        await Promise.all(servers.map(isServing));
        const numbers = Array.from({ length: 1_000 }, (_, index) => index);
        const answers = await Promise.all(numbers.map((number) => callOnce(caller, 'double', number, options)));
        expect(answers).toEqual(numbers.map((number) => number * 2));
      });

      it('let a server run ahead of a slow reader only up to a limit', async () => {
        const bus = await open(freshAddress());
        let sent = 0;
        bus.serve('many', async function* () {
          for (; sent < 200; sent += 1) yield 'x'.repeat(100_000);
        });
        let read = 0;
        for await (const _ of bus.call('many', null, options)) {
          read += 1;
          await callOnce(bus, 'none', null, options).catch(() => undefined);
          expect(sent - read).toBeLessThan(30);
        }
        expect([sent, read]).toEqual([200, 200]);
      });

      it('do not cross between systems with different prefixes', async () => {
        const [one, two] = [await open(freshAddress()), await open(freshAddress())];
        one.serve('who', async () => 'one');
        expect(await callOnce(one, 'who', null, options)).toBe('one');
        await expect(callOnce(two, 'who', null, options)).rejects.toThrow(NoServerError);
      });

      it('end long before their deadline when the server dies midway', async () => {
        const at = freshAddress();
        const bus = await open(at, { aliveMs: 100 });
        const peer = await startPeer('serve', at);
        const frames: unknown[] = [];
        const call = (async () => {
          for await (const frame of bus.call('endless', null, options)) if (frames.push(frame) === 1) await kill(peer);
        })();
        await expect(call).rejects.toThrow(ServerLostError);
        expect(frames).toEqual(['first']);
      });

      it('end when the server hangs', async () => {
        const at = freshAddress();
        const bus = await open(at, { silenceMs: 300, firstWordMs: 300 });
        const peer = await startPeer('serve', at);
        try {
          await expect(
            (async () => {
              for await (const _ of bus.call('endless', null, options)) peer.kill('SIGSTOP');
            })(),
          ).rejects.toThrow(/fell silent/);
          await expect(callOnce(bus, 'endless', null, options)).rejects.toThrow(/fell silent/);
        } finally {
          await kill(peer);
        }
      });

      it('end with an error for a caller that hung so long that its server stopped', async () => {
        const at = freshAddress();
        const server = await open(at, { silenceMs: 200 });
        const caller = await open(at, { aliveMs: 500 });
        server.serve('endless', async function* (_body, { signal }) {
          yield 'first';
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        });
        await isServing(server);
        await callOnce(caller, 'endless', null, options);
        await expect(Array.fromAsync(caller.call('endless', null, options))).rejects.toThrow(/stopped in the middle/);
      });

      it('stop at the server when the caller dies', async () => {
        const at = freshAddress();
        const bus = await open(at, { aliveMs: 100 });
        const told = Promise.withResolvers<unknown>();
        bus.serve('endless', async function* (_body, { signal }) {
          signal.addEventListener('abort', () => told.resolve(signal.reason));
          yield 'first';
          await told.promise;
        });
        await kill(await startPeer('call', at));
        expect(await told.promise).toMatchObject({ message: expect.stringContaining('its caller has died') });
      });
    });

    it('closing waits for running work, and refuses later work', async () => {
      const at = freshAddress();
      const [bus, other] = [await open(at), await open(at)];
      const finish = Promise.withResolvers<void>();
      const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
      let taken = false;
      bus.serve('slow', async () => {
        begun[0].resolve();
        await finish.promise;
        return 'answered';
      });
      bus.take('jobs', async () => {
        begun[1].resolve();
        await finish.promise;
        taken = true;
      });
      await bus.offer('jobs', '1', 1);
      // The first may come before the subscription has.
      const answer = (async () => {
        for (;;)
          try {
            return await callOnce(other, 'slow', null, { deadlineMs: 10_000 });
          } catch (error) {
            if (!(error instanceof NoServerError)) throw error;
          }
      })();
      await Promise.all(begun.map(({ promise }) => promise));
      const closing = bus.close();
      await expect(bus.offer('jobs', '2', 2)).rejects.toThrow(/closed/);
      expect(() => bus.call('slow', null, { deadlineMs: 1 })).toThrow(/closed/);
      finish.resolve();
      await closing;
      expect([await answer, taken]).toEqual(['answered', true]);
    });
  });
});
