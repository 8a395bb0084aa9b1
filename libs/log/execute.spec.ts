import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Decider } from '#domain/decider.js';
import { UnavailableError } from '#domain/errors.js';
import { openSqliteEventStore, type SqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { expectedAfter, WrongExpectedRevisionError, type EventStore } from '#ports/event-store/port.js';
import { systemContext } from './context.js';
import { envelope, Executor } from './execute.js';

interface Counted {
  readonly type: 'counted.v1';
  readonly data: { readonly n: number };
}

/** Counts; repeating a number changes nothing. */
const counting: Decider<{ readonly n: number }, Counted, { readonly seen: readonly number[] }> = {
  category: 'project',
  eventTypes: { 'counted.v1': true },
  initial: { seen: [] },
  decide: ({ n }, { seen }) => (seen.at(-1) === n ? [] : [{ type: 'counted.v1', data: { n } }]),
  evolve: ({ seen }, { data }) => ({ seen: [...seen, data.n] }),
};

const TOO_MANY = new UnavailableError('too many changes of this resource wait; try again');

describe('execute', () => {
  let directory: string;
  let log: SqliteEventStore;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'execute-'));
    log = await openSqliteEventStore({ directory, durability: 'normal' });
  });
  afterEach(async () => {
    await log.close();
    await rm(directory, { recursive: true });
  });

  const context = () => systemContext('test', 'w1');
  const run = (executor: Executor, id: string, n: number, given = context()) =>
    executor.execute(counting, id, { n }, given);
  const other = (store: EventStore): EventStore => ({
    ...{ positions: store.positions, close: () => store.close(), head: () => store.head() },
    check: (options) => store.check(options),
    takesWrites: () => store.takesWrites(),
    append: (...given) => store.append(...given),
    readStream: (...given) => store.readStream(...given),
    readAll: (...given) => store.readAll(...given),
    eventAt: (...given) => store.eventAt(...given),
    subscribe: (...given) => store.subscribe(...given),
    deleteStream: (...given) => store.deleteStream(...given),
  });

  it('queues commands on one stream in order, so that none meets a conflict', async () => {
    let appends = 0;
    const store: EventStore = { ...other(log), append: (...given) => ((appends += 1), log.append(...given)) };
    const executor = new Executor(store);
    // No more than a machine that is busy several times over does in the ten seconds that each of them waits.
    await Promise.all(Array.from({ length: 20 }, (_, n) => run(executor, 'one', n)));
    const { seen } = await executor.load(counting, 'one');
    expect(seen).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(appends).toBe(20);
  });

  it('reads at most sixteen streams at once', async () => {
    let [now, most] = [0, 0];
    const store: EventStore = {
      ...other(log),
      async *readStream(...given) {
        most = Math.max(most, (now += 1));
        try {
          // A turn of the event loop, so that whatever may read does.
          await new Promise(setImmediate);
          yield* log.readStream(...given);
        } finally {
          now -= 1;
        }
      },
    };
    const executor = new Executor(store);
    await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        Promise.all([run(executor, `s${n}`, n), executor.load(counting, `s${n}`), executor.recall(counting, 'x', 'c')]),
      ),
    );
    expect([now, most]).toEqual([0, 16]);
  });

  it('refuses more than 256 waiting commands on one stream, and accepts others and later ones', async () => {
    const held = Promise.withResolvers<void>();
    const store: EventStore = {
      ...other(log),
      async append(stream, ...given) {
        if (stream === 'project-busy') await held.promise;
        return log.append(stream, ...given);
      },
    };
    const executor = new Executor(store);
    const waiting = Array.from({ length: 257 }, (_, n) => run(executor, 'busy', n));
    await expect(run(executor, 'busy', 1_000)).rejects.toEqual(TOO_MANY);
    await run(executor, 'another', 1);
    held.resolve();
    await Promise.all(waiting);
    expect((await run(executor, 'busy', 2_000)).revision).toBe(257);
  });

  it('reads on after a conflict, and finds its own events before those of others', async () => {
    const given = context();
    const mine = envelope('project-met', { type: 'counted.v1', data: { n: 7 } }, 0, given);
    await run(new Executor(log), 'met', 1);
    const from: (number | undefined)[] = [];
    let isFirst = true;
    const store: EventStore = {
      ...other(log),
      readStream: (stream, options) => (from.push(options?.fromRevision), log.readStream(stream, options)),
      async append(stream, expected, events) {
        if (!isFirst) return log.append(stream, expected, events);
        isFirst = false;
        // Simulates an unknown outcome: its own events are stored, and another process has appended since.
        await log.append(stream, expected, [mine]);
        await run(new Executor(log), 'met', 9);
        throw new WrongExpectedRevisionError(stream, expected, 2);
      },
    };
    const executed = await run(new Executor(store), 'met', 7, given);
    expect(executed).toMatchObject({ state: { seen: [1, 7] }, revision: 1 });
    expect(from).toEqual([0, 1]);
    expect((await new Executor(log).load(counting, 'met')).seen).toEqual([1, 7, 9]);
  });

  it('gives up when every append meets a conflict, without naming the stream', async () => {
    const store: EventStore = {
      ...other(log),
      append: (stream, expected) => Promise.reject(new WrongExpectedRevisionError(stream, expected, 0)),
    };
    await expect(run(new Executor(store), 'raced', 5)).rejects.toEqual(TOO_MANY);
  });

  it('decides again on events that others have appended in between', async () => {
    let isFirst = true;
    const store: EventStore = {
      ...other(log),
      async append(stream, expected, events) {
        if (isFirst) await run(new Executor(log), 'raced', 5);
        isFirst = false;
        return log.append(stream, expected, events);
      },
    };
    expect((await run(new Executor(store), 'raced', 5)).position).toBeNull();
    expect((await new Executor(log).load(counting, 'raced')).seen).toEqual([5]);
  });

  it('refuses a stream to which a newer release has written, and says so', async () => {
    await run(new Executor(log), 'newer', 1);
    const event = envelope('project-newer', { type: 'counted.v2', data: { n: { value: 2 } } }, 0, context());
    await log.append('project-newer', expectedAfter(0), [event]);
    const refused = new UnavailableError(
      'a newer release has written counted.v2 here, which this process does not know; try again when the upgrade is complete',
    );
    await expect(run(new Executor(log), 'newer', 3)).rejects.toEqual(refused);
    await expect(new Executor(log).load(counting, 'newer')).rejects.toEqual(refused);
  });
});
