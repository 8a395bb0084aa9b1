import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readStoreContract } from '../contract.js';
import { NotBuiltError, ReadStoreUnavailableError, type Collection } from '../port.js';
import { findSql } from './sql.js';
import { SqliteReadStore } from './sqlite-read-store.js';

const root = await mkdtemp(join(tmpdir(), 'read-store-'));
afterAll(() => rm(root, { recursive: true, force: true }));

const directory = join(root, 'store');
const clear = () => rm(directory, { recursive: true, force: true });
readStoreContract('SQLite', async () => new SqliteReadStore({ directory }), clear);

describe('SQLite read store', () => {
  afterEach(clear);
  const notes: Collection = { name: 'notes', version: 1, indexes: [{ fields: ['by'] }] };
  const checkpoint = { logId: 'log', position: '1', eventId: null };
  const note = (n: number) => ({ writes: [{ id: 'a', position: String(n), document: { n } }], checkpoint });

  it("a reader opened before the first write sees another one's writes, activations, drops and recreations", async () => {
    const reader = new SqliteReadStore({ directory, readOnly: true });
    await expect(reader.get('notes', 'a')).rejects.toThrow(NotBuiltError);
    const writer = new SqliteReadStore({ directory });
    await writer.prepare(notes);
    await writer.write(notes, note(1));
    await writer.activate('notes', 1);
    expect(await reader.get('notes', 'a')).toEqual({ n: 1 });
    await writer.write(notes, note(2));
    expect(await reader.get('notes', 'a')).toEqual({ n: 2 });
    await writer.drop(notes);
    await expect(reader.get('notes', 'a')).rejects.toThrow(NotBuiltError);
    await writer.prepare(notes);
    await writer.write(notes, note(1));
    expect(await reader.get('notes', 'a')).toEqual({ n: 1 });
    await Promise.all([reader.close(), writer.close()]);
  });

  it.each([[[]], [['shelf', 'borrower']]])(
    'a sparse index holds only documents that have a value, and serves the queries for them (shared: %j)',
    async (shared) => {
      const indexes = [{ fields: ['shelf', 'borrower', 'year'], sparse: 'borrower' }];
      const books: Collection = { name: 'books', version: 1, indexes, shared };
      const store = new SqliteReadStore({ directory });
      await store.prepare(books);
      await store.close();
      const [file] = (await readdir(directory)).filter((name) => name.startsWith('books') && name.endsWith('.db'));
      const database = new DatabaseSync(join(directory, file!));
      const { sql } = findSql(
        { ...books, shared: new Set<string>(shared) },
        {
          where: { shelf: 's', borrower: 'ann' },
          order: { field: 'year', direction: 'descending' },
          limit: 5,
        },
      );
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all('s', 'ann', 5, 0);
      const made = database.prepare(`SELECT sql FROM sqlite_master WHERE name LIKE 'by:%'`).all();
      database.close();
      expect(
        plan.map(({ detail }) => String(detail)).filter((detail) => !/SUBQUERY|SEARCH texts/.test(detail)),
      ).toEqual(['SEARCH documents USING INDEX by:shelf,borrower,year (f_shelf=? AND f_borrower=?)']);
      expect(made).toEqual([{ sql: expect.stringContaining('WHERE "f_borrower" IS NOT NULL') }]);
    },
  );

  it('a dropped collection leaves no file, and orphans are removed on request', async () => {
    const store = new SqliteReadStore({ directory });
    await store.prepare(notes);
    await store.drop(notes);
    await store.close();
    await writeFile(join(directory, 'lost-v1-0123abcd.db'), '');
    expect((await readdir(directory)).filter((file) => file.startsWith('notes'))).toEqual([]);
    await new SqliteReadStore({ directory, removeOrphans: true }).close();
    expect((await readdir(directory)).filter((file) => !file.startsWith('catalog.db'))).toEqual([]);
  });

  it('full-text search finds the words that a batch leaves, not those that it replaces, removes or fails to store', async () => {
    const store = new SqliteReadStore({ directory });
    const books: Collection = {
      name: 'books',
      version: 1,
      indexes: [{ fields: ['isbn'], unique: true }, { fields: ['shelf'] }, { fields: ['shelf'], words: ['title'] }],
    };
    await store.prepare(books);
    await store.activate('books', 1);
    let position = 0;
    const put = (id: string, title: string | null, isbn = id) => {
      position += 1;
      return {
        id,
        position: String(position).padStart(9, '0'),
        document: title === null ? null : { isbn, shelf: 's', title },
      };
    };
    const write = (...writes: ReturnType<typeof put>[]) => store.write(books, { writes, checkpoint });
    const has = (words: string) => store.count('books', { where: { shelf: 's' }, filter: { words } });
    await write(put('p', 'alpha'), put('p', 'beta'), put('q', 'gamma'), put('q', null), put('r', 'delta'));
    await expect(write(put('s', 'epsilon'), put('t', 'zeta', 'r'))).rejects.toThrow('unique');
    await write(put('r', null), put('u', 'eta'));
    const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta'];
    expect(await Promise.all(words.map(has))).toEqual([0, 1, 0, 0, 0, 0, 1]);
    await store.close();
  });

  it('a damaged file is recreated when its collection is prepared, without a checkpoint', async () => {
    let store = new SqliteReadStore({ directory });
    await store.prepare(notes);
    await store.activate('notes', 1);
    await store.write(notes, note(1));
    await store.close();
    const file = (await readdir(directory)).find((name) => name.startsWith('notes') && name.endsWith('.db'));
    await writeFile(join(directory, file!), 'this is no database, and never was one'.repeat(1000));
    store = new SqliteReadStore({ directory });
    await store.prepare(notes);
    expect(await store.checkpoint(notes)).toBeNull();
    await store.write(notes, note(1));
    expect(await store.get('notes', 'a')).toEqual({ n: 1 });
    await store.close();
  });

  it('a file found damaged during a write is dropped, and can be recreated', async () => {
    const store = new SqliteReadStore({ directory });
    await store.prepare(notes);
    await store.write(notes, note(1));
    await store.close();
    const file = (await readdir(directory)).find((name) => name.startsWith('notes') && name.endsWith('.db'));
    const content = await readFile(join(directory, file!));
    // Damages all pages but the first, the only one read on opening.
    await writeFile(join(directory, file!), content.fill(0x55, 4096));
    const again = new SqliteReadStore({ directory });
    await expect(again.write(notes, note(2))).rejects.toThrow(ReadStoreUnavailableError);
    await again.prepare(notes);
    expect(await again.checkpoint(notes)).toBeNull();
    await again.write(notes, note(1));
    await again.close();
  });

  it("a file in another release's format is rebuilt", async () => {
    const before = new SqliteReadStore({ directory });
    await before.prepare(notes);
    await before.close();
    const catalog = new DatabaseSync(join(directory, 'catalog.db'));
    catalog.exec('PRAGMA user_version = 999');
    catalog.close();
    const store = new SqliteReadStore({ directory, removeOrphans: true });
    expect(await store.versions('notes')).toEqual([]);
    expect((await readdir(directory)).filter((file) => file.startsWith('notes'))).toEqual([]);
    await store.close();
  });

  it('a damaged catalog is recreated', async () => {
    await new SqliteReadStore({ directory }).close();
    await writeFile(join(directory, 'catalog.db'), 'this is no database, and never was one'.repeat(1000));
    const store = new SqliteReadStore({ directory });
    await store.prepare(notes);
    expect(await store.checkpoint(notes)).toBeNull();
    await store.close();
  });
});
