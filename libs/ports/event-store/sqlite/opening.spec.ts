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

  it('continues the same log when opened again', async () => {
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

  it('locks a folder for one holder, naming it, until that closes it', async () => {
    const holder = await openSqliteEventStore({ directory });
    const second = openSqliteEventStore({ directory });
    await expect(second).rejects.toBeInstanceOf(FolderInUseError);
    await expect(second).rejects.toThrow(directory);
    await holder.close();
    await (await openSqliteEventStore({ directory })).close();
  });

  it('locks out other processes, and is free once its holder was killed', async () => {
    const holder = otherProcess('hold', directory);
    expect(await holder.line()).toBe('open');
    await expect(openSqliteEventStore({ directory })).rejects.toBeInstanceOf(FolderInUseError);
    await holder.kill();
    await (await openSqliteEventStore({ directory })).close();
  });

  it('refuses to read a folder without a log, and creates none', async () => {
    expect(() => openSqliteEventReader({ directory })).toThrow(LogNotFoundError);
    expect(() => openSqliteEventReader({ directory })).toThrow(directory);
  });

  it('refuses a log of a newer release, and says so', async () => {
    await (await openSqliteEventStore({ directory })).close();
    const database = new DatabaseSync(join(directory, 'log.db'));
    database.exec('PRAGMA user_version = 99');
    database.close();
    const opened = openSqliteEventStore({ directory });
    await expect(opened).rejects.toBeInstanceOf(LogUnusableError);
    await expect(opened).rejects.toThrow(/format 99.*reads formats 2, 3, 4, 5/);
    expect(() => openSqliteEventReader({ directory })).toThrow(/format 99.*reads formats 2, 3, 4, 5/);
  });

  it.each(['log.db', 'lock.db'])('names in one line the file that it cannot open, if %s is foreign', async (file) => {
    await writeFile(join(directory, file), 'not a database at all, but long enough to look at: '.repeat(100));
    const opened = openSqliteEventStore({ directory });
    await expect(opened).rejects.toBeInstanceOf(LogUnusableError);
    await expect(opened).rejects.toThrow(
      new RegExp(`^.*${join(directory, file)} cannot be opened: file is not a database`),
    );
  });

  it.each([
    ['full', 2],
    ['normal', 1],
  ] as const)('syncs according to its durability %s', (durability, synchronous) => {
    const database = openForWriting(directory, durability);
    expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous });
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    database.close();
  });
});
