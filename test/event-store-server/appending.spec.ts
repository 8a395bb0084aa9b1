import {
  ANY,
  jsonEvent,
  MaxAppendSizeExceededError,
  NO_STREAM,
  STREAM_EXISTS,
  WrongExpectedVersionError,
  type EventData,
} from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { collect, event, numbers, UNARY, underTest, written } from './client.fixture.js';

const running = underTest();

describe.each([
  ['unary append', UNARY],
  ['batch append', {}],
])('%s', (_name, how) => {
  const append = (
    stream: string,
    events: EventData[],
    expectedRevision: bigint | 'any' | 'no_stream' | 'stream_exists',
  ) => running.client.appendToStream(stream, events, { expectedRevision, ...how });

  test('answers with the revision and the position of the last event', async () => {
    const { nextExpectedRevision, position } = await append('a-1', [event(1), event(2)], NO_STREAM);
    const events = await written(running.client);
    expect(nextExpectedRevision).toBe(1n);
    expect(events.at(-1)!.position).toEqual(position);
    expect(numbers(events)).toEqual([1, 2]);
  });

  test('keeps id, type, content, metadata and the time of an event', async () => {
    const id = randomUUID();
    const before = Date.now();
    await append(
      'a-1',
      [jsonEvent({ id, type: 'named.v1', data: { name: 'Jürgen' }, metadata: { by: 'x' } })],
      NO_STREAM,
    );
    const [stored] = await written(running.client);
    expect(stored).toMatchObject({ id, type: 'named.v1', streamId: 'a-1', revision: 0n, isJson: true });
    expect(stored).toMatchObject({ data: { name: 'Jürgen' }, metadata: { by: 'x' } });
    expect(stored!.created.getTime()).toBeGreaterThanOrEqual(before);
    expect(stored!.created.getTime()).toBeLessThanOrEqual(Date.now());
  });

  test('a conflict says which revision the stream is at, and stores nothing', async () => {
    await append('a-1', [event(1), event(2)], NO_STREAM);
    for (const expected of [NO_STREAM, 0n, 5n] as const) {
      const failure: unknown = await append('a-1', [event(3)], expected).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(WrongExpectedVersionError);
      expect(failure).toMatchObject({ streamName: 'a-1', actualVersion: 1n, expectedVersion: expected });
    }
    await expect(append('b-1', [event(3)], 0n)).rejects.toMatchObject({ actualVersion: 'no_stream' });
    await expect(append('b-1', [event(3)], STREAM_EXISTS)).rejects.toBeInstanceOf(WrongExpectedVersionError);
    expect(numbers(await written(running.client))).toEqual([1, 2]);
  });

  test('an identical repeat at the same revision stores nothing and has no position', async () => {
    const events = [event(1), event(2)];
    await append('a-1', events, NO_STREAM);
    await append('a-1', [event(3)], 1n);
    const repeated = await append('a-1', events, NO_STREAM);
    expect(repeated).toEqual({ success: true, nextExpectedRevision: 1n, position: undefined });
    expect(numbers(await written(running.client))).toEqual([1, 2, 3]);
  });

  test('the same ids in another order, at another revision, or with more behind them are a conflict', async () => {
    const [first, second] = [event(1), event(2)];
    await append('a-1', [first, second], NO_STREAM);
    await append('a-1', [event(3)], 1n);
    await expect(append('a-1', [second, first], NO_STREAM)).rejects.toBeInstanceOf(WrongExpectedVersionError);
    await expect(append('a-1', [first, second], 0n)).rejects.toBeInstanceOf(WrongExpectedVersionError);
    await expect(append('a-1', [first, second, event(4)], NO_STREAM)).rejects.toBeInstanceOf(WrongExpectedVersionError);
  });

  test('any stores the same event twice', async () => {
    const same = event(1);
    await append('a-1', [same], ANY);
    await append('a-1', [same], ANY);
    expect((await written(running.client)).map(({ id }) => id)).toEqual([same.id, same.id]);
  });

  test('more than 1 MiB at once is refused, whole', async () => {
    const half = (n: number) => jsonEvent({ type: 'large.v1', data: { n, text: 'x'.repeat(520_000) } });
    await append('a-1', [half(1)], NO_STREAM);
    const failure: unknown = await append('a-1', [half(2), half(3), half(4)], 0n).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MaxAppendSizeExceededError);
    expect(failure).toMatchObject({ maxAppendSize: 1_048_576 });
    expect(numbers(await written(running.client))).toEqual([1]);
  });

  test('appends at once to one stream: one of them is stored', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => append('a-1', [event(n)], NO_STREAM)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await written(running.client)).toHaveLength(1);
  });
});

test('positions rise by irregular steps over all streams, and commit equals prepare', async () => {
  for (let n = 0; n < 20; n += 1) await running.client.appendToStream(`a-${n % 3}`, [event(n)], UNARY);
  const positions = (await collect(running.client.readAll())).map(({ position }) => position!);
  const steps = positions.slice(1).map(({ commit }, index) => commit - positions[index]!.commit);
  expect(positions.every(({ commit, prepare }) => commit === prepare)).toBe(true);
  expect(steps.every((step) => step > 100n)).toBe(true);
  expect(new Set(steps.slice(-15)).size).toBeGreaterThan(5);
});

test('the log begins with events of the system', async () => {
  const [first] = await collect(running.client.readAll());
  expect(first).toMatchObject({ type: '$metadata', position: { commit: 0n, prepare: 0n } });
});
