import {
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  excludeSystemEvents,
  START,
  type ResolvedEvent,
} from '@eventstore/db-client';
import { startEventStoreServer, type EventStoreServer } from './index.js';

let server: EventStoreServer;
let client: EventStoreDBClient;
beforeEach(async () => {
  server = await startEventStoreServer();
  client = EventStoreDBClient.connectionString(server.address);
});
afterEach(async () => {
  await client.dispose();
  await server.close();
});
const event = (n: number) => jsonEvent({ type: 'happened', data: { n } });
const credentials = { username: 'u', password: 'p' };

test('append, read and subscribe', async () => {
  const result = await client.appendToStream('a-1', [event(1), event(2)], { expectedRevision: NO_STREAM, credentials });
  expect(result).toMatchObject({ success: true, nextExpectedRevision: 1n });
  const seen: unknown[] = [];
  for await (const { event: e } of client.readStream('a-1')) seen.push(e?.data);
  expect(seen).toEqual([{ n: 1 }, { n: 2 }]);
  const all: ResolvedEvent[] = [];
  for await (const resolved of client.readAll()) all.push(resolved);
  expect(all.at(-1)!.event!.position).toEqual(result.position);
  const back: ResolvedEvent[] = [];
  for await (const resolved of client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }))
    back.push(resolved);
  expect(back[0]!.event!.position).toEqual(result.position);
  const subscription = client.subscribeToAll({ fromPosition: START, filter: excludeSystemEvents() });
  let caught = 0;
  subscription.on('caughtUp', () => (caught += 1));
  for await (const { event: e } of subscription) if ((e!.data as { n: number }).n === 2) break;
});
