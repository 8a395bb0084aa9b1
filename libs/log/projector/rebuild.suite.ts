import { LogDamagedError, type SubscribeOptions, type SubscriptionMessage } from '#ports/event-store/port.js';
import { NotBuiltError, type ReadStore } from '#ports/read-store/port.js';
import type { JsonObject } from '#domain/json.js';
import { collectionNameOf, collectionOf } from './collection.js';
import type { Projection } from './projection.js';
import {
  accounts,
  append,
  balance,
  host,
  log,
  names,
  seen,
  start,
  stateOf,
  stop,
  store,
  until,
  ACCOUNTS,
  NAMES,
} from './host.fixture.js';

export const rebuildSuite = (): void =>
  describe('building and rebuilding', () => {
    it('builds a changed version beside the old one, which stays for processes that ask for it', async () => {
      start([names]);
      await seen(await append('a', ['named.v1', { name: 'Ada' }]));
      await stop();
      const upper: Projection = {
        ...names,
        version: 2,
        on: { 'named.v1': (_, { data }) => ({ name: (data['name'] as string).toUpperCase() }) },
      };
      start([upper]);
      await seen((await log.head()).position!);
      expect(await store.get(collectionNameOf(upper), 'a')).toEqual({ name: 'ADA' });
      expect(await store.get(NAMES, 'a')).toEqual({ name: 'Ada' });
      await host!.clear([NAMES]);
      expect(await store.get(NAMES, 'a')).toEqual({ name: 'Ada' });
      await host!.clear([]);
      await expect(store.get(NAMES, 'a')).rejects.toThrow(NotBuiltError);
      expect(await store.get(collectionNameOf(upper), 'a')).toEqual({ name: 'ADA' });
    });

    describe('a checkpoint of another log', () => {
      const spoiled = async (change: (position: string) => JsonObject) => {
        start([names]);
        await seen(await append('a', ['named.v1', { name: 'Ada' }]));
        await stop();
        const collection = collectionOf(names);
        const checkpoint = (await store.checkpoint(collection))!;
        await store.write(collection, {
          writes: [{ id: 'ghost', position: '1', document: { name: 'of another log' } }],
          checkpoint: { ...checkpoint, ...change(checkpoint.position) },
        });
        start([names]);
        await seen((await log.head()).position!);
        expect(await store.get(NAMES, 'ghost')).toBeNull();
        expect(await store.get(NAMES, 'a')).toEqual({ name: 'Ada' });
      };

      it('is detected by its log id, and the documents are rebuilt', () => spoiled(() => ({ logId: 'another' })));
      it('is detected by a position past the head, and the documents are rebuilt', () =>
        spoiled((position) => ({ position: position.replace(/^0/, '9') })));
      it('is detected by its event, and the documents are rebuilt', () => spoiled(() => ({ eventId: 'another' })));
    });

    it('starts separately for a projection that is far behind', async () => {
      const events = Array.from({ length: 500 }, (): readonly [string, JsonObject] => ['paid.v1', { amount: 1 }]);
      await append('a', ['opened.v1']);
      for (let block = 0; block < 41; block += 1) await append('a', ...events);
      const built: string[] = [];
      start([accounts, names], {
        async buildAside(projection, generation, signal) {
          built.push(projection.name);
          const { ProjectionRunner } = await import('./runner.js');
          const runner = new ProjectionRunner(projection, { eventStore: log, readStore: store }, generation);
          await runner.open();
          await runner.catchUp(signal, 2_000);
          await runner.flush();
        },
      });
      await seen((await log.head()).position!);
      expect(built.sort()).toEqual(['accounts', 'names']);
      expect(await balance('a')).toBe(20_500);
    });

    it('leaves the live documents in place, and current, until a rebuild is done', async () => {
      start([accounts]);
      await seen(await append('a', ['opened.v1'], ['paid.v1', { amount: 1 }]));
      await stop();
      const gate = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const second = collectionOf(accounts, 1).version;
      const slow = Object.assign(Object.create(store) as ReadStore, {
        async write(...args: Parameters<ReadStore['write']>) {
          if (args[0].version === second) {
            begun.resolve();
            await gate.promise;
          }
          await store.write(...args);
        },
      });
      start([accounts], { readStore: slow });
      await seen((await log.head()).position!);
      await host!.rebuild('accounts');
      await begun.promise;
      expect(stateOf('accounts').state).toBe('rebuilding');
      await seen(await append('a', ['paid.v1', { amount: 10 }]));
      expect(await balance('a')).toBe(11);
      gate.resolve();
      await until(() => stateOf('accounts').state === 'live');
      expect((await store.activeVersions()).get(ACCOUNTS)).toBe(second);
      expect(await store.versions(ACCOUNTS)).toEqual([second]);
      await seen(await append('a', ['paid.v1', { amount: 100 }]));
      expect(await balance('a')).toBe(111);
      await stop();
      start([accounts]);
      await seen((await log.head()).position!);
      expect(await balance('a')).toBe(111);
      expect((await store.activeVersions()).get(ACCOUNTS)).toBe(second);
    });

    it('reports documents built from the start as incomplete until they have caught up', async () => {
      const events = Array.from({ length: 300 }, (): readonly [string, JsonObject] => ['paid.v1', { amount: 1 }]);
      await append('a', ['opened.v1']);
      for (let block = 0; block < 5; block += 1) await append('a', ...events);
      const gate = Promise.withResolvers<void>();
      const slow = Object.assign(Object.create(store) as ReadStore, {
        async write(...args: Parameters<ReadStore['write']>) {
          await gate.promise;
          await store.write(...args);
        },
      });
      start([accounts], { readStore: slow });
      await host!.begun();
      expect(stateOf('accounts')).toMatchObject({ state: 'rebuilding', complete: false });
      gate.resolve();
      await until(() => stateOf('accounts').state === 'live');
      expect(stateOf('accounts').complete).toBe(true);
    });

    it('keeps the existing documents when a rebuild meets a damaged log, and says why', async () => {
      start([accounts]);
      await seen(await append('a', ['opened.v1'], ['paid.v1', { amount: 1 }]));
      const damaged = Object.assign(Object.create(log) as typeof log, {
        subscribe: (options: SubscribeOptions) => (options.filter ? failing() : log.subscribe(options)),
      });
      await stop();
      start([accounts], { eventStore: damaged });
      await until(() => stateOf('accounts').state === 'live');
      await host!.rebuild('accounts');
      await until(() => stateOf('accounts').error !== null);
      expect(stateOf('accounts')).toMatchObject({ state: 'live', complete: true, errorCode: 'log_damaged' });
      expect(await balance('a')).toBe(1);
    });

    it('stops at a damaged log without documents, and stays incomplete', async () => {
      await append('a', ['opened.v1']);
      const stopped: string[] = [];
      const damaged = Object.assign(Object.create(log) as typeof log, {
        subscribe: (options: SubscribeOptions) => (options.filter ? failing() : log.subscribe(options)),
      });
      start([accounts], { eventStore: damaged, onStopped: (name) => stopped.push(name) });
      await host!.begun();
      expect(stateOf('accounts')).toMatchObject({ state: 'stopped', complete: false, errorCode: 'log_damaged' });
      expect(stopped).toEqual(['accounts']);
    });
  });

/** The first page is damaged. */
async function* failing(): AsyncGenerator<SubscriptionMessage> {
  throw new LogDamagedError('0000000000000002', 'its checksum does not fit');
}
