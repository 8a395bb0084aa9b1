import { startEventStoreServer } from '#test/event-store-server/index.js';
import { isLogCreated } from '../log-created.js';
import { EventStoreUnavailableError } from '../port.js';
import { openEventStoreDb, openEventStoreDbReader } from './index.js';

describe('opening the event log on EventStoreDB', () => {
  it('makes one log, however many open it at once', async () => {
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

  it('reads a log that has not been made as empty', async () => {
    const server = await startEventStoreServer();
    const reader = openEventStoreDbReader({ address: server.address });
    expect(await reader.head()).toEqual({ logId: null, position: null });
    expect(await Array.fromAsync(reader.readAll())).toEqual([]);
    await reader.close();
    await server.close();
  });

  it('waits for a server that is not ready yet', async () => {
    const server = await startEventStoreServer();
    server.control.notReady = true;
    const opening = openEventStoreDb({ address: server.address });
    setTimeout(() => (server.control.notReady = false), 50);
    const store = await opening;
    expect((await store.head()).logId).not.toBeNull();
    await store.close();
    await server.close();
  });

  it('says which server it cannot reach, and no secret', async () => {
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

  it('reads the files that an address names, and says which it cannot', () => {
    const address = 'esdb://host:2113?tls=true&tlsCAFile=missing.pem';
    expect(() => openEventStoreDbReader({ address })).toThrow(/tlsCaFile.*missing\.pem/);
  });
});
