import {
  AccessDeniedError,
  DeadlineExceededError,
  EventStoreDBClient,
  NO_STREAM,
  NotLeaderError,
  START,
  TimeoutError,
  UnavailableError,
  type ResolvedEvent,
} from '@eventstore/db-client';
import { once } from 'node:events';
import { append, collect, event, numbers, positionOf, UNARY, underTest, written } from './client.fixture.js';

const running = underTest();
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

/** What another client, over a connection of its own, finds in the log. */
async function stored(): Promise<number[]> {
  const other = EventStoreDBClient.connectionString(running.server.address);
  const found = numbers(await written(other));
  await other.dispose();
  return found;
}

describe('silence', () => {
  test('answers no append: only its deadline helps, and nothing is stored', async () => {
    running.server.control.silent = true;
    const call = running.client.appendToStream('a-1', [event(1)], { deadline: 200, ...UNARY });
    expect(await failure(call)).toBeInstanceOf(DeadlineExceededError);
    running.server.control.silent = false;
    expect(await stored()).toEqual([]);
  });

  test('holds back what a subscription would give, until it ends', async () => {
    const subscription = running.client.subscribeToStream('a-1', { fromRevision: START });
    await once(subscription, 'caughtUp');
    const given: number[] = [];
    subscription.on('data', ({ event }: ResolvedEvent) => void given.push(...numbers([event!])));
    const { control } = running.server;
    const release = control.holdAppends();
    const held = running.client.appendToStream('a-1', [event(1)], { deadline: 500, ...UNARY });
    const unanswered = failure(held);
    await control.appendHeld();
    control.silent = true;
    release();
    expect(await unanswered).toBeInstanceOf(DeadlineExceededError);
    expect(given).toEqual([]);
    control.silent = false;
    await once(subscription, 'data');
    expect(given).toEqual([1]);
  });
});

describe('an append without an answer', () => {
  test('that was stored: its repeat is recognised', async () => {
    running.server.control.dropAppendsAfterStoring(1);
    const same = event(1);
    expect(await failure(append(running.client, 'a-1', [same], NO_STREAM))).toMatchObject({ name: 'Error' });
    expect(await stored()).toEqual([1]);
    expect(await append(running.client, 'a-1', [same], NO_STREAM)).toMatchObject({ nextExpectedRevision: 0n });
    expect(await stored()).toEqual([1]);
  });

  test('that was not stored: its repeat is', async () => {
    running.server.control.dropAppendsBeforeStoring(1);
    const same = event(1);
    expect(await failure(append(running.client, 'a-1', [same], NO_STREAM))).toMatchObject({ name: 'Error' });
    expect(await stored()).toEqual([]);
    expect(await append(running.client, 'a-1', [same], NO_STREAM)).toMatchObject({ nextExpectedRevision: 0n });
    expect(await stored()).toEqual([1]);
  });

  test('a timeout of the server’s own may hide that it was stored', async () => {
    running.server.control.timeOutAppendsAfterStoring(1);
    expect(await failure(append(running.client, 'a-1', [event(1)], NO_STREAM))).toBeInstanceOf(TimeoutError);
    expect(await stored()).toEqual([1]);
  });

  test.each([
    ['unary', 'stored', UNARY],
    ['unary', 'dropped', UNARY],
    ['batch', 'stored', {}],
    ['batch', 'dropped', {}],
  ] as const)('a held %s append beyond its deadline is %s', async (_name, cancelledAppends, how) => {
    const { control } = running.server;
    control.cancelledAppends = cancelledAppends;
    const release = control.holdAppends();
    const call = running.client.appendToStream('a-1', [event(1)], {
      expectedRevision: NO_STREAM,
      deadline: 400,
      ...how,
    });
    expect(await failure(call)).toBeInstanceOf(DeadlineExceededError);
    expect(await stored()).toEqual([]);
    release();
    // In order of arrival: once this one is in, the late one was decided.
    await append(running.client, 'b-1', [event(2)]);
    expect(await stored()).toEqual(cancelledAppends === 'stored' ? [1, 2] : [2]);
  });
});

describe('connections', () => {
  test('are cut all at once; the client comes back by itself', async () => {
    const subscription = running.client.subscribeToAll({ fromPosition: START });
    subscription.resume();
    await once(subscription, 'caughtUp');
    const failed = once(subscription, 'error');
    running.server.control.disconnectAll();
    expect((await failed)[0]).toBeInstanceOf(UnavailableError);
    await append(running.client, 'a-1', [event(1)]);
    expect(await stored()).toEqual([1]);
  });

  test('are refused', async () => {
    running.server.control.refuseConnections = true;
    expect(await failure(append(running.client, 'a-1', [event(1)]))).toBeInstanceOf(UnavailableError);
    running.server.control.refuseConnections = false;
    expect(running.server.control.connectionCount).toBe(0);
  });
});

test('a subscription that goes on from an event may be given it again', async () => {
  await append(running.client, 'a-1', [event(0), event(1), event(2)]);
  const fromPosition = positionOf((await written(running.client))[1]!);
  running.server.control.repeatLastOnReconnect = true;
  const given: number[] = [];
  for await (const { event } of running.client.subscribeToAll({ fromPosition })) {
    given.push(...numbers([event!]));
    if (given.length === 2) break;
  }
  expect(given).toEqual([1, 2]);
  for await (const { event } of running.client.subscribeToStream('a-1', { fromRevision: 1n })) {
    expect(numbers([event!])).toEqual([1]);
    break;
  }
});

describe('refusals', () => {
  const calls: (() => Promise<unknown>)[] = [
    () => append(running.client, 'a-1', [event(1)]),
    () => collect(running.client.readStream('a-1')),
    () => collect(running.client.readAll()),
    () => running.client.deleteStream('a-1'),
  ];

  test('access denied', async () => {
    await append(running.client, 'a-1', [event(1)]);
    running.server.control.denyAccess = true;
    for (const call of calls) expect(await failure(call())).toBeInstanceOf(AccessDeniedError);
  });

  test('not ready', async () => {
    await append(running.client, 'a-1', [event(1)]);
    running.server.control.notReady = true;
    for (const call of calls) expect(await failure(call())).toBeInstanceOf(UnavailableError);
  });

  test('a follower names the leader to who requires one, and serves the others', async () => {
    await append(running.client, 'a-1', [event(1)]);
    running.server.control.leader = { host: '127.0.0.1', port: 2_113 };
    const other = EventStoreDBClient.connectionString(running.server.address);
    expect(await collect(other.readStream('a-1'))).toHaveLength(1);
    const refused = await failure(collect(other.readStream('a-1', { requiresLeader: true })));
    expect(refused).toBeInstanceOf(NotLeaderError);
    expect(refused).toMatchObject({ leader: { address: '127.0.0.1', port: 2_113 } });
    await other.dispose();
  });
});
