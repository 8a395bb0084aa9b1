import { BACKWARDS, END, InvalidArgumentError, START, StreamNotFoundError } from '@eventstore/db-client';
import { append, collect, event, numbers, positionOf, underTest, written } from './client.fixture.js';

const running = underTest();
const fill = async (count: number) => {
  for (let n = 0; n < count; n += 10) {
    await append(
      running.client,
      'a-1',
      Array.from({ length: Math.min(10, count - n) }, (_, i) => event(n + i)),
    );
  }
};

describe('a stream', () => {
  const read = async (options: Parameters<typeof running.client.readStream>[1]) =>
    numbers(await collect(running.client.readStream('a-1', options)));

  test('is read from both ends, from any revision, up to a count', async () => {
    await fill(8);
    expect(await read({})).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await read({ fromRevision: 6n })).toEqual([6, 7]);
    expect(await read({ fromRevision: 2n, maxCount: 3 })).toEqual([2, 3, 4]);
    expect(await read({ fromRevision: 8n })).toEqual([]);
    expect(await read({ direction: BACKWARDS, fromRevision: END, maxCount: 2 })).toEqual([7, 6]);
    expect(await read({ direction: BACKWARDS, fromRevision: 1n })).toEqual([1, 0]);
    expect(await read({ direction: BACKWARDS, fromRevision: 100n, maxCount: 1 })).toEqual([7]);
  });

  test('of more than a page is read whole', async () => {
    await fill(1_234);
    const events = await collect(running.client.readStream('a-1'));
    expect(events.map(({ revision }) => Number(revision))).toEqual(Array.from({ length: 1_234 }, (_, n) => n));
    expect(await read({ direction: BACKWARDS, fromRevision: END })).toHaveLength(1_234);
  });

  test('that nobody wrote is not found', async () => {
    await expect(read({})).rejects.toBeInstanceOf(StreamNotFoundError);
  });

  test('shows what its metadata leave', async () => {
    await fill(5);
    await running.client.setStreamMetadata('a-1', { truncateBefore: 2 });
    expect(await read({})).toEqual([2, 3, 4]);
    await running.client.setStreamMetadata('a-1', { maxCount: 1 });
    expect(await read({})).toEqual([4]);
    expect(await running.client.getStreamMetadata('a-1')).toMatchObject({ metadata: { maxCount: 1 } });
    expect(numbers(await written(running.client))).toEqual([0, 1, 2, 3, 4]);
  });
});

test('events beyond the age of their stream are not read, and scavenged but for the last one', async () => {
  await fill(3);
  await running.client.setStreamMetadata('a-1', { maxAge: 60 });
  expect(await collect(running.client.readStream('a-1'))).toHaveLength(3);
  const { now } = Date;
  Date.now = () => now() + 61_000;
  try {
    expect(await collect(running.client.readStream('a-1'))).toEqual([]);
    running.server.scavenge();
  } finally {
    Date.now = now;
  }
  expect(numbers(await written(running.client))).toEqual([2]);
});

describe('the log', () => {
  test('is read forwards from a position, itself included, and backwards without it', async () => {
    await fill(5);
    const events = await written(running.client);
    const fromPosition = positionOf(events[2]!);
    const { client } = running;
    expect(numbers(await collect(client.readAll({ fromPosition })))).toEqual([2, 3, 4]);
    expect(numbers(await collect(client.readAll({ fromPosition, direction: BACKWARDS, maxCount: 2 })))).toEqual([1, 0]);
    expect(numbers(await collect(client.readAll({ fromPosition: END, direction: BACKWARDS, maxCount: 1 })))).toEqual([
      4,
    ]);
    expect(await collect(client.readAll({ fromPosition: END }))).toEqual([]);
    expect(await collect(client.readAll({ fromPosition: START, direction: BACKWARDS }))).toEqual([]);
  });

  test.each([1n, -1n, 10_000_000n])('a position that is %d off an event is refused', async (off) => {
    await fill(2);
    const { commit, prepare } = positionOf((await written(running.client))[1]!);
    for (const fromPosition of [
      { commit: commit + off, prepare: prepare + off },
      { commit, prepare: prepare + off },
    ]) {
      await expect(collect(running.client.readAll({ fromPosition }))).rejects.toThrow(/Invalid position/);
      await expect(collect(running.client.subscribeToAll({ fromPosition }))).rejects.toThrow(/Invalid position/);
    }
  });
});

test('a negative revision is the client’s own error', () => {
  expect(() => running.client.readStream('a-1', { fromRevision: -1n })).toThrow(InvalidArgumentError);
});
