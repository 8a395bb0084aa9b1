import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLogCreated } from '../log-created.js';
import { EventStoreUnavailableError, NO_STREAM, exactly, expectedAfter, type RecordedEvent } from '../port.js';
import { openSqliteEventReader, openSqliteEventStore, SqliteEventReader } from './index.js';
import { hearCommits } from './notifications.js';
import { disposable, event, otherProcess } from './store.fixture.js';

describe('the event log on SQLite', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-store-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('can be followed by another read-only process', async () => {
    await using opened = disposable(await openSqliteEventStore({ directory }));
    await opened.store.append('thing-1', NO_STREAM, [event()]);
    const follower = otherProcess('follow', directory);
    expect(await follower.line()).toBe('thing-1 0');
    expect(await follower.line()).toBe('caught-up');
    await opened.store.append('thing-1', exactly(0), [event()]);
    expect(await follower.line()).toBe('thing-1 1');
    await follower.kill();
  });

  it('completes appends made before it was closed', async () => {
    const store = await openSqliteEventStore({ directory });
    const appended = store.append('thing-1', NO_STREAM, [event()]);
    await store.close();
    expect((await appended).revision).toBe(0);
    await expect(store.append('thing-1', exactly(0), [event()])).rejects.toBeInstanceOf(EventStoreUnavailableError);
  });

  it('commits the appends of one turn together, and reports how many', async () => {
    const groups: number[] = [];
    const appends: string[] = [];
    const store = await openSqliteEventStore({
      directory,
      onGroup: ({ calls }) => groups.push(calls),
      onAppend: ({ outcome }) => appends.push(outcome),
    });
    const calls = Array.from({ length: 40 }, (_, n) => store.append(`thing-${n % 39}`, NO_STREAM, [event()]));
    await Promise.allSettled(calls);
    await store.close();
    expect(groups).toEqual([40]);
    expect(appends.toSorted()).toEqual([...Array.from({ length: 39 }, () => 'stored'), 'wrong-revision']);
  });

  it('yields to other callers during a long read', async () => {
    await using opened = disposable(await openSqliteEventStore({ directory, durability: 'normal' }));
    const many = Array.from({ length: 500 }, event);
    for (let at = -1; at < 4999; at += 500) {
      await opened.store.append(
        'thing-1',
        at < 0 ? NO_STREAM : exactly(at),
        many.map(({ id: _, ...rest }) => ({ ...rest, id: randomUUID() })),
      );
    }
    let turns = 0;
    const counting = () => {
      turns += 1;
      immediate = setImmediate(counting);
    };
    let immediate = setImmediate(counting);
    let count = 0;
    for await (const _ of opened.store.readStream('thing-1')) count += 1;
    clearImmediate(immediate);
    expect(count).toBe(5000);
    // A page is at most 512 events, so 5,000 events have nine ends of pages or more.
    expect(turns).toBeGreaterThanOrEqual(9);
  });

  it('leaves nothing of a deleted stream in any file of the folder', async () => {
    await using opened = disposable(await openSqliteEventStore({ directory }));
    const secret = () => ({ ...event(), data: { text: `unmistakable ${'x'.repeat(3000)}` } });
    await opened.store.append('kept-1', NO_STREAM, [event()]);
    await opened.store.append('gone-1', NO_STREAM, Array.from({ length: 200 }, secret));
    const holding = async () => {
      const files = await readdir(directory);
      const contents = await Promise.all(files.map((file) => readFile(join(directory, file))));
      return files.filter((_, index) => contents[index]!.includes('unmistakable'));
    };
    expect(await holding()).not.toEqual([]);
    await opened.store.deleteStream('gone-1');
    expect(await holding()).toEqual([]);
    expect(await Array.fromAsync(opened.store.readStream('kept-1'))).toHaveLength(1);
  });

  it('announces commits to any number of other threads, until they stop', async () => {
    await using opened = disposable(await openSqliteEventStore({ directory }));
    const { logId } = await opened.store.head();
    const heard = { first: 0, second: 0 };
    const both = Promise.withResolvers<void>();
    const hear = (name: 'first' | 'second') =>
      hearCommits(logId!, () => {
        heard[name] += 1;
        if (heard.first > 0 && heard.second > 0) both.resolve();
      });
    const [stopFirst, stopSecond] = [hear('first'), hear('second')];
    await opened.store.append('thing-1', NO_STREAM, [event()]);
    await both.promise;
    stopFirst();
    const { first } = heard;
    const again = Promise.withResolvers<void>();
    const stopThird = hearCommits(logId!, () => again.resolve());
    await opened.store.append('thing-1', exactly(0), [event()]);
    await again.promise;
    expect(heard.first).toBe(first);
    stopSecond();
    stopThird();
  });

  it('keeps the write-ahead log small, however much is written, also during reads', async () => {
    await using opened = disposable(await openSqliteEventStore({ directory, durability: 'normal' }));
    const abort = new AbortController();
    let read = 0;
    const following = (async () => {
      for await (const message of opened.store.subscribe({ after: null, signal: abort.signal, batchSize: 5 })) {
        if (message.kind === 'events') read += message.events.length;
        if (read === 51) abort.abort();
      }
    })();
    const large = () => ({ ...event(), data: { text: 'x'.repeat(800_000) } });
    let largest = 0;
    for (let revision = -1; revision < 49; revision += 1) {
      await opened.store.append('large-1', expectedAfter(revision), [large()]);
      largest = Math.max(largest, (await stat(join(directory, 'log.db-wal'))).size);
    }
    await following;
    expect(largest).toBeGreaterThan(1_000_000);
    expect(largest).toBeLessThan(16_000_000);
  });

  it('filters by more event types than one query can merge', async () => {
    await using opened = disposable(await openSqliteEventStore({ directory, durability: 'normal' }));
    const types = Array.from({ length: 450 }, (_, n) => `kind-${n}.v1`);
    await opened.store.append(
      'many-1',
      NO_STREAM,
      [...types, ...types].map((type) => ({ ...event(), type })),
    );
    await opened.store.append('other-1', NO_STREAM, [{ ...event(), type: types[0]! }]);
    for (const some of [types, types.slice(0, 399), types.slice(0, 30)]) {
      const found = await Array.fromAsync(opened.store.readAll({ filter: { types: some, categories: ['many'] } }));
      expect(found.map(({ type }) => type)).toEqual([...some, ...some]);
    }
  });

  it('refuses writes once its thread has died, and reports it to its owner', async () => {
    const failures: Error[] = [];
    const mortal = { name: 'mortal', module: import.meta.resolve('./mortal.fixture.js') };
    const onFailure = (error: Error) => failures.push(error);
    await using opened = disposable(await openSqliteEventStore({ directory, onFailure }, [mortal]));
    await opened.store.append('thing-1', NO_STREAM, [event()]);
    await expect(opened.store.thread.call('mortal', 'die', [])).rejects.toMatchObject({ name: 'ThreadStoppedError' });
    const refused = opened.store.append('thing-1', exactly(0), [event()]);
    await expect(refused).rejects.toBeInstanceOf(EventStoreUnavailableError);
    expect(await opened.store.takesWrites()).toBe(false);
    expect(await Array.fromAsync(opened.store.readStream('thing-1'))).toHaveLength(1);
    expect(failures).toHaveLength(1);
  });

  it('continues a subscription once the log can be read again', async () => {
    await using opened = disposable(await openSqliteEventStore({ directory }));
    const reader = new FlakyReader(directory);
    const abort = new AbortController();
    const messages = reader.subscribe({ after: null, signal: abort.signal });
    while ((await messages.next()).value?.kind !== 'caught-up');
    reader.fail();
    await opened.store.append('thing-1', NO_STREAM, [event()]);
    const next = await messages.next();
    expect(next.value).toMatchObject({ kind: 'events', events: [{ stream: 'thing-1' }] });
    expect(reader.failed).toBe(true);
    await messages.return(undefined);
    await reader.close();
  });

  it('hides a deleted stream from a reader that has read it before', async () => {
    await using opened = disposable(await openSqliteEventStore({ directory }));
    const reader = openSqliteEventReader({ directory });
    const others = async (): Promise<readonly RecordedEvent[]> =>
      (await Array.fromAsync(reader.readAll())).filter((recorded) => !isLogCreated(recorded));
    await opened.store.append('thing-1', NO_STREAM, [event()]);
    expect(await others()).toHaveLength(1);
    await opened.store.deleteStream('thing-1');
    expect(await others()).toHaveLength(0);
    await reader.close();
  });
});

/** Loses its connection when it is told to. */
class FlakyReader extends SqliteEventReader {
  failed = false;

  fail(): void {
    const head = this.pages.head.bind(this.pages);
    this.pages.head = () => {
      this.pages.head = head;
      this.failed = true;
      this.pages.close();
      return head();
    };
  }
}
