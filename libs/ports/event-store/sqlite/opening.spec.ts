import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isLogCreated } from '../log-created.js';
import { exactly, NO_STREAM } from '../port.js';
import { openForWriting } from './database.js';
import {
  FolderInUseError,
  LogNotFoundError,
  LogUnusableError,
  openSqliteEventReader,
  openSqliteEventStore,
} from './index.js';
import { disposable, event, otherProcess } from './store.fixture.js';

describe('opening the event log on SQLite', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-opening-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('is the same log when it is opened again, and goes on where it ended', async () => {
    const first = await openSqliteEventStore({ directory });
    const before = await first.append('thing-1', NO_STREAM, [event(), event()]);
    const { logId } = await first.head();
    await first.close();
    await using again = disposable(await openSqliteEventStore({ directory }));
    expect(await again.store.head()).toEqual({ logId, position: before.position });
    const after = await again.store.append('thing-1', exactly(1), [event()]);
    expect(after.position > before.position).toBe(true);
    const log = await Array.fromAsync(again.store.readAll());
    expect(log.map(isLogCreated)).toEqual([true, false, false, false]);
    expect(log[0]!.id).toBe(logId);
  });

  it('opens a folder once only, naming it, until its holder has closed it', async () => {
    const holder = await openSqliteEventStore({ directory });
    const second = openSqliteEventStore({ directory });
    await expect(second).rejects.toBeInstanceOf(FolderInUseError);
    await expect(second).rejects.toThrow(directory);
    await holder.close();
    await (await openSqliteEventStore({ directory })).close();
  });

  it('is held against other processes, and free once its holder was killed', async () => {
    const holder = otherProcess('hold', directory);
    expect(await holder.line()).toBe('open');
    await expect(openSqliteEventStore({ directory })).rejects.toBeInstanceOf(FolderInUseError);
    await holder.kill();
    await (await openSqliteEventStore({ directory })).close();
  });

  it('refuses a folder without a log for reading, and makes none', async () => {
    expect(() => openSqliteEventReader({ directory })).toThrow(LogNotFoundError);
    expect(() => openSqliteEventReader({ directory })).toThrow(directory);
  });

  it('refuses a log of a newer release, saying so', async () => {
    await (await openSqliteEventStore({ directory })).close();
    const database = new DatabaseSync(join(directory, 'log.db'));
    database.exec('PRAGMA user_version = 99');
    database.close();
    const opened = openSqliteEventStore({ directory });
    await expect(opened).rejects.toBeInstanceOf(LogUnusableError);
    await expect(opened).rejects.toThrow(/format 99.*reads format 2/);
    expect(() => openSqliteEventReader({ directory })).toThrow(/format 99.*reads format 2/);
  });

  it.each(['log.db', 'lock.db'])(
    'says in one line which file it cannot open, when %s is none of ours',
    async (file) => {
      await writeFile(join(directory, file), 'not a database at all, but long enough to look at: '.repeat(100));
      const opened = openSqliteEventStore({ directory });
      await expect(opened).rejects.toBeInstanceOf(LogUnusableError);
      await expect(opened).rejects.toThrow(
        new RegExp(`^.*${join(directory, file)} cannot be opened: file is not a database`),
      );
    },
  );

  it.each([
    ['full', 2],
    ['normal', 1],
  ] as const)('syncs as its durability %s says', (durability, synchronous) => {
    const database = openForWriting(directory, durability);
    expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous });
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    database.close();
  });
});
