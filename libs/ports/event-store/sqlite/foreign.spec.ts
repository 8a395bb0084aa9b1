import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '#test/support/eventually.js';
import { exactly, NO_STREAM, type LogDamagedError } from '../port.js';
import { changeLog, plant } from './foreign.fixture.js';
import { openSqliteEventStore, type SqliteEventStore } from './index.js';
import { toPosition } from './position.js';
import { event } from './store.fixture.js';

describe('a log that another process writes to while the system runs', () => {
  let directory: string;
  let store: SqliteEventStore;
  let damages: LogDamagedError[];
  let ending: AbortController;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-foreign-'));
    damages = [];
    ending = new AbortController();
    store = await openSqliteEventStore({ directory, durability: 'normal', onDamage: (error) => damages.push(error) });
    await store.seal.begin([randomBytes(32)]);
    await store.append('thing-1', NO_STREAM, [event(), event()]);
  });
  afterEach(async () => {
    ending.abort();
    await store.close();
    await rm(directory, { recursive: true });
  });

  const { type } = event();
  const planted = () => plant(directory, type, 'thing-planted', (text) => text);
  const unplanted = (position: number) =>
    changeLog(directory, (file) => {
      file.prepare('DELETE FROM events WHERE position = ?').run(position);
      file.prepare(`DELETE FROM streams WHERE name = 'thing-planted'`).run();
    });

  it('takes no writes behind an event of others, names it at once, and goes on once it is gone', async () => {
    const position = planted();
    const append = () => store.append('thing-1', exactly(1), [event()]);
    await expect(append()).rejects.toThrow(
      `the event log ends with 1 event that this installation did not write: ${type} in thing-planted (position ${position})`,
    );
    expect(damages).toMatchObject([{ position: toPosition(position) }]);
    await expect(store.seal.check()).rejects.toThrow('did not write');
    await expect(store.deleteStream('thing-1')).rejects.toThrow('did not write');
    expect(await store.takesWrites()).toBe(false);
    unplanted(position);
    await append();
    expect(await store.seal.check()).toBe((await store.head()).position);
    expect(await store.takesWrites()).toBe(true);
  });

  it.each([
    ['an event was changed', `UPDATE events SET data = '{}' WHERE position = 3`, /after position 1 were changed/],
    ['an event was removed', 'DELETE FROM events WHERE position = 3', /were changed or removed/],
    ['a stream is marked as removed', 'INSERT INTO removed SELECT id FROM streams', /marked as removed/],
    ['the seal is gone', `DELETE FROM meta WHERE name LIKE 'sealed%'`, /seal of the event log is missing/],
  ])('takes no writes where %s', async (_, sql, message) => {
    changeLog(directory, (file) => file.exec(sql));
    await expect(store.append('thing-2', NO_STREAM, [event()])).rejects.toThrow(message);
    expect(damages).toHaveLength(1);
  });

  it('goes on where a change leaves the events as they are', async () => {
    changeLog(directory, (file) => file.exec('VACUUM'));
    await store.append('thing-2', NO_STREAM, [event()]);
    expect(damages).toEqual([]);
  });

  it('gives subscriptions no event of others, and all of its own', async () => {
    const seen: string[] = [];
    const following = (async () => {
      for await (const message of store.subscribe({ after: null, signal: ending.signal }))
        if (message.kind === 'events') seen.push(...message.events.map(({ stream }) => stream));
        else if (message.kind === 'caught-up') seen.push('caught-up');
    })();
    await eventually(() => seen.includes('caught-up'));
    const position = planted();
    // A second subscription reads the whole log, and what it has seen is certain once it has caught up.
    const again: string[] = [];
    for await (const message of store.subscribe({ after: null, signal: ending.signal })) {
      if (message.kind === 'caught-up') break;
      again.push(...(message.kind === 'events' ? message.events.map(({ stream }) => stream) : [message.position]));
    }
    expect(again).not.toContain('thing-planted');
    expect(again.filter((each) => each >= toPosition(position) && !each.includes('-'))).toEqual([]);
    unplanted(position);
    await store.append('thing-2', NO_STREAM, [event()]);
    await eventually(() => seen.includes('thing-2'));
    expect(seen).not.toContain('thing-planted');
    ending.abort();
    await following;
  });
});
