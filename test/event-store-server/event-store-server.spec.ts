import {
  BACKWARDS,
  EventStoreDBClient,
  eventTypeFilter,
  jsonEvent,
  NO_STREAM,
  START,
  type AppendExpectedRevision,
  type AppendResult,
  type EventData,
  type Position,
  UnknownError,
  type RecordedEvent,
  type ResolvedEvent,
} from '@eventstore/db-client';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startEventStoreProcess,
  startEventStoreServer,
  type EventStoreServer,
  type EventStoreServerOptions,
} from './index.js';

// Covers what the adapter's own specs rely on but do not show: where the double is as strict as a server, and what
// survives its death.
describe('the double of EventStoreDB', () => {
  let directory: string;
  const opened: { close(): Promise<void> }[] = [];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'event-store-server-'));
  });
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
    await rm(directory, { recursive: true });
  });

  const connect = (address: string): EventStoreDBClient => {
    const client = EventStoreDBClient.connectionString(address);
    opened.push({ close: () => client.dispose() });
    return client;
  };
  const start = async (release?: EventStoreServerOptions['release']): Promise<EventStoreServer> => {
    const server = await startEventStoreServer({ directory, ...(release && { release }) });
    opened.push(server);
    return server;
  };
  const startProcess = async () => {
    const child = await startEventStoreProcess({ directory });
    opened.push({ close: () => child.kill('SIGKILL') });
    return child;
  };

  it('has nothing beyond its end: reads are empty, and a subscription is caught up', async () => {
    const client = connect((await start()).address);
    const { position } = await append(client, 'a-1', [event(0)], NO_STREAM);
    const beyond = position!.commit + 10_000_000n;
    const fromPosition = { commit: beyond, prepare: beyond };
    expect(await collect(client.readAll({ fromPosition }))).toEqual([]);
    const subscription = client.subscribeToAll({ fromPosition, filter: eventTypeFilter({ regex: '.' }) });
    subscription.resume();
    await once(subscription, 'caughtUp');
    await subscription.unsubscribe();
    await expect(collect(client.readAll({ fromPosition, direction: BACKWARDS }))).rejects.toThrow(/Invalid position/);
  });

  it('refuses names that are empty, and takes an append of nothing', async () => {
    const client = connect((await start()).address);
    await expect(append(client, '', [event(0)], NO_STREAM)).rejects.toBeInstanceOf(UnknownError);
    const nameless = [jsonEvent({ type: '', data: {} })];
    await expect(append(client, 'a-1', nameless, NO_STREAM)).rejects.toBeInstanceOf(UnknownError);
    await append(client, 'a-1', [], NO_STREAM);
    await expect(collect(client.readStream('a-1'))).rejects.toThrow();
  });

  it('answers a repeat with the position of what is there', async () => {
    const client = connect((await start()).address);
    const events = [event(0), event(1)];
    const first = await append(client, 'a-1', events, NO_STREAM);
    await append(client, 'a-1', [event(2)], 1n);
    expect(await append(client, 'a-1', events, NO_STREAM)).toMatchObject({ position: first.position });
  });

  it.each([1n, -1n])('refuses a position that is %d off an event', async (off) => {
    const client = connect((await start()).address);
    const { position } = await append(client, 'a-1', [event(0), event(1)], NO_STREAM);
    const { commit, prepare } = position!;
    for (const fromPosition of [
      { commit: commit + off, prepare: prepare + off },
      { commit, prepare: prepare + off },
    ]) {
      await expect(collect(client.readAll({ fromPosition }))).rejects.toThrow(/Invalid position/);
      const filter = eventTypeFilter({ regex: '.' });
      await expect(collect(client.subscribeToAll({ fromPosition, filter }))).rejects.toThrow(/Invalid position/);
    }
  });

  it('tells a subscription that more came than it takes, and when it has caught up again', async () => {
    const client = connect((await start()).address);
    const subscription = client.subscribeToAll({ fromPosition: START, filter: eventTypeFilter({ regex: '.' }) });
    const told: string[] = [];
    for (const name of ['caughtUp', 'fellBehind'] as const) subscription.on(name, () => told.push(name));
    subscription.resume();
    await once(subscription, 'caughtUp');
    subscription.pause();
    for (let n = 0; n < 4; n += 1) {
      const some = Array.from({ length: 500 }, (_, index) => event(index));
      await append(client, `a-${n}`, some, NO_STREAM);
    }
    subscription.resume();
    await once(subscription, 'caughtUp');
    expect(told).toEqual(['caughtUp', 'fellBehind', 'caughtUp']);
    await subscription.unsubscribe();
  });

  describe('checkpoints', () => {
    const checkpoints = async (client: EventStoreDBClient, window: number, interval: number) => {
      const found: Position[] = [];
      const filter = eventTypeFilter({
        regex: '^nobody-writes-this$',
        maxSearchWindow: window,
        checkpointInterval: interval,
        checkpointReached: async (_subscription, position) => void found.push(position),
      });
      const subscription = client.subscribeToAll({ fromPosition: START, filter });
      subscription.resume();
      await once(subscription, 'caughtUp');
      await subscription.unsubscribe();
      return found;
    };
    const fill = async (client: EventStoreDBClient, count: number) => {
      for (let n = (await collect(client.readAll())).length; n < count; n += 1)
        await append(client, `a-${n}`, [event(n)], NO_STREAM);
    };

    it('come after a number of windows of events, whether they match or not', async () => {
      const client = connect((await start()).address);
      await fill(client, 30);
      const behindStart = async (window: number, interval: number) =>
        (await checkpoints(client, window, interval)).filter(({ commit }) => commit > 0n);
      expect(await behindStart(10, 1)).toHaveLength(3);
      expect(await behindStart(10, 2)).toHaveLength(1);
      expect(await behindStart(100, 1)).toHaveLength(0);
    });

    it.each([
      ['23.10', (): Position => ({ commit: 0n, prepare: 0n })],
      ['24.10', (): Position => ({ commit: 2n ** 64n - 1n, prepare: 2n ** 64n - 1n })],
      ['25.0', (next: bigint): Position => ({ commit: next, prepare: 0n })],
    ] as const)('%s tells one of its own where nothing matches', async (release, told) => {
      const client = connect((await start(release)).address);
      await fill(client, 30);
      const found = await checkpoints(client, 100, 1);
      const { position } = await append(client, 'next-1', [event(99)], NO_STREAM);
      expect(found).toEqual([told(position!.commit)]);
    });

    it('are at the start of the next record, and can be resumed from', async () => {
      const client = connect((await start()).address);
      await fill(client, 30);
      const last = (await checkpoints(client, 10, 3)).at(-1)!;
      expect(last.prepare).toBe(0n);
      await append(client, 'next-1', [event(99)], NO_STREAM);
      const filter = eventTypeFilter({ regex: '^[^$]' });
      for await (const { event: next } of client.subscribeToAll({ fromPosition: last, filter })) {
        expect(next).toMatchObject({ data: { n: 99 }, position: { commit: last.commit } });
        break;
      }
    });
  });

  describe('a restart of the double after a kill', () => {
    it('loses no acknowledged event, even during appends', async () => {
      const first = await startProcess();
      const client = connect(first.address);
      const acknowledged: number[] = [];
      let killed = false;
      const writer = async (from: number) => {
        for (let n = from; !killed; n += 4) {
          await append(client, `a-${n}`, [event(n)], NO_STREAM);
          acknowledged.push(n);
          if (acknowledged.length === 200) {
            killed = true;
            await first.kill('SIGKILL');
          }
        }
      };
      await Promise.allSettled([0, 1, 2, 3].map(writer));
      const found = await written(connect((await startProcess()).address));
      expect(found).toEqual(expect.arrayContaining(acknowledged));
      // Unacknowledged appends in flight may add a few.
      expect(found.length).toBeLessThanOrEqual(acknowledged.length + 4);
    });

    it('keeps tombstones, positions of scavenged events and the recognition of repeats', async () => {
      const before = await start();
      const client = connect(before.address);
      const events = [event(0), event(1)];
      await append(client, 'a-1', events, NO_STREAM);
      const { position } = await append(client, 'ended-1', [event(2)], NO_STREAM);
      await client.tombstoneStream('ended-1', { expectedRevision: 0n });
      before.scavenge();
      await before.close();

      const again = connect((await start()).address);
      const behind = await collect(again.readAll({ fromPosition: position! }));
      expect(behind.map(({ type }) => type)).toEqual(['$streamDeleted', '$epoch-information']);
      expect(await append(again, 'a-1', events, NO_STREAM)).toMatchObject({ nextExpectedRevision: 1n });
      await expect(collect(again.readStream('ended-1'))).rejects.toThrow(/deleted/);
    });

    it('leaves a wide gap before the next positions', async () => {
      const before = await start();
      const first = await append(connect(before.address), 'a-1', [event(0)], NO_STREAM);
      await before.close();
      const second = await append(connect((await start()).address), 'a-1', [event(1)], 0n);
      expect(second.position!.commit - first.position!.commit).toBeGreaterThan(1_000_000n);
    });
  });
});

const event = (n: number): EventData => jsonEvent({ type: 'happened.v1', data: { n } });

/** With credentials the client appends in a unary call, without them through its shared batch stream. */
const append = (
  client: EventStoreDBClient,
  stream: string,
  events: EventData[],
  expectedRevision: AppendExpectedRevision,
): Promise<AppendResult> =>
  client.appendToStream(stream, events, {
    expectedRevision,
    credentials: { username: 'somebody', password: 'something' },
  });

async function collect(events: AsyncIterable<ResolvedEvent>): Promise<RecordedEvent[]> {
  const collected: RecordedEvent[] = [];
  for await (const { event: found } of events) collected.push(found!);
  return collected;
}

/** The numbers that clients wrote, in the order of the log. */
const written = async (client: EventStoreDBClient): Promise<number[]> =>
  (await collect(client.readAll())).flatMap(({ type, data }) =>
    type.startsWith('$') ? [] : [(data as { n: number }).n],
  );
