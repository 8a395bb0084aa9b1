import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { RELEASES, startEventStoreProcess, type EventStoreProcess } from '#test/event-store-server/index.js';
import {
  appendDefinitely,
  aStream,
  event,
  events,
  eventsIn,
  reached,
  streamOf,
  subscribed,
} from '../contract/log-under-test.js';
import { exactly, expectedAfter, NO_STREAM, type EventStore } from '../port.js';
import { serverWithStore } from './faults.fixture.js';
import { openEventStoreDb } from './index.js';

describe('following EventStoreDB', () => {
  it('continues after the last event when the connection is cut, and drops repeats', async () => {
    await using opened = await serverWithStore();
    const { server, store } = opened;
    server.control.repeatLastOnReconnect = true;
    await using subscription = subscribed(store, { after: null });
    await subscription.until((message) => message.kind === 'caught-up');
    const s = aStream();
    const given: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { position } = await appendDefinitely(store, s, expectedAfter(2 * n - 1), events(2));
      given.push(...eventsIn(await subscription.until(reached(position))).map(({ id }) => id));
      server.control.disconnectAll();
    }
    const stored = await Array.fromAsync(store.readStream(s));
    expect(given).toEqual(stored.map(({ id }) => id));
  });

  it('starts again when the server sends and answers nothing', async () => {
    await using opened = await serverWithStore({ readDeadlineMs: 200 });
    const { server, store } = opened;
    await using subscription = subscribed(store, { after: null });
    await subscription.until((message) => message.kind === 'caught-up');
    server.control.silent = true;
    const next = subscription.until((message) => message.kind === 'events');
    await expect(store.head()).rejects.toThrow('200 ms');
    server.control.silent = false;
    const own = events(1);
    await appendDefinitely(store, aStream(), NO_STREAM, own);
    expect(eventsIn(await next).map(({ id }) => id)).toEqual(own.map(({ id }) => id));
  });

  it.each(RELEASES)(
    'is caught up on a log without a match, without a break, and gives what comes: %s',
    async (release) => {
      await using opened = await serverWithStore({}, { release });
      const { store } = opened;
      const troubles: string[] = [];
      const onTrouble = ({ message }: Error) => void troubles.push(message);
      await using subscription = subscribed(store, { after: null, filter: { types: ['wanted.v1'] }, onTrouble });
      await subscription.until((message) => message.kind === 'caught-up');
      const { position } = await store.append(aStream(), NO_STREAM, [event({ type: 'wanted.v1' })]);
      expect(eventsIn(await subscription.until(reached(position)))).toHaveLength(1);
      expect(troubles).toEqual([]);
    },
  );

  it('reports being caught up although the server sends nothing and no event matches', async () => {
    await using opened = await serverWithStore();
    const { store } = opened;
    const { position } = await store.append(aStream(), NO_STREAM, events(40));
    using _ = withoutCaughtUp();
    const filter = { types: ['absent.v1'] };
    await using subscription = subscribed(store, { after: null, filter });
    const messages = await subscription.until((message) => message.kind === 'caught-up');
    expect(messages.findLast((message) => message.kind === 'checkpoint')).toEqual({ kind: 'checkpoint', position });
  });

  it('gathers the live events that come until it may give them, up to a batch', async () => {
    await using opened = await serverWithStore();
    const { store } = opened;
    const anHourLater = performance.now() + 3_600_000;
    let time = 0;
    await using subscription = subscribed(store, { after: null, batchSize: 100, notBefore: () => time });
    await subscription.until((message) => message.kind === 'caught-up');
    time = anHourLater;
    const s = aStream();
    for (let n = 0; n < 100; n += 1) await store.append(s, expectedAfter(n - 1), events(1));
    const given = await subscription.until((message) => message.kind === 'events');
    expect(eventsIn(given)).toHaveLength(100);
  });

  it.each(RELEASES)('returns the event written exactly at a checkpoint at the end of the log: %s', async (release) => {
    await using opened = await serverWithStore({}, { release });
    const { store } = opened;
    const s = aStream();
    for (let n = 0; n < 600; n += 100) await store.append(s, expectedAfter(n - 1), events(100));
    // The server's own events count too: some of them follow the end of a window of 512.
    await using subscription = subscribed(store, { after: null, filter: { types: [event().type] } });
    const given = new Set(
      eventsIn(await subscription.until((message) => message.kind === 'caught-up')).map(({ id }) => id),
    );
    for (let n = 600; n < 1_060; n += 1) {
      const { position } = await store.append(s, expectedAfter(n - 1), events(1));
      for (const { id } of eventsIn(await subscription.until(reached(position)))) given.add(id);
    }
    const stored = await Array.fromAsync(store.readStream(s));
    expect(stored.filter(({ id }) => !given.has(id))).toEqual([]);
  });

  it('gives no checkpoint past the last event, even if the server has written its own events there', async () => {
    await using opened = await serverWithStore();
    const { store } = opened;
    const gone = aStream();
    await store.append(gone, NO_STREAM, events(1));
    const { position } = await store.append(aStream(), NO_STREAM, events(1));
    await store.deleteStream(gone);
    await using subscription = subscribed(store, { after: null, filter: { types: ['absent.v1'] } });
    const messages = await subscription.until((message) => message.kind === 'caught-up');
    const told = messages.flatMap((message) => (message.kind === 'checkpoint' ? [message.position] : []));
    expect(told.at(-1)).toBe(position);
    expect((await store.head()).position).toBe(position);
  });

  it('continues from the position of a scavenged event', async () => {
    await using opened = await serverWithStore();
    const { server, store } = opened;
    const gone = aStream();
    await store.append(gone, NO_STREAM, events(3));
    const [, second] = await Array.fromAsync(store.readStream(gone));
    const kept = events(2);
    await store.append(aStream(), NO_STREAM, kept);
    await store.deleteStream(gone);
    server.scavenge();
    expect(await store.eventAt(second!.position)).toBeNull();
    // Excludes even the last event, which a server keeps for a stream that is deleted but not tombstoned.
    expect((await Array.fromAsync(store.readAll())).filter(({ stream }) => stream === gone)).toEqual([]);
    await using subscription = subscribed(store, { after: second!.position });
    const given = eventsIn(await subscription.until((message) => message.kind === 'caught-up'));
    expect(given.filter(({ stream }) => stream !== gone).map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
    const read = await Array.fromAsync(store.readAll({ after: second!.position }));
    expect(read.filter(({ stream }) => stream !== gone).map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
  });

  it('reports why it cannot continue, and continues when it can', async () => {
    await using opened = await serverWithStore({ readDeadlineMs: 200 });
    const { server, store } = opened;
    const trouble = Promise.withResolvers<string>();
    await using subscription = subscribed(store, { after: null, onTrouble: ({ message }) => trouble.resolve(message) });
    await subscription.until((message) => message.kind === 'caught-up');
    const again = subscription.until((message) => message.kind === 'caught-up');
    server.control.refuseConnections = true;
    server.control.disconnectAll();
    expect(await trouble.promise).toMatch(/\S/);
    server.control.refuseConnections = false;
    await again;
  });

  it("reads a long log with the server's filter", async () => {
    await using opened = await serverWithStore();
    const { store } = opened;
    const wanted = streamOf('job');
    await store.append(wanted, NO_STREAM, [event({ type: 'wanted.v1' })]);
    for (let n = 0; n < 3; n += 1) await store.append(aStream(), NO_STREAM, events(600));
    await store.append(wanted, exactly(0), [event({ type: 'wanted.v1' }), event()]);
    const filter = { types: ['wanted.v1'], categories: ['job'] };
    const found = await Array.fromAsync(store.readAll({ filter }));
    expect(found.map(({ revision }) => revision)).toEqual([0, 1]);
    expect(await Array.fromAsync(store.readAll({ filter, limit: 1, after: found[0]!.position }))).toEqual([found[1]]);
  });

  describe('a server of its own', () => {
    let directory: string;
    let server: EventStoreProcess;
    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'anneal-esdb-'));
      server = await startEventStoreProcess({ directory });
    });
    afterEach(async () => {
      await server.kill();
      await rm(directory, { recursive: true });
    });

    it('may be killed during appends, reads and a subscription without loss or duplicates', async () => {
      const store = await openEventStoreDb({ address: server.address, writeDeadlineMs: 1_000 });
      const writers = Array.from({ length: 6 }, () => ({ stream: aStream(), ids: [] as string[] }));
      let stopping = false;
      const writing = writers.map(async (writer) => {
        while (!stopping) {
          const own = events(2);
          await appendDefinitely(store, writer.stream, expectedAfter(writer.ids.length - 1), own);
          writer.ids.push(...own.map(({ id }) => id));
        }
      });
      const reading = (async () => {
        while (!stopping)
          await Array.fromAsync(store.readAll({ direction: 'backwards', limit: 50 })).catch(() => sleep(20));
      })();
      await using subscription = subscribed(store, { after: null });
      const given: string[] = [];
      const gather = async (upTo: () => number) => {
        while (given.length < upTo()) {
          const messages = await subscription.until((message) => message.kind === 'events');
          given.push(...eventsIn(messages).map(({ id }) => id));
        }
      };
      const acknowledged = () => writers.reduce((sum, { ids }) => sum + ids.length, 0);
      for (let kills = 0; kills < 2; kills += 1) {
        const goal = acknowledged() + 60;
        await gather(() => goal);
        await server.kill();
        server = await startEventStoreProcess({ directory, port: server.port });
      }
      stopping = true;
      await Promise.all([...writing, reading]);
      await gather(acknowledged);
      expect(new Set(given).size).toBe(given.length);
      expect(given.toSorted()).toEqual(writers.flatMap(({ ids }) => ids).toSorted());
      for (const { stream, ids } of writers) {
        expect((await Array.fromAsync(store.readStream(stream))).map(({ id }) => id)).toEqual(ids);
      }
      await store.close();
    });

    it('is held back by a slow consumer, which buffers little in memory', async () => {
      const store = await openEventStoreDb({ address: server.address });
      await appendLarge(store, 300, 100 * 1024);
      await using subscription = subscribed(store, { after: null, batchSize: 5 });
      await subscription.until((message) => message.kind === 'events' && eventsIn([message]).length > 0);
      const before = heapBytes();
      // Time in which 30 MB come over the loopback, were they asked for.
      for (let turn = 0; turn < 20; turn += 1) await store.head();
      expect(heapBytes() - before).toBeLessThan(20 * 1024 * 1024);
      const { position } = await store.head();
      await subscription.until(reached(position!));
      await store.close();
    });
  });
});

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function appendLarge(store: EventStore, count: number, characters: number): Promise<void> {
  const text = 'x'.repeat(characters);
  const s = aStream();
  for (let n = 0; n < count; n += 5) {
    const events = Array.from({ length: 5 }, () => event({ data: { text } }));
    await appendDefinitely(store, s, expectedAfter(n - 1), events);
  }
}

/** Bytes of reachable objects on the heap. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Simulates a server that does not know that message. */
function withoutCaughtUp(): Disposable {
  const { ReadResp } = streamsPb;
  const prototype = ReadResp.prototype as unknown as Record<'hasCaughtUp', (this: void) => boolean>;
  const original = prototype.hasCaughtUp;
  prototype.hasCaughtUp = () => false;
  return { [Symbol.dispose]: () => void (prototype.hasCaughtUp = original) };
}
