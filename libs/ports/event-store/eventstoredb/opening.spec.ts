import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEventStoreServer } from '#test/event-store-server/index.js';
import { aStream, events, subscribed } from '../contract/log-under-test.js';
import { isLogCreated } from '../log-created.js';
import { EventStoreUnavailableError, LogReplacedError, NO_STREAM } from '../port.js';
import { twoNodes } from './faults.fixture.js';
import { openEventStoreDb, openEventStoreDbReader } from './index.js';

describe('opening the event log on EventStoreDB', () => {
  it('creates one log, however many processes open it at once', async () => {
    const server = await startEventStoreServer();
    const { address } = server;
    const stores = await Promise.all(Array.from({ length: 6 }, () => openEventStoreDb({ address })));
    const ids = await Promise.all(stores.map(async (store) => (await store.head()).logId));
    const log = await Array.fromAsync(stores[0]!.readAll());
    expect(log.map(isLogCreated)).toEqual([true]);
    expect(new Set(ids)).toEqual(new Set([log[0]!.id]));
    await Promise.all(stores.map((store) => store.close()));
    await server.close();
  });

  it('reads a log that was not created yet as empty', async () => {
    const server = await startEventStoreServer();
    const reader = openEventStoreDbReader({ address: server.address });
    expect(await reader.head()).toEqual({ logId: null, position: null });
    expect(await Array.fromAsync(reader.readAll())).toEqual([]);
    await reader.close();
    await server.close();
  });

  it('asks the leader node for the end of the log, because others may lag', async () => {
    await using nodes = await twoNodes();
    const { follower, leader, follow } = nodes;
    const reader = openEventStoreDbReader({ address: follower.address });
    expect((await reader.head()).logId).not.toBeNull();
    const store = await openEventStoreDb({ address: leader.address });
    const { position } = await store.append(aStream(), NO_STREAM, events(3));
    follow();
    expect((await reader.head()).position).toBe(position);
    await Promise.all([reader, store].map((each) => each.close()));
  });

  it("finds the leader of a cluster by a follower's answer", async () => {
    const [follower, leader] = await Promise.all([startEventStoreServer(), startEventStoreServer()]);
    follower.control.leader = { host: '127.0.0.1', port: leader.port };
    const { host } = new URL(follower.address);
    const store = await openEventStoreDb({ address: `esdb://${host},${host}?tls=false&nodePreference=leader` });
    const reader = openEventStoreDbReader({ address: leader.address });
    expect(await store.head()).toEqual(await reader.head());
    await Promise.all([store, reader].map((each) => each.close()));
    await Promise.all([follower, leader].map((each) => each.close()));
  });

  it('is refused from a server that comes back with another log, or none, until it has the right one again', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'anneal-esdb-'));
    let server = await startEventStoreServer({ directory });
    const { address, port } = server;
    const store = await openEventStoreDb({ address });
    const { logId: knows, position } = await store.head();
    const restarted = async (folder?: string) => {
      await server.close();
      server = await startEventStoreServer({ port, ...(folder !== undefined && { directory: folder }) });
    };
    await restarted();
    await expect(store.head()).rejects.toMatchObject({ name: 'LogReplacedError', knows, sees: null });
    await expect(store.append(aStream(), NO_STREAM, events(1))).rejects.toBeInstanceOf(LogReplacedError);
    const troubles = Promise.withResolvers<Error>();
    await using _ = subscribed(store, { after: position, onTrouble: troubles.resolve });
    void _.rest();
    expect(await troubles.promise).toBeInstanceOf(LogReplacedError);
    const other = await openEventStoreDb({ address });
    const { logId: sees } = await other.head();
    await expect(Array.fromAsync(store.readAll())).rejects.toMatchObject({ name: 'LogReplacedError', knows, sees });
    expect(await Array.fromAsync(other.readAll())).toHaveLength(1);
    await restarted(directory);
    expect(await store.head()).toEqual({ logId: knows, position });
    await Promise.all([store, other].map((each) => each.close()));
    await server.close();
    await rm(directory, { recursive: true });
  });

  it.each([
    ['shorter', 0],
    ['written on', 9],
  ])(
    'is refused from a server that comes back with an older backup, %s, until it has the whole again',
    async (_, more) => {
      const directory = await mkdtemp(join(tmpdir(), 'anneal-esdb-'));
      const [whole, backup] = [join(directory, 'whole'), join(directory, 'backup')];
      let server = await startEventStoreServer({ directory: whole });
      const { address, port } = server;
      const restarted = async (folder: string) => {
        await server.close();
        server = await startEventStoreServer({ port, directory: folder });
      };
      const store = await openEventStoreDb({ address });
      await restarted(whole);
      await cp(whole, backup, { recursive: true });
      const { position: lacks } = await store.append(aStream(), NO_STREAM, events(2));
      await restarted(backup);
      const other = await openEventStoreDb({ address });
      for (let n = 0; n < more; n += 1) await other.append(aStream(), NO_STREAM, events(3));
      await expect(store.head()).rejects.toMatchObject({ name: 'LogReplacedError', lacks });
      await expect(store.append(aStream(), NO_STREAM, events(1))).rejects.toBeInstanceOf(LogReplacedError);
      await restarted(whole);
      expect(await store.head()).toMatchObject({ position: lacks });
      await Promise.all([store, other].map((each) => each.close()));
      await server.close();
      await rm(directory, { recursive: true });
    },
  );

  it('waits for a server that is not ready yet', async () => {
    const server = await startEventStoreServer();
    server.control.notReady = true;
    const asked = once(server.control, 'asked');
    const opening = openEventStoreDb({ address: server.address });
    await asked;
    server.control.notReady = false;
    const store = await opening;
    expect((await store.head()).logId).not.toBeNull();
    await store.close();
    await server.close();
  });

  it('names the server that it cannot reach, without secrets', async () => {
    const server = await startEventStoreServer();
    const { address } = server;
    await server.close();
    const withSecret = address.replace('esdb://', 'esdb://ada:hunter2@');
    const opened = openEventStoreDb({ address: withSecret, openDeadlineMs: 0 });
    await expect(opened).rejects.toBeInstanceOf(EventStoreUnavailableError);
    await expect(opened).rejects.toThrow(new URL(address).host);
    await expect(opened).rejects.not.toThrow('hunter2');
  });

  it.each(['esdb://ada:hunter2@', 'esdb://ada:hunter2@host:many', 'esdb://ada:hunter2@host?tls=hunter2'])(
    'refuses the address %s without quoting it',
    (address) => {
      expect(() => openEventStoreDbReader({ address })).toThrow(RangeError);
      expect(() => openEventStoreDbReader({ address })).not.toThrow('hunter2');
    },
  );

  it('reads the files that an address names, and names an unreadable one', () => {
    const address = 'esdb://host:2113?tls=true&tlsCAFile=missing.pem';
    expect(() => openEventStoreDbReader({ address })).toThrow(/tlsCaFile.*missing\.pem/);
  });
});
