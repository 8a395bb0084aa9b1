import { EventStoreDBClient, NO_STREAM, StreamDeletedError, StreamNotFoundError } from '@eventstore/db-client';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { append, collect, event, numbers, positionOf, written } from './client.fixture.js';
import { startEventStoreProcess, startEventStoreServer, type EventStoreProcess } from './index.js';

let directory: string;
const running: EventStoreProcess[] = [];
const clients: EventStoreDBClient[] = [];
const connect = (address: string) => {
  const client = EventStoreDBClient.connectionString(address);
  clients.push(client);
  return client;
};
const start = async () => {
  const started = await startEventStoreProcess({ directory });
  running.push(started);
  return started;
};

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'event-store-server-'));
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
  for (const process of running.splice(0)) await process.kill('SIGKILL');
  await rm(directory, { recursive: true });
});

test('what was acknowledged survives a kill in the midst of appends', async () => {
  const first = await start();
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
  const found = numbers(await written(connect((await start()).address)));
  expect(found).toEqual(expect.arrayContaining(acknowledged));
  // At most what was under way besides.
  expect(found.length).toBeLessThanOrEqual(acknowledged.length + 4);
});

test('streams, deletions, places and what is a repeat are the same after a restart', async () => {
  const before = await startEventStoreServer({ directory });
  const client = connect(before.address);
  const events = [event(0), event(1)];
  await append(client, 'a-1', events, NO_STREAM);
  await append(client, 'deleted-1', [event(2)], NO_STREAM);
  await append(client, 'ended-1', [event(3)], NO_STREAM);
  await client.deleteStream('deleted-1');
  await client.tombstoneStream('ended-1');
  const log = await collect(client.readAll());
  before.scavenge();
  await before.close();

  const after = await startEventStoreServer({ directory });
  const again = connect(after.address);
  const fromPosition = positionOf(log.find(({ streamId }) => streamId === 'ended-1')!);
  expect((await collect(again.readAll({ fromPosition }))).map(({ type }) => type)).toEqual([
    '$metadata',
    '$streamDeleted',
    '$epoch-information',
  ]);
  expect(await append(again, 'a-1', events, NO_STREAM)).toMatchObject({ nextExpectedRevision: 1n });
  await expect(collect(again.readStream('deleted-1'))).rejects.toBeInstanceOf(StreamNotFoundError);
  await expect(collect(again.readStream('ended-1'))).rejects.toBeInstanceOf(StreamDeletedError);
  expect(await append(again, 'deleted-1', [event(4)], NO_STREAM)).toMatchObject({ nextExpectedRevision: 1n });
  await after.close();
});

test('positions given after a restart are beyond those given before', async () => {
  const before = await startEventStoreServer({ directory });
  const first = await append(connect(before.address), 'a-1', [event(0)], NO_STREAM);
  await before.close();
  const after = await startEventStoreServer({ directory });
  const second = await append(connect(after.address), 'a-1', [event(1)], 0n);
  expect(second.position!.commit - first.position!.commit).toBeGreaterThan(1_000_000n);
  await after.close();
});

test('a second server on the same folder is refused', async () => {
  const server = await startEventStoreServer({ directory });
  await expect(startEventStoreServer({ directory })).rejects.toThrow(/locked/);
  await server.close();
});
