import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { packSegment, segmentKey } from '../archive/index.js';
import { exactly, NO_STREAM, type RecordedEvent } from '../port.js';
import type { StoredEvent } from '../stored-event.js';
import { openSqliteEventReader, openSqliteEventStore, type SqliteEventStore } from './index.js';
import { event } from './store.fixture.js';

describe('an archived event', () => {
  let directory: string;
  let store: SqliteEventStore;
  let before: readonly RecordedEvent[];
  let archived: readonly StoredEvent[];
  let key: string;
  const place = () => ({ directory, archive: { kind: 'folder', directory } as const });
  const put = async (events: readonly StoredEvent[]) => {
    const path = join(directory, 'objects', key);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, await packSegment(events));
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-archiving-'));
    store = await openSqliteEventStore({ ...place(), durability: 'normal' });
    await store.append('thing-1', NO_STREAM, [event(), { ...event(), type: 'other.v1' }, event()]);
    await store.append('thing-2', NO_STREAM, [event()]);
    before = await Array.fromAsync(store.readAll());
    archived = before
      .filter(({ stream, revision }) => stream === 'thing-2' || revision === 1 || revision === 2)
      .map((each) => ({ ...each, data: JSON.stringify(each.data), metadata: JSON.stringify(each.metadata) }));
    key = segmentKey(archived[0]!.position);
    await put(archived);
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  it('is read as before, forwards, backwards, by stream, filter, position and subscription', async () => {
    expect(await store.archive(key, archived)).toBe(archived.length);
    expect(await store.archive(key, archived)).toBe(0);
    const { position } = archived.at(-1)!;
    expect(await Array.fromAsync(store.readAll())).toEqual(before);
    expect(await Array.fromAsync(store.readAll({ direction: 'backwards' }))).toEqual(before.toReversed());
    expect(await Array.fromAsync(store.readAll({ filter: { types: ['other.v1'] } }))).toEqual(
      before.filter(({ type }) => type === 'other.v1'),
    );
    expect(await Array.fromAsync(store.readStream('thing-1', { direction: 'backwards', limit: 2 }))).toEqual(
      before.filter(({ stream, revision }) => stream === 'thing-1' && revision > 0).toReversed(),
    );
    expect(await store.eventAt(position)).toEqual(before.find((each) => each.position === position));
    for await (const message of store.subscribe({ after: null, signal: AbortSignal.timeout(60_000) })) {
      expect(message).toEqual({ kind: 'events', events: before });
      break;
    }
    const other = openSqliteEventReader(place());
    expect(await Array.fromAsync(other.readAll())).toEqual(before);
    await other.close();
  });

  it('leaves its stream as it was for appends, repeated ones too', async () => {
    const [last] = [event()];
    await store.append('thing-2', exactly(0), [last]);
    await store.archive(key, archived);
    expect(await store.append('thing-2', exactly(0), [last])).toMatchObject({ revision: 1 });
    expect(await store.append('thing-2', exactly(1), [event()])).toMatchObject({ revision: 2 });
    expect(await store.head()).toMatchObject({ logId: before[0]!.id });
  });

  it('keeps its texts in the log where the segment has others', async () => {
    const [first, ...others] = archived;
    expect(await store.archive(key, [{ ...first!, data: '{}' }, ...others])).toBe(others.length);
    expect(await store.eventAt(first!.position)).toEqual(before.find(({ position }) => position === first!.position));
  });

  it('is damaged where the archive has another text, lacks it, or is missing', async () => {
    await store.archive(key, archived);
    const damage = async () => {
      const reader = openSqliteEventReader(place());
      try {
        return await Array.fromAsync(reader.readAll()).catch(({ problem, position }) => ({ problem, position }));
      } finally {
        await reader.close();
      }
    };
    const [{ position }] = archived as [StoredEvent];
    await put([{ ...archived[0]!, data: '{"what":"another"}' }, ...archived.slice(1)]);
    expect(await damage()).toEqual({ position, problem: 'its checksum does not fit' });
    await put(archived.slice(1));
    expect(await damage()).toEqual({ position, problem: `its archive ${key} does not have it` });
    await writeFile(join(directory, 'objects', key), 'no gzip');
    expect(await damage()).toMatchObject({
      position,
      problem: expect.stringContaining(`its archive ${key} cannot be read`),
    });
    await rm(join(directory, 'objects', key));
    expect(await damage()).toEqual({ position, problem: `its archive ${key} is missing` });
    await put(archived);
    expect(await damage()).toEqual(before);
  });

  it('is not checked beyond its place, but one that lost its texts without an archive is damage', async () => {
    await store.archive(key, archived);
    const check = async () => Array.fromAsync(store.check({ signal: AbortSignal.timeout(60_000) }));
    expect((await check()).at(-1)).toEqual({ kind: 'checked', events: before.length, unchecked: archived.length });
    const log = new DatabaseSync(join(directory, 'log.db'));
    log.exec(`UPDATE events SET metadata = '../secret.key' WHERE position = ${Number(archived[0]!.position)}`);
    log.close();
    expect(await check()).toContainEqual(expect.objectContaining({ kind: 'damage', position: archived[0]!.position }));
    await expect(store.eventAt(archived[0]!.position)).rejects.toMatchObject({ problem: 'its content is missing' });
  });

  it('is refused by releases that know no archive, and only from the first one on', async () => {
    const version = () => {
      const log = new DatabaseSync(join(directory, 'log.db'), { readOnly: true });
      const found = log.prepare('PRAGMA user_version').get();
      log.close();
      return found;
    };
    expect(version()).toEqual({ user_version: 5 });
    await store.archive(key, archived);
    expect(version()).toEqual({ user_version: 5 });
    await store.close();
    store = await openSqliteEventStore({ ...place(), durability: 'normal' });
    expect(await Array.fromAsync(store.readAll())).toEqual(before);
  });
});
