import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { packSegment, segmentKey } from '../archive/index.js';
import { expectedAfter, type EventToAppend, type RecordedEvent } from '../port.js';
import { isPackable } from './flatten.js';
import { openSqliteEventReader, openSqliteEventStore, type SqliteEventStore } from './index.js';
import { readStoredRows } from './stored.js';
import { event } from './store.fixture.js';

const STREAM = 'metered-1';
/** Enough for the log to keep what they have in common. */
const CALLS = 60;

const call = (): EventToAppend => {
  const inferenceId = randomUUID();
  const { metadata } = event();
  return {
    ...{ id: randomUUID(), type: 'call-metered.v1' },
    data: { inferenceId, modelId: 'acme/chat', price: { input: '1000' }, latencyMs: 12, at: metadata.occurredAt },
    metadata: { ...metadata, correlationId: inferenceId, causationId: inferenceId, commandId: inferenceId },
  };
};

describe('packed events', () => {
  let directory: string;
  let store: SqliteEventStore;
  let written: readonly (EventToAppend & { readonly revision: number })[];
  const place = () => ({ directory, archive: { kind: 'folder', directory } as const });
  const open = async () => (store = await openSqliteEventStore({ ...place(), durability: 'normal' }));
  const inFile = <T>(use: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(join(directory, 'log.db'));
    try {
      return use(database);
    } finally {
      database.close();
    }
  };
  const packedOnes = () =>
    inFile((database) =>
      database
        .prepare("SELECT position, revision FROM events WHERE typeof(data) = 'blob'")
        .all()
        .map(({ position, revision }) => [Number(position), Number(revision)] as const),
    );
  const appendCalls = async (before = -1) => {
    const calls = [];
    for (let revision = before + 1; revision <= before + CALLS; revision += 1) {
      const each = call();
      await store.append(STREAM, expectedAfter(revision - 1), [each]);
      calls.push({ ...each, revision });
    }
    return calls;
  };
  const plain = ({ position: _, stream: __, ...rest }: RecordedEvent) => rest;
  const ofStream = async (reader: Pick<SqliteEventStore, 'readStream'> = store) =>
    (await Array.fromAsync(reader.readStream(STREAM))).map(plain);
  const check = () => Array.fromAsync(store.check({ signal: AbortSignal.timeout(300_000) }));

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-packed-'));
    await open();
    written = await appendCalls();
    expect(packedOnes().length).toBeGreaterThan(0);
    expect(packedOnes().length).toBeLessThan(CALLS);
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  it('are read as they were appended, beside others, by every reader, also after a restart', async () => {
    expect(await ofStream()).toEqual(written);
    const other = openSqliteEventReader(place());
    expect(await ofStream(other)).toEqual(written);
    await other.close();
    expect(
      [...readStoredRows(directory)]
        .flat()
        .filter(({ stream }) => stream === STREAM)
        .map(({ id, data, metadata }) => [id, data, metadata]),
    ).toEqual(written.map(({ id, data, metadata }) => [id, JSON.stringify(data), JSON.stringify(metadata)]));
    const packedBefore = packedOnes().length;
    await store.close();
    await open();
    expect(await ofStream()).toEqual(written);
    const more = await appendCalls(CALLS - 1);
    expect(packedOnes()).toHaveLength(packedBefore + CALLS);
    expect(await ofStream()).toEqual([...written, ...more]);
    expect((await check()).at(-1)).toMatchObject({ kind: 'checked', unchecked: 0 });
  });

  it('have no text of people: contents that are not sealed, and other events, stay JSON', () => {
    const of = (type: string, data: EventToAppend['data']) => isPackable({ ...call(), type, data });
    expect(of('call-content.v1', { content: { input: { text: 'Ada' } } })).toBe(false);
    expect(of('feedback-given.v1', { text: 'Ada' })).toBe(false);
    expect(of('call-content.v1', { sealed: { key: STREAM, text: 'QWRhIExvdmVsYWNlIQ==' } })).toBe(true);
  });

  it('are recognised when they are appended again', async () => {
    const { revision, ...last } = written.at(-1)!;
    await store.append(STREAM, expectedAfter(revision - 1), [last]);
    expect(await ofStream()).toEqual(written);
  });

  it('are archived by their JSON', async () => {
    const ofLog = [...readStoredRows(directory)].flat().filter(({ stream }) => stream === STREAM);
    const key = segmentKey(ofLog[0]!.position);
    const path = join(directory, 'objects', key);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, await packSegment(ofLog));
    const changed = ofLog.map((each, index) => (index === CALLS - 1 ? { ...each, data: '{}' } : each));
    expect(await store.archive(key, changed)).toBe(CALLS - 1);
    expect(packedOnes().map(([, revision]) => revision)).toEqual([CALLS - 1]);
    expect(await ofStream()).toEqual(written);
  });

  it('are damaged when they, or a text of theirs, have changed', async () => {
    const [[position, revision]] = packedOnes() as [readonly [number, number]];
    const texts = inFile((database) => database.prepare('SELECT id, text FROM texts').all());
    inFile((database) => database.exec(`UPDATE texts SET text = 'acme/else' WHERE text = 'acme/chat'`));
    const reader = openSqliteEventReader(place());
    await expect(Array.fromAsync(reader.readStream(STREAM))).rejects.toThrow(
      /position \d+: .*text that it refers to is missing/,
    );
    await reader.close();
    expect(texts.map(({ text }) => text)).toContain('acme/chat');
    inFile((database) => database.exec(`UPDATE texts SET text = 'acme/chat' WHERE text = 'acme/else'`));
    expect(await ofStream()).toEqual(written);
    inFile((database) =>
      database.prepare('UPDATE events SET data = ? WHERE position = ?').run(Buffer.from('01000000', 'hex'), position),
    );
    await expect(Array.fromAsync(store.readStream(STREAM, { fromRevision: revision, limit: 1 }))).rejects.toMatchObject(
      {
        problem: 'its checksum does not fit',
      },
    );
  });

  it.each([2, 3, 4])('come after those of a log of format %d, which is read as it was', async (format) => {
    // Up to the first packed one, a log is as earlier releases wrote it, but for the table of texts.
    const [[, first]] = packedOnes() as [readonly [number, number]];
    await store.close();
    inFile((database) =>
      database.exec(`
        DELETE FROM events WHERE typeof(data) = 'blob';
        DROP TABLE open_calls;
        ${format < 4 ? 'DROP TABLE texts;' : ''}
        PRAGMA user_version = ${format}`),
    );
    const older = written.slice(0, first);
    const reader = openSqliteEventReader(place());
    expect(await ofStream(reader)).toEqual(older);
    await reader.close();
    await open();
    const more = await appendCalls(first - 1);
    expect(packedOnes().length).toBeGreaterThan(0);
    expect(await ofStream()).toEqual([...older, ...more]);
    expect((await check()).at(-1)).toMatchObject({ kind: 'checked', unchecked: 0 });
  });
});
