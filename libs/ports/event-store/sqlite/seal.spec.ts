import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { exactly, expectedAfter, NO_STREAM, type EventToAppend } from '../port.js';
import { openSqliteEventStore, readStoredRows, type SqliteEventStore } from './index.js';
import { event } from './store.fixture.js';

const KEY = randomBytes(32);

describe('the seal of a log', () => {
  let directory: string;
  let store: SqliteEventStore;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-seal-'));
    store = await opened();
    await store.seal.begin([KEY]);
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  const opened = () =>
    openSqliteEventStore({
      directory,
      durability: 'normal',
      archive: { kind: 'folder', directory: join(directory, 'o') },
    });
  const inspected = () => store.seal.inspect([KEY]);
  /** What another program does to the file while no system runs. */
  const meanwhile = async (sql: string) => {
    await store.close();
    const file = new DatabaseSync(join(directory, 'log.db'));
    file.exec(sql);
    file.close();
    store = await opened();
  };
  const appendTo = async (stream: string, count: number, make: () => EventToAppend = event) => {
    for (let revision = -1; revision < count - 1; revision += 1)
      await store.append(stream, expectedAfter(revision), [make()]);
  };
  const positionsOf = async (stream: string): Promise<readonly string[]> =>
    (await Array.fromAsync(store.readStream(stream))).map(({ position }) => position);

  it('holds over appends, texts that are learned, deletions, covered places and new starts', async () => {
    const call = (): EventToAppend => ({
      ...event(),
      type: 'call-metered.v1',
      data: { model: 'm', text: 'x'.repeat(90) },
    });
    await appendTo('call-1', 40, call);
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => store.append(`thing-${at}`, NO_STREAM, [event(), event()])),
    );
    await expect(store.append('thing-1', NO_STREAM, [event()])).rejects.toThrow();
    expect(await inspected()).toEqual({ kind: 'whole' });
    await store.seal.cover((await positionsOf('thing-7'))[0]!);
    await store.deleteStream('thing-3');
    await store.deleteStream('thing-9');
    expect(await inspected()).toEqual({ kind: 'whole' });
    await meanwhile('SELECT 1');
    expect(await inspected()).toEqual({ kind: 'whole' });
    await store.seal.begin([randomBytes(32), KEY]);
    expect(await inspected()).toEqual({ kind: 'other-key' });
  });

  it('names each event that was appended without it', async () => {
    await appendTo('thing-1', 3);
    await meanwhile('SELECT 1');
    await store.append('thing-1', exactly(2), [event()]);
    await store.append('thing-2', NO_STREAM, [event()]);
    expect(await inspected()).toMatchObject({
      kind: 'longer',
      count: 2,
      events: [
        { stream: 'thing-1', revision: 3, type: 'happened.v1' },
        { stream: 'thing-2', revision: 0 },
      ],
    });
    await store.seal.begin([KEY]);
    expect(await inspected()).toEqual({ kind: 'whole' });
  });

  const last = 'position = (SELECT max(position) FROM events)';
  it.each([
    ['a changed event', `UPDATE events SET data = '{"what":"else"}', checksum = NULL WHERE ${last}`],
    ['a removed event', `DELETE FROM events WHERE ${last}`],
    ['an event in the middle that was removed', 'DELETE FROM events WHERE position = 3'],
    ['an event that another stream has now', `UPDATE streams SET name = 'thing-2' WHERE name = 'thing-1'`],
    ['an event of another type', `UPDATE kinds SET type = 'changed.v1' WHERE type = 'happened.v1'`],
  ])('is broken by %s', async (_, sql) => {
    await appendTo('thing-1', 4);
    await meanwhile(sql);
    expect(await inspected()).toEqual({ kind: 'broken', after: '0000000000000001' });
  });

  it('names a stream that somebody else has marked as removed, which stays', async () => {
    await appendTo('thing-1', 4);
    await store.seal.cover((await positionsOf('thing-1')).at(-1)!);
    const counted = () => {
      const file = new DatabaseSync(join(directory, 'log.db'), { readOnly: true });
      const { events } = file.prepare('SELECT count(*) AS events FROM events').get() as { events: number };
      file.close();
      return events;
    };
    const before = counted();
    await meanwhile(`INSERT INTO removed SELECT id FROM streams WHERE name = 'thing-1'`);
    expect(await inspected()).toEqual({ kind: 'hidden', streams: ['thing-1'] });
    expect(counted()).toBe(before);
    await store.seal.begin([KEY]);
    // A deletion is answered once all that is to be cleared is cleared.
    await store.append('thing-2', NO_STREAM, [event()]);
    await store.deleteStream('thing-2');
    expect(counted()).toBe(before);
    expect(await positionsOf('thing-1')).toHaveLength(4);
    expect(await inspected()).toEqual({ kind: 'whole' });
  });

  it('names the stream of a held call that somebody else has put there or changed, and takes those of its own', async () => {
    const held = (stream: string) => ({ ...event(), type: 'call-opened.v1', stream });
    await store.held.hold([held('metered-1'), held('metered-2')]);
    await meanwhile('SELECT 1');
    expect(await inspected()).toEqual({ kind: 'whole' });
    const copied = `SELECT 'x', 'metered-3', type, data, metadata, checksum, mac FROM open_calls LIMIT 1`;
    for (const [sql, stream] of [
      [`INSERT INTO open_calls ${copied}`, 'metered-3'],
      [`UPDATE open_calls SET data = '{"cost":0}' WHERE stream = 'metered-2'`, 'metered-2'],
      [`UPDATE open_calls SET mac = NULL WHERE stream = 'metered-1'`, 'metered-1'],
    ] as const) {
      await meanwhile(sql);
      expect(await inspected()).toEqual({ kind: 'planted', streams: [stream] });
      await store.seal.begin([KEY]);
      expect(await inspected()).toEqual({ kind: 'whole' });
    }
  });

  it('is broken by a changed text that packed events refer to', async () => {
    const data = { route: 'r'.repeat(40) };
    await appendTo('call-1', 60, () => ({ ...event(), type: 'call-metered.v1', data }));
    await appendTo('call-2', 5, () => ({ ...event(), type: 'call-metered.v1', data }));
    await meanwhile('UPDATE texts SET text = text || text');
    expect(await inspected()).toMatchObject({ kind: 'broken' });
  });

  it('is missed when somebody has removed it, and not taken from another log', async () => {
    await meanwhile(`DELETE FROM meta WHERE name LIKE 'sealed%'`);
    expect(await inspected()).toEqual({ kind: 'none' });
    await store.seal.begin([KEY]);
    await meanwhile(`UPDATE meta SET value = '${randomUUID()}' WHERE name = 'log-id'`);
    expect(await inspected()).toEqual({ kind: 'other-key' });
  });

  it('leaves covered events to the audit tree, so that they can be archived', async () => {
    await appendTo('call-1', 4, () => ({ ...event(), type: 'call-metered.v1' }));
    const rows = [...readStoredRows(directory)].flat().filter(({ stream }) => stream === 'call-1');
    await store.seal.cover(rows[1]!.position);
    expect(await store.archive('log-archive/1.jsonl.gz', rows.slice(0, 2))).toBe(2);
    expect(await inspected()).toEqual({ kind: 'whole' });
  });
});
