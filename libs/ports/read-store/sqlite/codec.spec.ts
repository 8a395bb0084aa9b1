import fc from 'fast-check';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DocumentRefusedError, type Collection, type JsonObject } from '../port.js';
import { SqliteReadStore } from './sqlite-read-store.js';

const calls: Collection = {
  name: 'calls',
  version: 1,
  indexes: [{ fields: ['task', 'n'] }, { fields: ['ref'], unique: true }],
  shared: ['task', 'engine'],
};
const checkpoint = { logId: 'log', position: '1', eventId: null };

describe('packed documents', () => {
  let directory: string;
  let store: SqliteReadStore;
  let position = 0;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'packed-documents-'));
    store = new SqliteReadStore({ directory });
    await store.prepare(calls);
    await store.activate('calls', 1);
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  const write = (documents: readonly JsonObject[]) =>
    store.write(calls, {
      writes: documents.map((document) => ({
        id: document['id'] as string,
        position: String((position += 1)).padStart(16, '0'),
        document,
      })),
      checkpoint,
    });
  const inFile = async (sql: string) => {
    const [file] = (await readdir(directory)).filter((name) => name.startsWith('calls') && name.endsWith('.db'));
    const database = new DatabaseSync(join(directory, file!));
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  };

  it('are given back as JSON would be, by each reader, with their members in order', async () => {
    const reader = new SqliteReadStore({ directory, readOnly: true });
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string({ unit: 'binary' }),
        fc.constantFrom(null, true, -0, 0.1, 2 ** 53, '007', '0', '2030-01-02T03:04:05.678Z', '\ud800'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('value'), { maxKeys: 3 }),
      ),
    }));
    const names = fc.oneof(fc.string(), fc.constantFrom('text', '__proto__', '1'));
    const members = fc.dictionary(names, value, { maxKeys: 5 });
    await fc.assert(
      fc.asyncProperty(members, value, fc.option(fc.string()), async (given, engine, task) => {
        const document = { ...(given as JsonObject), engine, id: 'a', n: 1, ref: null, task } as JsonObject;
        await write([document]);
        for (const from of [store, reader])
          expect(JSON.stringify(await from.get('calls', 'a'))).toBe(JSON.stringify(document));
      }),
      { numRuns: 500 },
    );
    await reader.close();
  });

  it('keep texts of shared fields alone, so that others are gone with their document', async () => {
    await write(
      Array.from({ length: 30 }, (_, n) => ({ id: `${n}`, n, task: 'extract', input: { name: 'Ada' }, to: 'Ada' })),
    );
    const kept = (await inFile('SELECT text FROM texts')).map(({ text }) => text);
    expect(kept).toEqual(['extract', '[{"id":0,"n":0,"task":0,"input":0,"to":0}]']);
    expect(await inFile(`SELECT DISTINCT typeof(doc) AS type, f_task FROM documents`)).toEqual([
      { type: 'blob', f_task: 1 },
    ]);
  });

  it('are found by ids of any form, and come by them: UUIDs last', async () => {
    const uuids = ['0190b6a0-0000-7000-8000-000000000001', '0190b6a0-0000-7000-8000-00000000000a'];
    const ids = ['0190B6A0-0000-7000-8000-000000000001', 'z', ...uuids];
    await write(ids.toReversed().map((id) => ({ id, n: 1, task: 'extract' })));
    const listed = await store.find('calls', { where: { task: 'extract' }, range: { field: 'n', from: 1 }, limit: 5 });
    expect(listed.map(({ id }) => id)).toEqual(ids);
    const loaded = async () => [...(await store.load(calls, [...ids, 'zz', `1${uuids[0]!.slice(1)}`])).keys()];
    expect(await loaded()).toEqual(ids);
    // As one that opens it after a restart, which knows only the file.
    await store.close();
    store = new SqliteReadStore({ directory });
    await store.prepare(calls);
    expect(await loaded()).toEqual(ids);
    expect(await store.get('calls', uuids[1]!)).toMatchObject({ id: uuids[1] });
    position += 1;
    const writes = [{ id: uuids[0]!, position: String(position).padStart(16, '0'), document: null }];
    await store.write(calls, { writes, checkpoint });
    expect(await store.count('calls', { where: {} })).toBe(3);
  });

  it('refer to no text of a batch that was refused', async () => {
    await write([{ id: 'a', n: 1, task: 'extract', ref: 'r' }]);
    const refused = { id: 'b', n: 2, task: 'never', ref: 'r', engine: { name: 'never' } };
    await expect(write([{ id: 'c', n: 3, task: 'late' }, refused])).rejects.toThrow(DocumentRefusedError);
    const documents = [
      { id: 'd', n: 4, task: 'embed', engine: { name: 'other' } },
      { id: 'e', n: 5, task: 'late' },
    ];
    await write(documents);
    const reader = new SqliteReadStore({ directory, readOnly: true });
    for (const from of [store, reader]) {
      expect(await from.find('calls', { where: { task: ['embed', 'late', 'never'] }, limit: 5 })).toEqual(documents);
      expect(await from.count('calls', { where: { task: 'never' } })).toBe(0);
    }
    await reader.close();
  });

  it('are refused with something other than a text in a field that is shared and indexed', async () => {
    await expect(write([{ id: 'a', n: 1, task: 5 }])).rejects.toThrow('task is shared and indexed');
    await write([{ id: 'a', n: 1, task: null, engine: 5 }]);
    expect(await store.get('calls', 'a')).toEqual({ id: 'a', n: 1, task: null, engine: 5 });
  });
});
