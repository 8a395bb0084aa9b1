import { setImmediate as turn } from 'node:timers/promises';
import { eventually } from '#test/support/eventually.js';
import type { Collection, DocumentWrite, GroupKey, JsonObject, Query, ReadStore } from './port.js';
import { DocumentRefusedError, NotBuiltError, QueryNotIndexedError } from './port.js';

/** Twenty digits, as real positions are sortable strings of a fixed width. */
const at = (position: number): string => String(position).padStart(20, '0');
const checkpointAt = (position: number) => ({ logId: 'log', position: at(position), eventId: `event-${position}` });

const unshared: Collection = {
  name: 'books',
  version: 1,
  indexes: [
    { fields: ['shelf', 'year'] },
    { fields: ['shelf', 'language', 'year'] },
    { fields: ['shelf', 'borrower', 'year'], sparse: 'borrower' },
    { fields: ['isbn'], unique: true },
    { fields: ['lent'] },
    { fields: ['shelf'], words: ['title', 'reviews'] },
  ],
};

/**
 * The contract that every adapter of the read store keeps. `open` opens a store on the same place each time within one
 * test, so that it can be reopened; `clear` empties that place.
 */
export function readStoreContract(...adapter: Adapter): void {
  contractOf(unshared, ...adapter);
  contractOf({ ...unshared, shared: ['shelf', 'language', 'borrower', 'isbn', 'author'] }, ...adapter);
}

type Adapter = readonly [name: string, open: () => Promise<ReadStore>, clear: () => Promise<void>];

function contractOf(books: Collection, ...[name, open, clear]: Adapter): void {
  describe(`read store: ${name}${books.shared ? ', of shared texts' : ''}`, () => {
    let store: ReadStore;
    beforeEach(async () => {
      await clear();
      store = await open();
      await store.prepare(books);
    });
    afterEach(async () => {
      await store.close();
      await clear();
    });

    const write = (writes: readonly DocumentWrite[], position = 100) =>
      store.write(books, { writes, checkpoint: checkpointAt(position) });
    const put = (id: string, position: number, document: JsonObject | null): DocumentWrite => ({
      id,
      position: at(position),
      document,
    });

    describe('writes', () => {
      beforeEach(() => store.activate('books', 1));

      it('a document is got as it was written, whatever JSON it holds', async () => {
        const document = {
          id: 'a',
          text: 'naïve "quoted" \u2028 😀 \0',
          list: [1, null, { deep: [true] }],
          none: null,
        };
        await write([put('a', 1, document)]);
        expect(await store.get('books', 'a')).toEqual(document);
        expect(await store.get('books', 'b')).toBeNull();
      });

      it('a write takes effect only over a lower position', async () => {
        await write([put('a', 5, { n: 5 })]);
        await write([put('a', 4, { n: 4 })]);
        expect(await store.get('books', 'a')).toEqual({ n: 5 });
        await write([put('a', 5, { n: 'again' })]);
        expect(await store.get('books', 'a')).toEqual({ n: 5 });
        await write([put('a', 6, { n: 6 })]);
        expect(await store.get('books', 'a')).toEqual({ n: 6 });
      });

      it('a removed document does not come back by an earlier write, only by a later one', async () => {
        await write([put('a', 1, { n: 1 })]);
        await write([put('a', 5, null)]);
        expect(await store.get('books', 'a')).toBeNull();
        await write([put('a', 1, { n: 1 }), put('a', 5, { n: 5 })]);
        expect(await store.get('books', 'a')).toBeNull();
        await write([put('a', 6, { n: 6 })]);
        expect(await store.get('books', 'a')).toEqual({ n: 6 });
      });

      it('a removal takes effect only over a lower position', async () => {
        await write([put('a', 5, { n: 5 })]);
        await write([put('a', 5, null), put('a', 4, null)]);
        expect(await store.get('books', 'a')).toEqual({ n: 5 });
      });

      it('a unique index refuses a second document with the value, and nothing of that batch stays', async () => {
        await write([put('a', 1, { isbn: 'x' })]);
        await expect(write([put('c', 2, { isbn: 'y' }), put('b', 2, { isbn: 'x' })])).rejects.toThrow(
          DocumentRefusedError,
        );
        expect(await store.get('books', 'c')).toBeNull();
        await write([put('d', 3, { isbn: null }), put('e', 3, {})]);
        expect(await store.get('books', 'e')).toEqual({});
      });

      it('an indexed field cannot hold a list or an object', async () => {
        await expect(write([put('a', 1, { shelf: ['x'] })])).rejects.toMatchObject({
          name: 'DocumentRefusedError',
          id: 'a',
        });
        expect(await store.get('books', 'a')).toBeNull();
      });
    });

    describe('checkpoints and counters', () => {
      it('there is none before the first write; then it is the last written', async () => {
        expect(await store.checkpoint(books)).toBeNull();
        await write([], 7);
        await write([], 9);
        expect(await store.checkpoint(books)).toEqual(checkpointAt(9));
        await store.write(books, { writes: [], checkpoint: { logId: 'log', position: at(12), eventId: null } });
        expect(await store.checkpoint(books)).toEqual({ logId: 'log', position: at(12), eventId: null });
      });

      it('documents, counters and checkpoint are there after the store was opened again', async () => {
        const counters = new Map([['w1', 3]]);
        await store.write(books, { writes: [put('a', 1, { n: 1 })], counters, checkpoint: checkpointAt(1) });
        await store.activate('books', 1);
        await store.close();
        store = await open();
        expect(await store.get('books', 'a')).toEqual({ n: 1 });
        expect(await store.checkpoint(books)).toEqual(checkpointAt(1));
        expect(await store.counters(books, ['w1', 'w2'])).toEqual(counters);
        expect(await store.activeVersions()).toEqual(new Map([['books', 1]]));
      });

      it('a batch that fails leaves checkpoint and counters as they were', async () => {
        await write([put('a', 1, { isbn: 'x' })], 1);
        const failing = store.write(books, {
          writes: [put('b', 2, { isbn: 'x' })],
          counters: new Map([['w1', 1]]),
          checkpoint: checkpointAt(2),
        });
        await expect(failing).rejects.toThrow();
        expect(await store.checkpoint(books)).toEqual(checkpointAt(1));
        expect(await store.counters(books, ['w1'])).toEqual(new Map());
      });
    });

    describe('versions', () => {
      const second: Collection = { ...books, version: 2 };

      it('queries see the active version only', async () => {
        await write([put('a', 1, { n: 'old' })]);
        await expect(store.get('books', 'a')).rejects.toThrow(NotBuiltError);
        await store.activate('books', 1);
        expect(await store.get('books', 'a')).toEqual({ n: 'old' });
        await store.prepare(second);
        await store.write(second, { writes: [put('a', 1, { n: 'new' })], checkpoint: checkpointAt(1) });
        expect(await store.get('books', 'a')).toEqual({ n: 'old' });
        await store.activate('books', 2);
        expect(await store.get('books', 'a')).toEqual({ n: 'new' });
        expect([...(await store.versions('books'))].sort()).toEqual([1, 2]);
      });

      it('load gives documents of exactly one version with their positions, and removals', async () => {
        await store.prepare(second);
        await store.activate('books', 2);
        await write([put('a', 3, { n: 1 }), put('b', 4, { n: 2 }), put('b', 6, null)]);
        expect(await store.load(books, ['a', 'b', 'c'])).toEqual(
          new Map([
            ['a', { position: at(3), document: { n: 1 } }],
            ['b', { position: at(6), document: null }],
          ]),
        );
        expect(await store.load(second, ['a'])).toEqual(new Map());
      });

      it('a writer that prepares again sees what another one has written meanwhile', async () => {
        await write([put('a', 1, { n: 1 })]);
        const other = await open();
        await other.prepare(books);
        await other.write(books, { writes: [put('z', 2, { n: 2 })], checkpoint: checkpointAt(2) });
        await other.close();
        await store.prepare(books);
        expect([...(await store.load(books, ['a', 'z'])).keys()]).toEqual(['a', 'z']);
      });

      it('load finds ids of any script, written in any order', async () => {
        const ids = ['m', 'ü', '\u{1f600}', 'a', '\uffee', 'z'];
        for (const id of ids) {
          expect(await store.load(books, [id])).toEqual(new Map());
          await write([put(id, 1, { id })]);
          expect((await store.load(books, ids)).has(id)).toBe(true);
        }
        expect(new Set((await store.load(books, ids)).keys())).toEqual(new Set(ids));
      });

      it('dropping removes documents, counters and checkpoint, and it can be made again', async () => {
        await store.activate('books', 1);
        await store.write(books, {
          writes: [put('a', 9, { n: 1 })],
          counters: new Map([['w1', 3]]),
          checkpoint: checkpointAt(9),
        });
        await store.drop(books);
        await expect(store.get('books', 'a')).rejects.toThrow(NotBuiltError);
        expect(await store.versions('books')).toEqual([]);
        expect(await store.checkpoint(books)).toBeNull();
        await store.prepare(books);
        expect(await store.checkpoint(books)).toBeNull();
        expect(await store.counters(books, ['w1'])).toEqual(new Map());
        await write([put('a', 1, { n: 'again' })]);
        expect(await store.get('books', 'a')).toEqual({ n: 'again' });
      });

      it('preparing again keeps what is there, and serves an index that is new', async () => {
        await write([put('a', 1, { shelf: 's', author: 'le Guin', isbn: 'x' })]);
        await store.activate('books', 1);
        const more: Collection = { ...books, indexes: [...books.indexes, { fields: ['author'] }] };
        await store.prepare(more);
        await eventually(
          () => store.find('books', { where: { author: 'le Guin' }, limit: 10 }),
          (found) => found.length === 1,
        );
        expect(await store.checkpoint(more)).toEqual(checkpointAt(100));
      });
    });

    describe('queries', () => {
      const shelves = ['s', 't'];
      const languages = ['en', 'de', null];
      beforeEach(async () => {
        const documents = Array.from({ length: 60 }, (_, n) => ({
          id: `b${String(n).padStart(2, '0')}`,
          shelf: shelves[n % 2]!,
          language: languages[n % 3]!,
          year: 1950 + (n % 10),
          lent: n % 2 === 0,
        }));
        await write(documents.map((document, n) => put(document.id, n + 1, document)));
        await store.activate('books', 1);
      });

      const ids = async (query: Query) => (await store.find(`books`, query)).map((book) => book['id'] as string);

      it('equality, order and limit, equal values by id', async () => {
        const descending = { field: 'year', direction: 'descending' } as const;
        const found = await store.find('books', { where: { shelf: 's' }, order: descending, limit: 4 });
        expect(found.map(({ id, year }) => [id, year])).toEqual([
          ['b58', 1958],
          ['b48', 1958],
          ['b38', 1958],
          ['b28', 1958],
        ]);
        const ascending = { field: 'year', direction: 'ascending' } as const;
        expect(await ids({ where: { shelf: 's' }, order: ascending, limit: 3 })).toEqual(['b00', 'b10', 'b20']);
      });

      it('sums fields of what matches, 0 where nothing does, and refuses a field of no index', async () => {
        const years = Array.from({ length: 30 }, (_, index) => 1950 + ((2 * index) % 10));
        const sum = years.reduce((total, year) => total + year, 0);
        expect(await store.sum('books', { where: { shelf: 's' } }, ['year'])).toEqual([sum]);
        expect(await store.sum('books', { where: { shelf: 'none' } }, ['year', 'year'])).toEqual([0, 0]);
        await expect(store.sum('books', { where: { shelf: 's' } }, ['title'])).rejects.toThrow(QueryNotIndexedError);
      });

      it('finds documents by all of several words, within one value of a field', async () => {
        const texts = { title: 'Émile Zola: Germinal', reviews: [{ by: 'Ada', said: ['A mine’s dark 1885'] }] };
        await write([
          put('x', 300, { id: 'x', shelf: 's', year: 1, ...texts }),
          put('y', 301, { id: 'y', shelf: 't', year: 1, title: 'emile' }),
          put('z', 302, { id: 'z', shelf: 's', year: 2, title: 'GERMINAL, zola' }),
        ]);
        const order = { field: 'year', direction: 'descending' } as const;
        const found = (words: string) => ids({ where: { shelf: 's' }, filter: { words }, order, limit: 9 });
        expect(await found('zola germinal')).toEqual(['z', 'x']);
        expect(await found('EMILE')).toEqual(['x']);
        expect(await found('ada, dark; 1885!')).toEqual(['x']);
        for (const words of ['germ', 'zola ada missing', 'shelf', 'said', '"zola" OR missing', '...'])
          expect([words, await found(words)]).toEqual([words, []]);
        await write([put('x', 310, { id: 'x', shelf: 's', year: 1, title: 'Nana' }), put('z', 311, null)]);
        expect([await found('zola'), await found('nana')]).toEqual([[], ['x']]);
        expect(await store.count('books', { where: { shelf: 's' }, filter: { words: 'nana' } })).toBe(1);
        await expect(store.count('books', { where: { lent: true }, filter: { words: 'nana' } })).rejects.toThrow(
          QueryNotIndexedError,
        );
      });

      it('groups what matches by values, words and days, with sums, tallies and quantiles', async () => {
        const none = { sums: [], tallies: [], limit: 10 };
        const all = { where: { shelf: 's' } };
        expect(
          await store.group('books', all, {
            ...{ by: [{ field: 'language' }], sums: ['year'], tallies: [{ field: 'shelf' }], limit: 3 },
            quantiles: { field: 'year', at: [0.5] },
          }),
        ).toEqual(
          ['de', 'en', null].map((language) => ({
            ...{ values: [language], count: 10, sums: [19_540], tallies: [[['s', 10]]] },
            quantiles: [expect.closeTo(1954, -2)],
          })),
        );
        const two = await store.group('books', all, { ...none, by: [{ field: 'language' }, { field: 'shelf' }] });
        expect(two!.map(({ values }) => values)).toEqual([
          ['de', 's'],
          ['en', 's'],
          [null, 's'],
        ]);
        expect(await store.group('books', all, { ...none, by: [{ field: 'language' }], limit: 2 })).toBeNull();
        expect(await store.group('books', { where: { shelf: 'none' } }, { ...none, by: [] })).toEqual([]);
        await expect(store.group('books', all, { ...none, by: [{ field: 'title' }] })).rejects.toThrow(
          QueryNotIndexedError,
        );
        await write([
          put('x', 300, { shelf: 'x', language: '\nla\ngrc\n', isbn: '2030-01-02T23:00:00.000Z', year: 1 }),
          put('y', 301, { shelf: 'x', language: '\nla\n', isbn: '2030-01-03T00:00:00.000Z', year: 2 }),
        ]);
        const counts = async (key: GroupKey) =>
          (await store.group('books', { where: { shelf: 'x' } }, { ...none, by: [key] }))!.map(({ values, count }) => [
            values[0],
            count,
          ]);
        expect(await counts({ field: 'language', unit: 'words' })).toEqual([
          ['grc', 1],
          ['la', 2],
        ]);
        expect(await counts({ field: 'isbn', unit: 'day' })).toEqual([
          ['2030-01-02', 1],
          ['2030-01-03', 1],
        ]);
        expect((await counts({ field: 'isbn', unit: 'hour' }))[0]).toEqual(['2030-01-02T23', 1]);
      });

      it('pages by offset hold every document once', async () => {
        const seen: string[] = [];
        for (let offset = 0; offset < 40; offset += 7) {
          const order = { field: 'year', direction: 'descending' } as const;
          seen.push(...(await ids({ where: { shelf: 't' }, order, limit: 7, offset })));
        }
        expect(seen).toHaveLength(30);
        expect(new Set(seen).size).toBe(30);
      });

      it('match null, a boolean, any of several values, and none', async () => {
        expect(await store.count('books', { where: { shelf: 's', language: null } })).toBe(10);
        expect(await store.count('books', { where: { lent: true } })).toBe(30);
        expect(await store.count('books', { where: { shelf: 's', language: ['en', 'de'] } })).toBe(20);
        expect(await store.count('books', { where: { shelf: 's', language: ['en', null] } })).toBe(20);
        expect(await store.count('books', { where: { shelf: [] } })).toBe(0);
        expect(await store.count('books', { where: { shelf: ['s', 't'] } })).toBe(60);
      });

      it('a sparse index finds documents that have a value of its field, as long as they have it', async () => {
        const where = { shelf: 's', borrower: 'ann' };
        const anns: Query = { where, order: { field: 'year', direction: 'descending' }, limit: 9 };
        const lend = (id: string, position: number, borrower: string | null) =>
          put(id, position, { id, shelf: 's', year: position, borrower });
        await write([lend('x', 101, 'ann'), lend('y', 102, 'bob'), lend('z', 103, 'ann'), lend('w', 104, null)], 104);
        expect(await ids(anns)).toEqual(['z', 'x']);
        expect(await store.count('books', { where: { shelf: 's', borrower: ['ann', 'bob'] } })).toBe(3);
        await write([lend('z', 105, null), lend('w', 106, 'ann')], 106);
        expect(await ids(anns)).toEqual(['w', 'x']);
      });

      it('any of several values keeps the order over all of them', async () => {
        const order = { field: 'year', direction: 'ascending' } as const;
        const found = await store.find('books', { where: { shelf: ['t', 's'] }, order, limit: 60 });
        const years = found.map((book) => book['year'] as number);
        expect(years).toEqual([...years].sort());
        expect(years).toHaveLength(60);
      });

      it('match a range with either bound, both inclusive', async () => {
        const count = (range: { from?: number; to?: number }) =>
          store.count('books', { where: { shelf: 't' }, range: { field: 'year', ...range } });
        expect(await count({ from: 1953 })).toBe(24);
        expect(await count({ to: 1953 })).toBe(12);
        expect(await count({ from: 1953, to: 1953 })).toBe(6);
        const query = { where: { shelf: 't' }, range: { field: 'year', from: 1957 }, limit: 100 };
        expect((await ids(query)).slice(0, 2)).toEqual(['b07', 'b17']);
        expect(await ids(query)).toHaveLength(12);
      });

      it('return documents by id without where, range and order', async () => {
        expect(await ids({ where: {}, limit: 2, offset: 1 })).toEqual(['b01', 'b02']);
        expect(await store.count('books', { where: {} })).toBe(60);
      });

      it('equality fields are taken in any order', async () => {
        expect(await store.count('books', { where: { language: 'en', shelf: 's' } })).toBe(10);
      });

      it('a filter narrows what the index gives, on any field, indexed or not', async () => {
        const order = { field: 'year', direction: 'descending' } as const;
        const filter = { where: { id: ['b08', 'b18', 'b28'], lent: true }, ranges: [{ field: 'year', to: 1958 }] };
        const query = { where: { shelf: 's' }, order, filter };
        expect(await ids({ ...query, limit: 2, offset: 1 })).toEqual(['b18', 'b08']);
        expect(await store.count('books', query)).toBe(3);
        expect(await store.count('books', { ...query, filter: { where: { lent: false } } })).toBe(0);
        expect(await store.count('books', { ...query, filter: { where: { colour: null } } })).toBe(30);
        const contains = (field: string, text: string) =>
          store.count('books', { ...query, filter: { contains: [{ field, text }] } });
        const found = [contains('id', 'b0'), contains('id', '.'), contains('id', '\0'), contains('title', 'b')];
        expect(await Promise.all(found)).toEqual([5, 0, 0, 0]);
      });

      it.each<[string, Query]>([
        ['equality on a field that is not indexed', { where: { colour: 'red' }, limit: 1 }],
        ['equality on a later field of an index alone', { where: { year: 1950 }, limit: 1 }],
        ['a range on a field that does not come next', { where: { shelf: 's' }, range: { field: 'lent' }, limit: 1 }],
        [
          'an order that is not that of the range',
          {
            where: { shelf: 's' },
            range: { field: 'year', from: 1 },
            order: { field: 'language', direction: 'ascending' },
            limit: 1,
          },
        ],
        ['null of a sparse index', { where: { shelf: 's', borrower: ['ann', null] }, limit: 1 }],
        ['an order that no index has', { where: {}, order: { field: 'year', direction: 'ascending' }, limit: 1 }],
      ])('%s is refused', async (_, query) => {
        await expect(store.find('books', query)).rejects.toThrow(QueryNotIndexedError);
      });

      it('a removed document is neither found nor counted', async () => {
        await write([put('b00', 200, null)]);
        expect(await store.count('books', { where: { lent: true } })).toBe(29);
        expect(await ids({ where: {}, limit: 1 })).toEqual(['b01']);
      });

      it('a document is found whole or not at all while it is removed and made again', async () => {
        let done = false;
        const changing = (async () => {
          for (let round = 0; round < 100; round += 1)
            await write([put('flickering', 1000 + round, round % 2 === 0 ? { shelf: 'flicker', year: 1 } : null)]);
        })().finally(() => (done = true));
        const found: unknown[] = [];
        while (!done) {
          const [listed, one] = await Promise.all([
            store.find('books', { where: { shelf: 'flicker' }, limit: 10 }),
            store.get('books', 'flickering'),
          ]);
          found.push(...listed, ...(one === null ? [] : [one]));
          await turn();
        }
        await changing;
        expect(found.filter((each) => JSON.stringify(each) !== '{"shelf":"flicker","year":1}')).toEqual([]);
      });

      it('a changed field is found by its new value only', async () => {
        await write([put('b00', 200, { id: 'b00', shelf: 'elsewhere', year: 1 })]);
        expect(await store.count('books', { where: { shelf: 's' } })).toBe(29);
        expect(await ids({ where: { shelf: 'elsewhere' }, limit: 5 })).toEqual(['b00']);
      });

      it('a collection that nobody has made is not built', async () => {
        const grouping = { by: [], sums: [], tallies: [], limit: 1 };
        for (const query of [
          () => store.get('nothing', 'a'),
          () => store.find('nothing', { where: { any: 1 }, limit: 1 }),
          () => store.count('nothing', { where: {} }),
          () => store.sum('nothing', { where: {} }, ['n']),
          () => store.group('nothing', { where: {} }, grouping),
        ])
          await expect(query()).rejects.toThrow(NotBuiltError);
        expect(await store.names()).toEqual(['books']);
      });
    });
  });
}
