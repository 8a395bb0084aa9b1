import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithServer } from '#test/servers/describe.js';
import { nats } from '#test/servers/nats.js';
import type { RunningServer } from '#test/servers/running.js';
import { eventually } from '#test/support/eventually.js';
import { BusUnavailableError, callOnce, NoServerError, ServerLostError } from '../port.js';
import { openNatsBus, type NatsBus, type OpenNatsBusOptions } from './index.js';

/** Needs servers of its own: the tests stop them, delete their data and suspend them. */
describeWithServer('nats', () => {
  let directory: string;
  let server: RunningServer;
  const buses: NatsBus[] = [];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-nats-'));
    server = await nats.start({ directory });
  });
  afterEach(async () => {
    server.resume();
    for (const bus of buses.splice(0)) await bus.close();
    await server.stop();
    await rm(directory, { recursive: true });
  });

  const open = async (options: OpenNatsBusOptions = {}): Promise<NatsBus> => {
    const bus = await openNatsBus(server.address, { onError: () => undefined, ...options });
    buses.push(bus);
    return bus;
  };
  const startAgain = async (): Promise<void> => {
    server = await nats.start({ directory, port: server.port });
  };
  const options = { deadlineMs: 10_000 };

  it('while NATS is unavailable, offers and calls fail in time, signals are dropped, and all continues afterwards', async () => {
    const bus = await open({ offerDeadlineMs: 300 });
    const taken = Promise.withResolvers<unknown>();
    const heard: unknown[] = [];
    bus.take('jobs', async (body) => taken.resolve(body));
    bus.listen('progress', (body) => heard.push(body));
    bus.serve('double', async (body) => (body as number) * 2);
    await server.stop();
    await expect(bus.offer('jobs', '1', 'hint')).rejects.toThrow(BusUnavailableError);
    await expect(callOnce(bus, 'double', 1, { deadlineMs: 200 })).rejects.toThrow(BusUnavailableError);
    for (let index = 0; index < 1_000; index += 1) bus.signal('progress', 'dropped');
    await startAgain();
    await insisting(() => bus.offer('jobs', '1', 'hint'));
    expect(await taken.promise).toBe('hint');
    expect(await insisting(() => callOnce(bus, 'double', 21, options))).toBe(42);
    bus.signal('progress', 'after');
    await callOnce(bus, 'double', 1, options);
    expect(heard).toEqual(['after']);
  });

  it('a call in flight ends on both sides when NATS stops', async () => {
    const [caller, other] = [await open(), await open()];
    const told = Promise.withResolvers<void>();
    other.serve('endless', async function* (_body, { signal }) {
      const stopped = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => {
        if (signal.reason.message.includes('connection')) told.resolve();
        stopped.resolve();
      });
      yield 1;
      await stopped.promise;
    });
    await insisting(() => callOnce(caller, 'endless', null, options));
    const reading = (async () => {
      for await (const _ of caller.call('endless', null, options)) await server.kill();
    })();
    await expect(reading).rejects.toThrow(BusUnavailableError);
    await told.promise;
    await startAgain();
  });

  it('after NATS lost its data, waiting offers are lost, and takers and offers continue', async () => {
    const bus = await open();
    const taken: unknown[] = [];
    const [first, again] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    bus.take('jobs', async (body) => {
      taken.push(body);
      (body === 'first' ? first : again).resolve();
    });
    await bus.offer('jobs', 'same id', 'first');
    await first.promise;
    await bus.offer('nobody', '1', 'lost');
    await server.kill();
    await rm(join(directory, 'jetstream'), { recursive: true });
    await startAgain();
    await insisting(() => bus.offer('jobs', 'same id', 'again'));
    await again.promise;
    expect(taken).toEqual(['first', 'again']);
  });

  it('every offer is taken and every call answered while NATS is killed repeatedly', async () => {
    const [one, two] = [await open({ ackWaitMs: 1_000 }), await open({ ackWaitMs: 1_000 })];
    const taken = new Set<unknown>();
    const all = Promise.withResolvers<void>();
    for (const bus of [one, two]) {
      bus.take('jobs', async (body) => {
        taken.add(body);
        if (taken.size === 300) all.resolve();
      });
      bus.serve('double', async (body) => (body as number) * 2);
    }
    const offering = (async () => {
      for (let id = 0; id < 300; id += 1) await insisting(() => one.offer('jobs', String(id), id));
    })();
    const calling = (async () => {
      for (let number = 0; number < 3_000; number += 1)
        expect(await insisting(() => callOnce(two, 'double', number, options))).toBe(number * 2);
    })();
    for (const share of [50, 100, 150]) {
      await eventually(() => taken.size >= share);
      await server.kill();
      await startAgain();
    }
    await Promise.all([offering, calling, all.promise]);
    expect(taken.size).toBe(300);
  });

  it('while NATS hangs, offers fail in time, and signals beyond some MiB are dropped', async () => {
    const bus = await open({ offerDeadlineMs: 500 });
    let heard = 0;
    bus.listen('progress', () => (heard += 1));
    bus.serve('ping', async () => 'pong');
    await callOnce(bus, 'ping', null, options);
    await server.pause();
    await expect(bus.offer('jobs', '1', 'hint')).rejects.toThrow(BusUnavailableError);
    const body = 'x'.repeat(10_000);
    for (let index = 0; index < 5_000; index += 1) bus.signal('progress', body);
    server.resume();
    await insisting(() => bus.offer('jobs', '1', 'hint'));
    await insisting(() => callOnce(bus, 'ping', null, options));
    expect(heard).toBeGreaterThan(0);
    // 20 MB: what the client keeps, and the sockets' buffers.
    expect(heard).toBeLessThan(2_000);
  });

  it('closing resolves soon while NATS is unavailable', async () => {
    const bus = await open();
    const begun = Promise.withResolvers<void>();
    bus.serve('who', async () => 'me');
    bus.take('jobs', async () => begun.resolve());
    await bus.offer('jobs', '1', 1);
    await begun.promise;
    await server.kill();
    const offering = bus.offer('jobs', '2', 2).catch((error: unknown) => error);
    await bus.close();
    expect(await offering).toBeInstanceOf(BusUnavailableError);
    await startAgain();
  });

  it('a start waits for NATS, and names it when time is up', async () => {
    await server.stop();
    const start = openNatsBus(server.address.replace('nats://', 'nats://me:hidden@'), { connectDeadlineMs: 300 });
    await expect(start).rejects.toThrow(BusUnavailableError);
    await expect(start).rejects.toThrow(`127.0.0.1:${server.port} cannot be reached`);
    await expect(start).rejects.not.toThrow('hidden');
    const opening = open();
    await startAgain();
    expect((await opening).isConnected).toBe(true);
  });
});

/** Retries while the bus is unavailable. */
async function insisting<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + 15_000;
  for (;;)
    try {
      return await work();
    } catch (error) {
      const isPassing = [BusUnavailableError, NoServerError, ServerLostError].some((known) => error instanceof known);
      if (!isPassing || performance.now() > until) throw error;
      await new Promise((resolve) => setImmediate(resolve));
    }
}
