import { startEventStoreServer } from '#test/event-store-server/index.js';
import { aStream, events } from '../contract/log-under-test.js';
import { NO_STREAM } from '../port.js';
import { openEventStoreDb } from './index.js';

describe('reading the event log on EventStoreDB', () => {
  it('keeps its connection, however many single events and ends are read', async () => {
    const server = await startEventStoreServer();
    const store = await openEventStoreDb({ address: server.address });
    const s = aStream();
    const { position } = await store.append(s, NO_STREAM, events(40));
    const first = async () => {
      for await (const event of store.readAll()) return event;
      throw new Error('empty');
    };
    // Servers of HTTP/2 take about a thousand resets.
    for (let round = 0; round < 60; round += 1) {
      const read = Array.from({ length: 20 }, () => Promise.all([store.eventAt(position), store.head(), first()]));
      for (const [event, head] of await Promise.all(read))
        expect([event?.position, head.position]).toEqual([position, position]);
    }
    await store.close();
    await server.close();
  });
});
