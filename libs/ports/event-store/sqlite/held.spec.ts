import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { exactly, NO_STREAM, WrongExpectedRevisionError } from '../port.js';
import { openSqliteEventStore, type SqliteEventStore } from './index.js';
import { event, otherProcess } from './store.fixture.js';

describe('held events', () => {
  let directory: string;
  let store: SqliteEventStore;
  const open = async () => (store = await openSqliteEventStore({ directory }));
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-held-'));
    await open();
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  const opening = { ...event(), type: 'call-opened.v1', stream: 'metered-1' };
  const reopened = async () => {
    await store.close();
    await open();
    return store.held.all();
  };

  it('are beside the log, once however often they are held, also after a restart', async () => {
    await store.held.hold([opening]);
    await store.held.hold([opening]);
    expect(await store.held.all()).toEqual([opening]);
    expect(await Array.fromAsync(store.readAll({ filter: { categories: ['metered'] } }))).toEqual([]);
    expect(await reopened()).toEqual([opening]);
  });

  it('are packed once the log knows what they share, and read as they were', async () => {
    for (let call = 0; call < 60; call += 1) {
      const each = { ...opening, id: crypto.randomUUID() };
      await store.held.hold([each]);
      expect(await store.held.all()).toEqual([each]);
      await store.append('metered-1', call === 0 ? NO_STREAM : exactly(call - 1), [event()], [each.id]);
    }
    await store.held.hold([opening]);
    const log = new DatabaseSync(join(directory, 'log.db'), { readOnly: true });
    expect(log.prepare('SELECT typeof(data) AS type FROM open_calls').all()).toEqual([{ type: 'blob' }]);
    log.close();
    expect(await reopened()).toEqual([opening]);
  });

  it('go with the append that takes their place, and stay if it is refused', async () => {
    await store.held.hold([opening]);
    const refused = store.append('metered-1', exactly(4), [event()], [opening.id]);
    await expect(refused).rejects.toBeInstanceOf(WrongExpectedRevisionError);
    expect(await store.held.all()).toHaveLength(1);
    const end = event();
    await store.append('metered-1', NO_STREAM, [end], [opening.id]);
    await store.append('metered-1', NO_STREAM, [end], [opening.id]);
    expect(await reopened()).toEqual([]);
  });

  it('survive the end of their process', async () => {
    await store.close();
    const other = otherProcess('hold-opening', directory);
    expect(await other.line()).toBe('held');
    await other.kill();
    await open();
    expect(await store.held.all()).toMatchObject([{ type: 'call-opened.v1', stream: 'metered-1' }]);
  });

  it('are damaged when they have changed', async () => {
    await store.held.hold([opening]);
    const log = new DatabaseSync(join(directory, 'log.db'));
    log.exec(`UPDATE open_calls SET stream = 'metered-2'`);
    log.close();
    await expect(store.held.all()).rejects.toMatchObject({ name: 'LogDamagedError' });
    const found = await Array.fromAsync(store.check({ signal: AbortSignal.timeout(300_000) }));
    expect(found.filter(({ kind }) => kind === 'damage')).toHaveLength(1);
  });
});
