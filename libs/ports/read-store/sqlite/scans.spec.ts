import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Collection, Grouping, JsonObject, Query, Scalar } from '../port.js';
import { Codec } from './codec.js';
import { changesSql, Scans } from './scans.js';
import { SqliteReadStore } from './sqlite-read-store.js';

const fields = ['shop', 'n', 'at', 'price', 'kind'];
const index = { fields, scanned: true };
const shared = ['shop', 'kind'];
const plain: Collection = { name: 'plain-sales', version: 1, indexes: [{ fields }] };

const time = (minute: number) => new Date(Date.UTC(2030, 0, 1, 0, minute)).toISOString();
const kinds = ['book', 'Buch', 'книга', 'livre', '', 'book\nlivre\n'];
const sale = fc.record({
  at: fc.option(fc.nat(50).map(time), { freq: 9 }),
  price: fc.option(
    fc.integer({ min: -20, max: 20 }).map((each) => each / 4),
    { freq: 9 },
  ),
  kind: fc.option(fc.constantFrom(...kinds), { freq: 9 }),
});
const bound = <T extends Scalar>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const filter: fc.Arbitrary<NonNullable<Query['filter']>> = fc.record({
  where: fc.record(
    {
      kind: fc.oneof(fc.constantFrom(...kinds, 'none', null), fc.subarray<Scalar>([...kinds, null])),
      price: fc.oneof(fc.constantFrom(-1, 0, 0.25, null), fc.constant<Scalar[]>([0, 0.5, null])),
      at: fc.nat(50).map(time),
    },
    { requiredKeys: [] },
  ),
  contains: fc.array(fc.record({ field: fc.constant('kind'), text: fc.constantFrom('o', 'книга', 'none') }), {
    maxLength: 1,
  }),
  ranges: fc.array(
    fc.oneof(
      fc.record({ field: fc.constant('price'), from: bound(fc.integer({ min: -5, max: 5 })), to: bound(fc.nat(5)) }),
      fc.record({ field: fc.constant('at'), from: bound(fc.nat(50).map(time)), to: bound(fc.nat(50).map(time)) }),
      fc.record({ field: fc.constant('kind'), from: bound(fc.constantFrom(...kinds)), to: bound(fc.constant('l')) }),
    ),
    { maxLength: 2 },
  ) as fc.Arbitrary<NonNullable<NonNullable<Query['filter']>['ranges']>>,
});

const key = fc.constantFrom<Grouping['by'][number]>(
  { field: 'kind' },
  { field: 'kind', unit: 'words' },
  { field: 'price' },
  { field: 'at', unit: 'day' },
  { field: 'at', unit: 'hour' },
);
const grouping: fc.Arbitrary<Grouping> = fc.record({
  by: fc.array(key, { maxLength: 2 }),
  sums: fc.subarray(['price']),
  tallies: fc.array(key, { maxLength: 2 }),
  quantiles: fc.constant({ field: 'price', at: [0, 0.5, 0.99] }),
  limit: fc.constantFrom(3, 100),
});

describe.each<[string, Pick<Collection, 'indexes' | 'shared'>]>([
  ['filters answered out of memory', { indexes: [index] }],
  ['filters answered out of memory, of packed documents', { indexes: [index], shared }],
  ['filters of packed documents', { indexes: [{ fields }], shared }],
])('%s', (_, of) => {
  const sales: Collection = { name: 'sales', version: 1, ...of };
  let directory: string;
  let store: SqliteReadStore;
  let written: number;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'scans-'));
    store = new SqliteReadStore({ directory });
    written = 0;
    for (const collection of [sales, plain]) {
      await store.prepare(collection);
      await store.activate(collection.name, 1);
    }
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  const write = async (documents: readonly JsonObject[]) => {
    const position = String((written += documents.length)).padStart(9, '0');
    const writes = documents.map((document) => {
      const id = JSON.stringify([document['shop'], document['n']]);
      return { id, position, document: { id, ...document } };
    });
    for (const collection of [sales, plain])
      await store.write(collection, { writes, checkpoint: { logId: 'l', position, eventId: null } });
  };
  const order = { field: 'n', direction: 'descending' } as const;
  const both = async (query: Omit<Query, 'where'>, where: Query['where'] = { shop: 'a' }) => {
    const [ours, theirs] = await Promise.all(
      ['sales', 'plain-sales'].map(async (name) => [
        await store.count(name, {
          where,
          ...(query.filter && { filter: query.filter }),
          ...(query.range && { range: query.range }),
        }),
        await store.find(name, { where, order, ...query }),
      ]),
    );
    return { ours, theirs };
  };

  it('give the same answers as SQL for any query and any writes in between', async () => {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(sale, { maxLength: 8 }),
        filter,
        fc.nat(6),
        fc.nat(6),
        async (more, asked, skip, take) => {
          await write(more.map((each) => ({ shop: 'a', n: (n += 1), ...each })));
          const { ours, theirs } = await both({ filter: asked, offset: skip, limit: take });
          expect(ours).toEqual(theirs);
          // Documents written earlier may change, in everything but their number.
          if (n > 0) await write([{ shop: 'a', n: 1 + ((7 * skip) % n), ...(more[0] ?? {}) }]);
          const again = await both({ filter: asked, range: { field: 'n', to: n - skip }, limit: take });
          expect(again.ours).toEqual(again.theirs);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('count the same groups as are counted of documents, for any writes in between', async () => {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(sale, { maxLength: 8 }), filter, grouping, async (more, asked, groups) => {
        await write(more.map((each) => ({ shop: 'a', n: (n += 1), ...each })));
        if (n > 0) await write([{ shop: 'a', n: 1 + ((7 * more.length) % n), ...(more[0] ?? {}) }]);
        const [ours, theirs] = await Promise.all(
          ['sales', 'plain-sales'].map(async (name) => {
            const found = await store.group(name, { where: { shop: 'a' }, filter: asked }, groups);
            // The order of a tally is not promised.
            return found?.map((each) => ({ ...each, tallies: each.tallies.map((tally) => new Map(tally)) }));
          }),
        );
        expect(ours).toEqual(theirs);
      }),
      { numRuns: 300 },
    );
  });

  it('give the same answers as SQL for many documents, and for each scope separately', async () => {
    const many = (shop: string, count: number) =>
      Array.from({ length: count }, (_, at) => ({
        shop,
        n: at + 1,
        at: time(at),
        price: at % 97,
        kind: kinds[at % 3]!,
      }));
    await write(many('a', 70_000));
    await write(many('b', 10));
    const asked = { where: { kind: 'Buch' }, ranges: [{ field: 'price', from: 90 }] };
    for (const offset of [0, 1_200]) {
      const { ours, theirs } = await both({ filter: asked, offset, limit: 20 });
      expect(ours).toEqual(theirs);
    }
    const { ours, theirs } = await both({ filter: asked, limit: 5 }, { shop: 'b' });
    expect(ours).toEqual(theirs);
  });

  it('follow changes of documents of which no field was asked for yet', async () => {
    await write([{ shop: 'a', n: 1, price: 1 }]);
    expect((await both({ filter: {}, limit: 5 })).ours).toEqual([1, [expect.objectContaining({ price: 1 })]]);
    await write([{ shop: 'a', n: 1, price: 2 }]);
    for (const asked of [{}, { where: { price: 2 } }]) {
      const { ours, theirs } = await both({ filter: asked, limit: 5 });
      expect(ours).toEqual([1, [expect.objectContaining({ price: 2 })]]);
      expect(ours).toEqual(theirs);
    }
  });

  it('leave a query to SQL once a value has another type than earlier ones', async () => {
    await write([{ shop: 'a', n: 1, price: 1 }]);
    const asked = { filter: { ranges: [{ field: 'price', from: 0 }] }, limit: 5 };
    expect((await both(asked)).ours).toEqual([1, [expect.objectContaining({ n: 1 })]]);
    await write([{ shop: 'a', n: 2, price: 'much' }]);
    const { ours, theirs } = await both(asked);
    expect(ours).toEqual(theirs);
  });
});

describe('filters in memory', () => {
  it('leave a query to SQL when they exceed their memory, and for other filters', () => {
    const database = new DatabaseSync(':memory:');
    database.exec(`CREATE TABLE documents (key, doc, ${fields.map((field) => `f_${field}`).join(', ')})`);
    database.exec(changesSql(index));
    const insert = database.prepare('INSERT INTO documents (doc, f_shop, f_n, f_price) VALUES (?, ?, ?, ?)');
    for (let n = 1; n <= 3; n += 1) insert.run('{}', 'a', n, n);
    const where = { shop: 'a' };
    const asked = { where, filter: { ranges: [{ field: 'price', from: 2 }] } };
    expect(new Scans(database, index, new Codec(database), 3).count(asked)).toBe(2);
    expect(new Scans(database, index, new Codec(database), 2).count(asked)).toBeNull();
    const scans = new Scans(database, index, new Codec(database), 3);
    expect(scans.count({ where })).toBeNull();
    expect(scans.count({ where: { ...where, kind: 'x' }, filter: {} })).toBeNull();
    expect(scans.count({ where, filter: { where: { id: 'x' } } })).toBeNull();
    expect(scans.find({ ...asked, order: { field: 'n', direction: 'ascending' }, limit: 1 })).toBeNull();
    database.close();
  });

  it('take little memory for any number of small scopes', () => {
    const database = new DatabaseSync(':memory:');
    database.exec(`CREATE TABLE documents (key, doc, ${fields.map((field) => `f_${field}`).join(', ')})`);
    database.exec(changesSql(index));
    const insert = database.prepare('INSERT INTO documents (doc, f_shop, f_n, f_price) VALUES (?, ?, ?, ?)');
    database.exec('CREATE INDEX by_shop ON documents (f_shop, f_n)');
    for (let shop = 0; shop < 2_000; shop += 1) insert.run('{}', shop, 1, 5);
    const scans = new Scans(database, index, new Codec(database));
    const before = process.memoryUsage().arrayBuffers;
    const filter = { ranges: [{ field: 'price', from: 2 }] };
    for (let shop = 0; shop < 2_000; shop += 1) expect(scans.count({ where: { shop }, filter })).toBe(1);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10e6);
    database.close();
  });
});
