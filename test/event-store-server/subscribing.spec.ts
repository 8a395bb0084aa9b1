import {
  END,
  eventTypeFilter,
  excludeSystemEvents,
  jsonEvent,
  NO_STREAM,
  START,
  streamNameFilter,
  type AllStreamSubscription,
  type Position,
  type ResolvedEvent,
  type StreamSubscription,
} from '@eventstore/db-client';
import { once } from 'node:events';
import { append, event, numbers, positionOf, underTest, written } from './client.fixture.js';

const running = underTest();

/** The next so many events. */
async function take(subscription: AllStreamSubscription | StreamSubscription, count: number) {
  const taken: NonNullable<ResolvedEvent['event']>[] = [];
  for await (const { event } of subscription) {
    taken.push(event!);
    if (taken.length === count) break;
  }
  return taken;
}
const type = (name: string, n: number) => jsonEvent({ type: name, data: { n } });

test('gives history, says that it caught up, and goes on with live events', async () => {
  await append(running.client, 'a-1', [event(0), event(1)]);
  const subscription = running.client.subscribeToAll({ fromPosition: START, filter: excludeSystemEvents() });
  const seen: (number | string)[] = [];
  for (const name of ['confirmation', 'caughtUp', 'fellBehind'] as const) {
    subscription.on(name, () => void seen.push(name));
  }
  subscription.on('data', ({ event }: ResolvedEvent) => void seen.push(...numbers([event!])));
  await once(subscription, 'caughtUp');
  const live = once(subscription, 'data');
  await append(running.client, 'b-1', [event(2)]);
  await live;
  expect(seen).toEqual(['confirmation', 0, 1, 'caughtUp', 2]);
  await subscription.unsubscribe();
});

test('starts behind a position, or at the end', async () => {
  await append(running.client, 'a-1', [event(0), event(1), event(2)]);
  const [first] = await written(running.client);
  expect(numbers(await take(running.client.subscribeToAll({ fromPosition: positionOf(first!) }), 2))).toEqual([1, 2]);
  const live = running.client.subscribeToAll({ fromPosition: END });
  await once(live, 'caughtUp');
  await append(running.client, 'a-1', [event(3)]);
  expect(numbers(await take(live, 1))).toEqual([3]);
});

test('without a filter it gives the system’s events, too', async () => {
  const [first] = await take(running.client.subscribeToAll({ fromPosition: START }), 1);
  expect(first!.type).toBe('$metadata');
});

test.each([
  ['event types by prefix', eventTypeFilter({ prefixes: ['x.', 'z.'] }), [0, 2]],
  ['event types by expression', eventTypeFilter({ regex: '^[xy]\\.' }), [0, 1]],
  ['streams by prefix', streamNameFilter({ prefixes: ['b-'] }), [1]],
  ['streams by expression', streamNameFilter({ regex: '^(a|c)-' }), [0, 2]],
])('filters %s', async (_name, filter, expected) => {
  await append(running.client, 'a-1', [type('x.one', 0)]);
  await append(running.client, 'b-1', [type('y.one', 1)]);
  await append(running.client, 'c-1', [type('z.one', 2)]);
  const subscription = running.client.subscribeToAll({ fromPosition: START, filter });
  expect(numbers(await take(subscription, expected.length))).toEqual(expected);
});

describe('checkpoints', () => {
  const checkpoints = async (events: number, window: number, interval: number) => {
    const found: Position[] = [];
    const filter = eventTypeFilter({
      prefixes: ['nobody-writes-this'],
      maxSearchWindow: window,
      checkpointInterval: interval,
      checkpointReached: async (_subscription, position) => void found.push(position),
    });
    const all = (await written(running.client)).length;
    for (let n = all; n < events; n += 1) await append(running.client, 'a-1', [event(n)]);
    const subscription = running.client.subscribeToAll({ fromPosition: START, filter });
    subscription.resume();
    await once(subscription, 'caughtUp');
    await subscription.unsubscribe();
    return found;
  };

  test('come after so many windows of events, whether they match or not', async () => {
    expect(await checkpoints(30, 10, 1)).toHaveLength(3);
    expect(await checkpoints(30, 10, 2)).toHaveLength(1);
    expect(await checkpoints(30, 100, 1)).toHaveLength(0);
  });

  test('stand just before the next record, and can be gone on from', async () => {
    const [last] = (await checkpoints(30, 10, 3)).slice(-1);
    const events = await written(running.client);
    expect(last!.prepare).toBe(0n);
    const after = events.filter(({ position }) => position!.commit >= last!.commit);
    const taken = await take(running.client.subscribeToAll({ fromPosition: last! }), after.length);
    expect(numbers(taken)).toEqual(numbers(after));
  });

  test('can be gone on from when the events before them were scavenged', async () => {
    const [last] = (await checkpoints(30, 10, 3)).slice(-1);
    await running.client.deleteStream('a-1');
    running.server.scavenge();
    const [next] = await take(running.client.subscribeToAll({ fromPosition: last! }), 1);
    expect(next!.position!.commit).toBeGreaterThanOrEqual(last!.commit);
  });
});

describe('of one stream', () => {
  test('waits for a stream that is not there yet, and starts behind a revision', async () => {
    const waiting = running.client.subscribeToStream('a-1', { fromRevision: START });
    await once(waiting, 'confirmation');
    await append(running.client, 'b-1', [event(9)]);
    await append(running.client, 'a-1', [event(0), event(1)]);
    expect(numbers(await take(waiting, 2))).toEqual([0, 1]);
    expect(numbers(await take(running.client.subscribeToStream('a-1', { fromRevision: 0n }), 1))).toEqual([1]);
  });

  test('starts at the end, and goes on when the stream is deleted and begun again', async () => {
    await append(running.client, 'a-1', [event(0)]);
    const live = running.client.subscribeToStream('a-1', { fromRevision: END });
    await once(live, 'caughtUp');
    await running.client.deleteStream('a-1');
    await append(running.client, 'a-1', [event(1)], NO_STREAM);
    const [given] = await take(live, 1);
    expect(given).toMatchObject({ data: { n: 1 }, revision: 1n });
  });
});

test('a live subscription that falls far behind says so, and when it caught up again', async () => {
  const subscription = running.client.subscribeToAll({ fromPosition: END });
  const said: string[] = [];
  for (const name of ['caughtUp', 'fellBehind'] as const) subscription.on(name, () => void said.push(name));
  let count = 0;
  subscription.on('data', () => (count += 1));
  await once(subscription, 'caughtUp');
  await append(
    running.client,
    'a-1',
    Array.from({ length: 1_200 }, (_, n) => event(n)),
  );
  await once(subscription, 'caughtUp');
  expect(said).toEqual(['caughtUp', 'fellBehind', 'caughtUp']);
  expect(count).toBe(1_200);
});
