import {
  ANY,
  NO_STREAM,
  START,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
  type AppendExpectedRevision,
} from '@eventstore/db-client';
import { once } from 'node:events';
import { append, collect, event, numbers, positionOf, underTest, written } from './client.fixture.js';

const running = underTest();
const read = async (stream: string) => collect(running.client.readStream(stream));

describe('a deleted stream', () => {
  const events = [event(0), event(1), event(2)];
  beforeEach(async () => {
    await append(running.client, 'a-1', events, NO_STREAM);
    await running.client.deleteStream('a-1', { expectedRevision: 2n });
  });

  test('is not found, and is still in the log, with what the deletion wrote', async () => {
    await expect(read('a-1')).rejects.toBeInstanceOf(StreamNotFoundError);
    expect(numbers(await written(running.client))).toEqual([0, 1, 2]);
    const last = (await collect(running.client.readAll())).at(-1)!;
    expect(last).toMatchObject({ streamId: '$$a-1', type: '$metadata' });
    expect(Number((last.data as { $tb: number }).$tb)).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
  });

  test.each<AppendExpectedRevision>([NO_STREAM, 2n, ANY])(
    'begun again with %s, goes on with its revisions',
    async (expected) => {
      const { nextExpectedRevision } = await append(running.client, 'a-1', [event(3)], expected);
      expect(nextExpectedRevision).toBe(3n);
      expect((await read('a-1')).map(({ revision }) => revision)).toEqual([3n]);
      expect(numbers(await written(running.client))).toEqual([0, 1, 2, 3]);
    },
  );

  test('a repeat of its first append is recognised, and does not bring it back', async () => {
    expect(await append(running.client, 'a-1', events, NO_STREAM)).toMatchObject({ nextExpectedRevision: 2n });
    await expect(read('a-1')).rejects.toBeInstanceOf(StreamNotFoundError);
  });

  test('new metadata bring none of its events back', async () => {
    await running.client.setStreamMetadata('a-1', { maxCount: 10 });
    expect(await read('a-1')).toEqual([]);
    await append(running.client, 'a-1', [event(3)], 2n);
    expect(numbers(await read('a-1'))).toEqual([3]);
  });

  test('a scavenge removes all but its last event; their positions stay places to read from', async () => {
    const [first] = await written(running.client);
    running.server.scavenge();
    expect(numbers(await written(running.client))).toEqual([2]);
    const [next] = await collect(running.client.readAll({ fromPosition: positionOf(first!), maxCount: 1 }));
    expect(next).toMatchObject({ data: { n: 2 } });
    await append(running.client, 'a-1', [event(3)], NO_STREAM);
    running.server.scavenge();
    expect(numbers(await written(running.client))).toEqual([3]);
  });
});

test('deleting goes by the expected revision', async () => {
  await append(running.client, 'a-1', [event(0), event(1)], NO_STREAM);
  const failure: unknown = await running.client.deleteStream('a-1', { expectedRevision: 0n }).catch((e: unknown) => e);
  expect(failure).toBeInstanceOf(WrongExpectedVersionError);
  expect(failure).toMatchObject({ streamName: 'a-1', expectedVersion: 0n, actualVersion: 1n });
  expect(numbers(await read('a-1'))).toEqual([0, 1]);
});

describe('a tombstone', () => {
  beforeEach(async () => {
    await append(running.client, 'a-1', [event(0), event(1)], NO_STREAM);
    await running.client.tombstoneStream('a-1', { expectedRevision: 1n });
  });

  test('ends a stream for ever: reads, appends, deletions, metadata', async () => {
    await expect(read('a-1')).rejects.toBeInstanceOf(StreamDeletedError);
    await expect(append(running.client, 'a-1', [event(2)], ANY)).rejects.toBeInstanceOf(StreamDeletedError);
    await expect(append(running.client, 'a-1', [event(2)], NO_STREAM)).rejects.toBeInstanceOf(StreamDeletedError);
    await expect(running.client.appendToStream('a-1', [event(2)])).rejects.toBeInstanceOf(StreamDeletedError);
    await expect(running.client.deleteStream('a-1')).rejects.toBeInstanceOf(StreamDeletedError);
    await expect(running.client.tombstoneStream('a-1')).rejects.toBeInstanceOf(StreamDeletedError);
    await expect(running.client.setStreamMetadata('a-1', {})).rejects.toBeInstanceOf(StreamDeletedError);
  });

  test('is an event of its own at the highest revision, which alone a scavenge leaves', async () => {
    running.server.scavenge();
    expect(await written(running.client)).toEqual([]);
    const last = (await collect(running.client.readAll())).at(-1)!;
    expect(last).toMatchObject({ streamId: 'a-1', type: '$streamDeleted', revision: 2n ** 63n - 1n });
    await expect(read('a-1')).rejects.toBeInstanceOf(StreamDeletedError);
  });
});

test('a subscription to a stream ends with its tombstone', async () => {
  await append(running.client, 'a-1', [event(0)], NO_STREAM);
  const subscription = running.client.subscribeToStream('a-1', { fromRevision: START });
  subscription.resume();
  await once(subscription, 'caughtUp');
  const failed = once(subscription, 'error');
  await running.client.tombstoneStream('a-1');
  expect((await failed)[0]).toBeInstanceOf(StreamDeletedError);
});
