import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QueryNotIndexedError, type Collection } from '../port.js';
import { SqliteQueries } from './sqlite-queries.js';
import { SqliteReadStore } from './sqlite-read-store.js';

describe('queries beside a thread', () => {
  const lines: Collection = { name: 'lines', version: 1, indexes: [{ fields: ['book', 'number'] }] };
  const order = { field: 'number', direction: 'ascending' } as const;
  let directory: string;
  let store: SqliteReadStore;
  let queries: SqliteQueries;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'queries-'));
    store = new SqliteReadStore({ directory });
    queries = new SqliteQueries(directory);
    await store.prepare(lines);
    await store.activate('lines', 1);
    await store.write(lines, {
      writes: Array.from({ length: 1500 }, (_, number) => ({
        id: String(number),
        position: '1',
        document: { book: 'b', number },
      })),
      checkpoint: { logId: 'log', position: '1', eventId: null },
    });
  });
  afterEach(async () => {
    await queries.close();
    await store.close();
    await rm(directory, { recursive: true });
  });

  it("return the store's results, for short and long queries, far offsets and counts", async () => {
    const where = { book: 'b' };
    for (const query of [
      { where, order, limit: 3 },
      { where, order, limit: 1000, offset: 2 },
      { where, order, limit: 3, offset: 1400 },
      { where: { book: ['b', 'c'] }, order, limit: 3 },
    ])
      expect(await queries.find('lines', query)).toEqual(await store.find('lines', query));
    expect(await queries.count('lines', { where })).toBe(1500);
    expect(await queries.get('lines', '7')).toEqual({ book: 'b', number: 7 });
  });

  it('refuse a query without an index in either place', async () => {
    await expect(queries.find('lines', { where: { number: 1 }, limit: 1 })).rejects.toThrow(QueryNotIndexedError);
    await expect(queries.find('lines', { where: { number: 1 }, limit: 900 })).rejects.toThrow(QueryNotIndexedError);
    await expect(queries.count('lines', { where: { number: 1 } })).rejects.toThrow(QueryNotIndexedError);
  });
});
