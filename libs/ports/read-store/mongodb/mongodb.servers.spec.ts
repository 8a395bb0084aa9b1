import fc from 'fast-check';
import { jest } from '@jest/globals';
import { Collection as MongoCollection, MongoClient } from 'mongodb';
import { describeWithServer } from '#test/servers/describe.js';
import { readStoreContract } from '../contract.js';
import {
  DocumentRefusedError,
  ReadStoreConflictError,
  ReadStoreUnavailableError,
  type Collection,
  type DocumentWrite,
  type JsonObject,
} from '../port.js';
import { eventually } from '#test/support/eventually.js';
import { openMongoReadStore, type MongoReadStore } from './index.js';
import { temporaryDatabase } from '#test/servers/mongodb-database.js';

const notes: Collection = { name: 'notes', version: 1, indexes: [{ fields: ['by'] }] };
const at = (position: number) => String(position).padStart(20, '0');
const batch = (position: number, ...writes: readonly (readonly [string, JsonObject | null])[]) => ({
  writes: writes.map(([id, document]): DocumentWrite => ({ id, position: at(position), document })),
  checkpoint: { logId: 'log', position: at(position), eventId: null },
});

describeWithServer('mongodb', (server) => {
  const { address, drop } = temporaryDatabase(server);
  readStoreContract('MongoDB', () => openMongoReadStore({ address }), drop);

  describe('read store on MongoDB', () => {
    let store: MongoReadStore;
    let client: MongoClient;
    beforeEach(async () => {
      store = await openMongoReadStore({ address });
      client = new MongoClient(address);
      await store.prepare(notes);
      await store.activate('notes', 1);
    });
    afterEach(async () => {
      await store.close();
      await client.close();
      await drop();
    });
    const collections = async () => (await client.db().listCollections().toArray()).map(({ name }) => name);
    const documents = async () => {
      const [name] = (await collections()).filter((each) => each.includes('notes-v1') && !each.endsWith('-counters'));
      return client.db().collection<{ _id: string }>(name!);
    };

    it('any JSON document comes back equal', async () => {
      let position = 0;
      const names = fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('$set', 'a.b', '', '\0', '__proto__', '_bsontype'),
      );
      const number = fc.constantFrom(2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e300, 5e-324, 0.1, 1e21);
      const value = fc.oneof(
        fc.jsonValue({ stringUnit: 'binary' }),
        number,
        fc.constantFrom('\ud800', '\0', 'a\udfffb'),
      );
      await fc.assert(
        fc.asyncProperty(fc.dictionary(names, value), async (generated) => {
          // JSON writes `-0` as `0`.
          const document = JSON.parse(JSON.stringify(generated)) as JsonObject;
          position += 1;
          await store.write(notes, batch(position, ['any', { ...document, by: null }]));
          expect(await store.get('notes', 'any')).toEqual({ ...document, by: null });
        }),
        { numRuns: 200 },
      );
    });

    it('documents may be nested as deeply as JSON can be', async () => {
      const deep = JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`) as JsonObject[string];
      await store.write(notes, batch(1, ['deep', { deep: deep! }]));
      expect(JSON.stringify(await store.get('notes', 'deep'))).toBe(JSON.stringify({ deep }));
    });

    it('a document beyond 16 MiB is refused, and nothing of its batch is written', async () => {
      const text = 'x'.repeat(17 * 1024 * 1024);
      for (const large of [{ text }, { list: [text] }])
        await expect(store.write(notes, batch(1, ['small', {}], ['large', large]))).rejects.toThrow(
          DocumentRefusedError,
        );
      expect(await store.get('notes', 'small')).toBeNull();
    });

    it('a writer that another one overtook gets an error, and continues once prepared again', async () => {
      const other = await openMongoReadStore({ address });
      await other.prepare(notes);
      await other.write(notes, { ...batch(1, ['a', { n: 1 }]), counters: new Map([['c', 1]]) });
      await expect(store.counters(notes, ['c'])).rejects.toThrow(ReadStoreConflictError);
      await expect(store.write(notes, batch(2, ['b', { n: 2 }]))).rejects.toThrow(ReadStoreConflictError);
      expect(await other.checkpoint(notes)).toMatchObject({ position: at(1) });
      await store.prepare(notes);
      expect(await store.counters(notes, ['c'])).toEqual(new Map([['c', 1]]));
      await store.write(notes, batch(2, ['b', { n: 2 }]));
      await expect(other.write(notes, batch(3))).rejects.toThrow(ReadStoreConflictError);
      await other.close();
    });

    it('a writer of a dropped and recreated collection does not write to the new one', async () => {
      const other = await openMongoReadStore({ address });
      await other.prepare(notes);
      await other.drop(notes);
      await other.prepare(notes);
      await expect(store.write(notes, batch(1, ['ghost', { n: 1 }]))).rejects.toThrow(ReadStoreConflictError);
      await store.drop(notes);
      expect(await other.get('notes', 'ghost')).toBeNull();
      expect(await other.versions('notes')).toEqual([1]);
      await other.removeOrphans();
      expect((await collections()).filter((name) => name.includes('notes-v1-')).length).toBeLessThanOrEqual(2);
      await other.close();
    });

    it('counters outlast any number of batches that do not change them', async () => {
      const checkpoint = (position: number) => batch(position).checkpoint;
      await store.write(notes, { writes: [], counters: new Map([['a', 1], ['b', 1]]), checkpoint: checkpoint(1) }); // prettier-ignore
      await store.write(notes, { writes: [], counters: new Map([['a', 2]]), checkpoint: checkpoint(2) });
      await store.write(notes, batch(3));
      expect(await store.counters(notes, ['a', 'b', 'c'])).toEqual(new Map([['a', 2], ['b', 1]])); // prettier-ignore
    });

    it('a removal is remembered for a day, then deleted', async () => {
      await store.write(notes, batch(1, ['a', { n: 1 }], ['b', { n: 1 }]));
      await store.write(notes, batch(2, ['a', null], ['b', null]));
      expect([...(await store.load(notes, ['a', 'b'])).values()]).toEqual([
        { position: at(2), document: null },
        { position: at(2), document: null },
      ]);
      await (await documents()).updateOne({ _id: 'a' }, { $set: { goneAt: new Date(Date.now() - 25 * 3600 * 1000) } });
      await store.prepare(notes);
      expect([...(await store.load(notes, ['a', 'b'])).keys()]).toEqual(['b']);
    });

    it('a reader opened earlier sees collections that are activated, dropped and created again', async () => {
      const reader = await openMongoReadStore({ address });
      expect(await reader.get('notes', 'a')).toBeNull();
      await store.write(notes, batch(1, ['a', { n: 1 }]));
      expect(await reader.get('notes', 'a')).toEqual({ n: 1 });
      const second = { ...notes, version: 2 };
      await store.prepare(second);
      await store.write(second, batch(1, ['a', { n: 2 }]));
      await store.activate('notes', 2);
      await store.drop(notes);
      expect(await reader.get('notes', 'a')).toEqual({ n: 2 });
      await reader.close();
    });

    it('an added index is built while the collection is written and read, and then serves every process', async () => {
      await store.write(notes, batch(1, ['a', { by: 'ann', to: 'bob' }]));
      const reader = await openMongoReadStore({ address });
      expect(await reader.get('notes', 'a')).toMatchObject({ by: 'ann' });
      const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const create = jest.spyOn(MongoCollection.prototype, 'createIndexes').mockImplementation(async function (
        this: MongoCollection,
        specs,
      ) {
        begun.resolve();
        await end.promise;
        create.mockRestore();
        return this.createIndexes(specs);
      });
      const more = { ...notes, indexes: [...notes.indexes, { fields: ['to'] }] };
      await store.prepare(more);
      await begun.promise;
      await store.write(more, batch(2, ['b', { by: 'ann', to: 'eve' }]));
      expect(await reader.count('notes', { where: { by: 'ann' } })).toBe(2);
      const toEve = () => reader.find('notes', { where: { to: 'eve' }, limit: 9 });
      await expect(toEve()).rejects.toThrow(ReadStoreUnavailableError);
      end.resolve();
      expect(await eventually(toEve, (found) => found.length === 1)).toEqual([{ by: 'ann', to: 'eve' }]);
      const names = (await (await documents()).listIndexes().toArray()).map(({ name }) => name as string);
      expect(names).toContain('by_to');
      // A worker of the release before leads again.
      await store.prepare(notes);
      expect(await toEve()).toHaveLength(1);
      await reader.close();
    });

    it('a credential in an invalid address is not repeated', async () => {
      await expect(openMongoReadStore({ address: 'mongodb://user:secret@:bad:/' })).rejects.toThrow(RangeError);
      await expect(openMongoReadStore({ address: 'mongodb://user:secret@:bad:/' })).rejects.not.toThrow(/secret/);
    });
  });
});
