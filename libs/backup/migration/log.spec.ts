import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_STREAM, exactly, type EventToAppend } from '#ports/event-store/port.js';
import { factsOf } from '#ports/event-store/log-created.js';
import { openSqliteEventStore, type SqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { copyLog, digestOfLog } from './log.js';

const STREAMS = 40;
const metadata = {
  ...{ workspaceId: null, actor: 'system:test', correlationId: 'c', causationId: 'c', commandId: 'c' },
  occurredAt: '2026-11-30T12:00:00.000Z',
};
const event = (stream: number, revision: number): EventToAppend => ({
  id: `0190b6a0-0000-7000-8000-${String(stream * 10 + revision).padStart(12, '0')}`,
  type: 'thing-done.v1',
  data: { stream, revision, text: 'é' },
  metadata,
});

describe('a copy of a log', () => {
  let root: string;
  let from: SqliteEventStore;
  let opened: SqliteEventStore[];
  const open = async (name: string, origin?: { readonly logId: string; readonly occurredAt: string }) => {
    const store = await openSqliteEventStore({
      ...{ directory: join(root, name), durability: 'normal', facts: { contents: 'encrypted' } },
      ...(origin && { origin }),
    });
    opened.push(store);
    return store;
  };
  const like = async (name: string) => {
    const [first] = await Array.fromAsync(from.readAll({ limit: 1 }));
    return open(name, { logId: first!.id, occurredAt: first!.metadata.occurredAt });
  };
  const copy = (to: SqliteEventStore, signal = new AbortController().signal, onProgress?: (events: number) => void) =>
    copyLog({ from, to, signal, ...(onProgress && { onProgress }) });

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'anneal-copy-'));
    opened = [];
    from = await open('from');
    for (let stream = 0; stream < STREAMS; stream += 1) {
      await from.append(`thing-${stream}`, NO_STREAM, [event(stream, 0), event(stream, 1)]);
      if (stream > 0) await from.append(`thing-${stream - 1}`, exactly(1), [event(stream - 1, 2)]);
    }
  });
  afterEach(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await rm(root, { recursive: true });
  });

  it('has the id, the facts and each event of the log, in its order', async () => {
    const to = await like('to');
    await copy(to);
    expect((await to.head()).logId).toBe((await from.head()).logId);
    expect(await factsOf(to)).toMatchObject({ contents: 'encrypted' });
    const all = await Promise.all([from, to].map((log) => Array.fromAsync(log.readAll())));
    expect(all[1]).toEqual(all[0]);
    expect(await digestOfLog(to)).toEqual({ events: 3 * STREAMS, sha256: (await digestOfLog(from)).sha256 });
  });

  it('continues where it was interrupted', async () => {
    const to = await like('to');
    const interrupted = new AbortController();
    const half = copy(to, interrupted.signal, (events) => events === 50 && interrupted.abort());
    await expect(half).rejects.toThrow();
    const before = await digestOfLog(to);
    expect(before.events).toBeGreaterThan(10);
    expect(before.events).toBeLessThan(60);
    await copy(to);
    expect(await digestOfLog(to)).toEqual(await digestOfLog(from));
  });

  it('leaves out a stream that was deleted', async () => {
    await from.deleteStream('thing-7');
    const to = await like('to');
    await copy(to);
    expect(await digestOfLog(to)).toMatchObject({ events: 3 * STREAMS - 3 });
  });

  it('is refused where the target has another event, or one more', async () => {
    const other = await like('other');
    await other.append('thing-0', NO_STREAM, [{ ...event(0, 0), data: { forged: true } }]);
    await expect(copy(other)).rejects.toThrow(/another event/);
    const used = await like('used');
    await copy(used);
    await used.append('thing-new', NO_STREAM, [event(99, 0)]);
    await expect(copy(used)).rejects.toThrow(/it was used since/);
  });
});
