import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openForWriting as openCoordination } from '#ports/coordination/sqlite/database.js';
import { NO_STREAM } from '#ports/event-store/port.js';
import { openSqliteEventReader, openSqliteEventStore, type SqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { event } from '#ports/event-store/sqlite/store.fixture.js';
import { openObjectStore } from '#ports/object-store/open.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { backUp } from './back-up.js';
import type { Backup, ObjectsMode, Part } from './manifest.js';
import { prune } from './prune.js';
import { restore } from './restore.js';
import { BackupTarget } from './target.js';
import { verifyBackup } from './verify-backup.js';

const DAY_MS = 24 * 60 * 60_000;
const ALL: readonly Part[] = ['log', 'coordination', 'objects'];
const { signal } = new AbortController();
const signingKeys = [Buffer.alloc(32, 1)];

describe('a backup', () => {
  let root: string;
  let log: SqliteEventStore;
  let objects: ObjectStore;
  let target: BackupTarget;
  let written = 0;
  const at = (...names: string[]) => join(root, ...names);
  const folder = (...names: string[]) => ({ kind: 'folder', directory: at(...names) }) as const;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'anneal-backup-'));
    log = await openSqliteEventStore({ directory: root, durability: 'normal' });
    const coordination = openCoordination(root, 'normal');
    coordination.exec("INSERT INTO entries VALUES ('a', '1', 1, NULL)");
    coordination.close();
    objects = await openObjectStore(folder('objects'));
    await objects.put('audit/checkpoint', Buffer.from('a note'));
    await objects.put('datasets/w/rows', Buffer.alloc(3 * 1024 * 1024, 7));
    target = await BackupTarget.open(folder('backups'), signingKeys);
    written = 0;
  });
  afterEach(async () => {
    await Promise.all([log.close(), objects.close(), target.close()]);
    await rm(root, { recursive: true, force: true });
  });

  const append = async () => {
    await log.append(`thing-${written}`, NO_STREAM, [{ ...event(), data: { text: 'x'.repeat(1000) } }]);
    written += 1;
  };
  const backedUp = (mode: ObjectsMode = 'copy', now: Date = new Date()) =>
    backUp({
      from: { log: root, coordination: root, objects: folder('objects') },
      ...{ to: folder('backups'), objects: mode, signingKeys, now: () => now, signal },
    });
  const problemsOf = async (backup: Backup) => {
    const problems: string[] = [];
    await verifyBackup({ target, backup, onProblem: (problem) => problems.push(problem) });
    return problems;
  };
  const restored = async (backup: Backup, into: string, parts = ALL) => {
    const there = await openObjectStore(folder(into, 'objects'));
    const to = { log: at(into), coordination: at(into), objects: there };
    return restore({ target, backup, parts, to, signal }).finally(() => there.close());
  };
  const eventsIn = async (directory: string) => {
    const reader = openSqliteEventReader({ directory });
    const events = await Array.fromAsync(reader.readAll()).finally(() => reader.close());
    return events.filter(({ stream }) => stream.startsWith('thing-')).length;
  };
  const chunkFile = (sha256: string) => at('backups', 'objects', 'chunks', sha256.slice(0, 2), sha256);

  it('of a log that is written to has all that was acknowledged before it, and is restored byte for byte', async () => {
    for (let count = 0; count < 50; count += 1) await append();
    const before = written;
    let isDone = false;
    const writing = (async () => {
      while (!isDone) await append();
    })();
    const backup = await backedUp();
    isDone = true;
    await writing;
    expect(await problemsOf(backup)).toEqual([]);
    expect(await restored(backup, 'new')).toMatchObject({ written: 4, kept: 0, others: [], missing: [] });
    const found = await eventsIn(at('new'));
    expect(found).toBeGreaterThanOrEqual(before);
    expect(found).toBeLessThanOrEqual(written);
    expect(await readFile(at('new', 'objects', 'objects', 'datasets/w/rows'))).toEqual(
      Buffer.alloc(3 * 1024 * 1024, 7),
    );
    for (const name of ['log.db', 'coordination.db']) expect((await stat(at('new', name))).mode & 0o077).toBe(0);
    expect(backup).toMatchObject({ checkpoint: 'a note', gone: 0, log: { id: (await log.head()).logId } });
    // Nothing is left of the copies.
    expect((await readdir(root)).filter((name) => name.startsWith('anneal-confined'))).toEqual([]);
  });

  it('stores only what the target does not have', async () => {
    const first = await backedUp();
    expect(first.newBytes).toBeLessThan(first.bytes);
    const second = await backedUp();
    expect([second.bytes, second.newBytes]).toEqual([first.bytes, 0]);
    await objects.put('datasets/w/other', Buffer.from('new'));
    await objects.put('datasets/w/rows', Buffer.alloc(3 * 1024 * 1024, 8));
    // The same megabyte three times.
    expect((await backedUp()).newBytes).toBe(3 + 1024 * 1024);
  });

  it('stores a chunk again that the target has lost, and tells of one that is damaged', async () => {
    const first = await backedUp();
    const [rows] = (await target.files(first)).filter(({ name }) => name === 'datasets/w/rows');
    await rm(chunkFile(rows!.chunks[0]!));
    expect(await problemsOf(first)).toEqual([expect.stringMatching(/^a chunk of datasets\/w\/rows is missing/)]);
    await backedUp();
    expect(await problemsOf(first)).toEqual([]);
    await writeFile(chunkFile(rows!.chunks[0]!), Buffer.alloc(1024 * 1024, 9));
    expect(await problemsOf(first)).toEqual([expect.stringMatching(/^a chunk of datasets\/w\/rows is damaged/)]);
    await expect(restored(first, 'new')).rejects.toThrow(/is damaged/);
    // A system whose restore failed does not start.
    expect(existsSync(at('new', 'log.db'))).toBe(false);
  });

  it('is made also beside one that is damaged', async () => {
    const first = await backedUp();
    const second = await backedUp();
    const folderOf = ({ id }: Backup) => at('backups', 'objects', 'backups', id);
    await writeFile(join(folderOf(second), 'backup.json'), '{}');
    await writeFile(join(folderOf(first), 'manifest.jsonl'), 'damaged');
    const third = await backedUp();
    expect([await problemsOf(third), third.newBytes]).toEqual([[], 0]);
    await expect(problemsOf(first)).rejects.toThrow(/its SHA-256 is another/);
  });

  it('only names objects that the object store keeps itself, and a restore tells which it lacks', async () => {
    const backup = await backedUp('reference');
    await objects.delete('datasets/w/rows');
    const there = await openObjectStore(folder('objects'));
    const to = { log: at('new'), coordination: at('new'), objects: there };
    expect(await restore({ target, backup, parts: ALL, to, signal })).toMatchObject({ missing: ['datasets/w/rows'] });
    await there.close();
  });

  it('is put into no place that has backups of another log', async () => {
    await backedUp();
    await log.close();
    await rm(at('log.db'));
    log = await openSqliteEventStore({ directory: root, durability: 'normal' });
    await expect(backedUp()).rejects.toThrow(/this place has backups of another event log/);
  });

  it('overwrites nothing, continues where it was interrupted, and fills in lost objects alone', async () => {
    await append();
    const backup = await backedUp();
    await restored(backup, 'new');
    expect(await restored(backup, 'new')).toMatchObject({ written: 0, kept: 4 });
    await rm(at('new', 'coordination.db'));
    expect(await restored(backup, 'new')).toMatchObject({ written: 1, kept: 3 });

    await writeFile(at('new', 'coordination.db'), 'another');
    await expect(restored(backup, 'new')).rejects.toThrow(/coordination\.db is there, and nothing is overwritten/);
    await rm(at('new', 'log.db'));
    await writeFile(at('new', 'log.db-wal'), 'of another log');
    await expect(restored(backup, 'new', ['log'])).rejects.toThrow(/log\.db-wal is left from another log\.db/);

    await rm(at('new', 'objects', 'objects', 'datasets'), { recursive: true });
    await writeFile(at('new', 'objects', 'objects', 'audit/checkpoint'), 'a newer note');
    expect(await restored(backup, 'new', ['objects'])).toMatchObject({ written: 1, others: ['audit/checkpoint'] });
  });

  it.each([
    [{ name: '../../../outside' }],
    [{ name: '/etc/passwd' }],
    [{ part: 'log', name: 'secret.key' }],
    [{ part: 'constructor' }],
    [{ chunks: ['../x'] }],
    [{ size: 99 * 1024 * 1024 }],
  ])('whose manifest was changed to %j is refused', async (change) => {
    const backup = await backedUp();
    const file = at('backups', 'objects', 'backups', backup.id, 'manifest.jsonl');
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    const changed = lines.map((line) => JSON.stringify({ ...JSON.parse(line), ...change })).join('\n');
    await writeFile(file, changed);
    await expect(restored(backup, 'new')).rejects.toThrow(/its SHA-256 is another/);
    // Whoever changes the manifest can change its hash.
    const sha256 = createHash('sha256').update(changed).digest('hex');
    const forged = { ...backup, manifest: { size: changed.length, sha256 } };
    await expect(restored(forged, 'new')).rejects.toThrow(/a line names no file/);
    expect(existsSync(at('new', 'log.db'))).toBe(false);
  });

  it('that is old is removed with the chunks that no other needs, but not the newest', async () => {
    const now = Date.now();
    await objects.put('datasets/w/old', Buffer.from('only in the old one'));
    const old = await backedUp('copy', new Date(now - 9 * DAY_MS));
    await objects.delete('datasets/w/old');
    await backedUp('copy', new Date(now - 8 * DAY_MS));
    expect(await prune(target, 10, now)).toEqual({ removed: [], chunks: 0 });
    // One that runs may need any chunk.
    await target.begin('20990101T000000000Z');
    await objects.put('datasets/w/older', Buffer.from('another'));
    const newest = await backedUp('copy', new Date(now - 7 * DAY_MS));
    expect(await prune(target, 8.5, now)).toEqual({ removed: [old.id], chunks: null });
    await target.remove('20990101T000000000Z');
    expect(await prune(target, 1, now)).toMatchObject({ removed: [expect.any(String)], chunks: expect.any(Number) });
    expect((await target.held()).whole).toEqual([newest.id]);
    expect(await problemsOf(newest)).toEqual([]);
    const chunks = await target.chunks();
    const named = (await target.files(newest)).flatMap((file) => file.chunks);
    expect([...chunks].toSorted()).toEqual([...new Set(named)].toSorted());
  });
});
