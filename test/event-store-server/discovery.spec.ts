import { EventStoreDBClient } from '@eventstore/db-client';
import { append, event, numbers, underTest, written } from './client.fixture.js';
import { startEventStoreServer } from './index.js';

const running = underTest();

test('a client that asks for the cluster finds the leader that a follower names', async () => {
  const leader = await startEventStoreServer();
  const { server } = running;
  server.control.leader = { host: '127.0.0.1', port: leader.port };
  const host = `127.0.0.1:${server.port}`;
  const client = EventStoreDBClient.connectionString(`esdb://${host},${host}?tls=false&nodePreference=leader`);
  await append(client, 'a-1', [event(1)]);
  expect(numbers(await written(running.client))).toEqual([]);
  await client.dispose();
  const direct = EventStoreDBClient.connectionString(leader.address);
  expect(numbers(await written(direct))).toEqual([1]);
  await direct.dispose();
  await leader.close();
});

test('it supports the methods that are here, and no others', async () => {
  type Asked = { supports(method: { path: string }): Promise<boolean> };
  const supports = (method: string) =>
    (running.client as unknown as Asked).supports({ path: `/event_store.client.${method}` });
  for (const method of ['Append', 'BatchAppend', 'Read', 'Delete', 'Tombstone']) {
    expect(await supports(`streams.Streams/${method}`)).toBe(true);
  }
  expect(await supports('gossip.Gossip/Read')).toBe(true);
  expect(await supports('projections.Projections/Create')).toBe(false);
  expect(await supports('persistent_subscriptions.PersistentSubscriptions/Read')).toBe(false);
});
