import type { EventReader, SubscribeOptions } from '#ports/event-store/port.js';
import type { ReadStore } from '#ports/read-store/port.js';
import { collectionOf } from './collection.js';
import {
  accounts,
  append,
  balance,
  host,
  log,
  names,
  rebuilt,
  seen,
  start,
  stateOf,
  stop,
  store,
  until,
  ACCOUNTS,
  NAMES,
} from './host.fixture.js';

export const hostSuite = (): void =>
  describe('projection host', () => {
    it('writes history and live events to documents, and reports the position of each projection', async () => {
      await append('a', ['opened.v1'], ['paid.v1', { amount: 3 }], ['named.v1', { name: 'Ada' }]);
      start();
      await seen((await log.head()).position!);
      expect(await balance('a')).toBe(3);
      const position = await append('a', ['paid.v1', { amount: 4 }]);
      await seen(position);
      expect(await balance('a')).toBe(7);
      expect(await store.get(NAMES, 'a')).toEqual({ name: 'Ada' });
      expect(host!.status()).toMatchObject([
        { name: 'accounts', version: 1, state: 'live', position, lagEvents: 0, lagSeconds: 0, parked: 0, error: null },
        { name: 'names', state: 'live', position },
      ]);
    });

    it('moves a projection past events that it does not handle', async () => {
      start();
      await seen(await append('a', ['unrelated.v1']));
    });

    it('continues after a stop and applies events once', async () => {
      start();
      await seen(await append('a', ['opened.v1'], ['paid.v1', { amount: 1 }]));
      await stop();
      await append('a', ['paid.v1', { amount: 1 }]);
      start();
      await seen((await log.head()).position!);
      expect(await balance('a')).toBe(2);
    });

    it('keeps ordinals dense in log order, and the same after a rebuild', async () => {
      start();
      for (const account of ['c', 'a', 'b']) await append(account, ['opened.v1']);
      await append('a', ['paid.v1', { amount: 1 }]);
      await seen(await append('d', ['opened.v1']));
      const numbers = async () => {
        const order = { field: 'n', direction: 'ascending' } as const;
        const found = await store.find(ACCOUNTS, { where: { workspaceId: 'w1' }, order, limit: 10 });
        return found.map(({ id, n }) => [id, n]);
      };
      const live = await numbers();
      expect(live).toEqual([
        ['c', 1],
        ['a', 2],
        ['b', 3],
        ['d', 4],
      ]);
      await rebuilt('accounts');
      expect((await store.activeVersions()).get(ACCOUNTS)).toBe(collectionOf(accounts, 1).version);
      expect(await numbers()).toEqual(live);
    });

    it('stops a projection visibly at an unknown version of a handled type, and no other one', async () => {
      start();
      const before = await append('a', ['opened.v1'], ['paid.v1', { amount: 1 }]);
      await append('a', ['paid.v2', { cents: 100 }], ['paid.v1', { amount: 50 }]);
      const last = await append('a', ['named.v1', { name: 'Ada' }]);
      await seen(last, ['names']);
      await until(() => stateOf('accounts').state === 'stopped');
      expect(stateOf('accounts')).toMatchObject({
        state: 'stopped',
        position: before,
        error: expect.stringContaining('version 2') as string,
      });
      expect(await balance('a')).toBe(1);
      await stop();
      start();
      await seen(last, ['names']);
      await until(() => stateOf('accounts').state === 'stopped');
      expect(await balance('a')).toBe(1);
    });

    it('reports an unreachable read store in the status, and continues when it is back', async () => {
      let away = true;
      const flaky = Object.assign(Object.create(store) as ReadStore, {
        write: (...args: Parameters<ReadStore['write']>) =>
          away ? Promise.reject(new Error('the disk is full')) : store.write(...args),
      });
      start([accounts], { readStore: flaky });
      const position = await append('a', ['opened.v1'], ['paid.v1', { amount: 2 }]);
      await until(() => stateOf('accounts').state === 'disconnected');
      expect(stateOf('accounts').error).toBe('the disk is full');
      away = false;
      await seen(position);
      expect(await balance('a')).toBe(2);
      expect(stateOf('accounts')).toMatchObject({ state: 'live', error: null });
    });

    it('says that the log cannot be read while it catches up, once aloud, and continues when it can', async () => {
      const gate = Promise.withResolvers<void>();
      const unreadable = Object.assign(Object.create(log) as EventReader, {
        async *subscribe(options: SubscribeOptions) {
          for (let failure = 0; failure < 8; failure += 1) options.onTrouble?.(new Error('no positions'));
          await gate.promise;
          yield* log.subscribe(options);
        },
      });
      const position = await append('a', ['opened.v1'], ['paid.v1', { amount: 2 }]);
      const told: string[] = [];
      start([accounts], { eventStore: unreadable, onTrouble: ({ message }) => told.push(message) });
      await until(() => stateOf('accounts').state === 'disconnected');
      expect(stateOf('accounts')).toMatchObject({ error: 'no positions', errorCode: 'log_unreadable' });
      gate.resolve();
      await seen(position);
      expect(await balance('a')).toBe(2);
      expect(stateOf('accounts')).toMatchObject({ state: 'live', error: null, errorCode: null });
      expect(told).toEqual(['no positions']);
    });

    it('lets a slow projection delay no other, and catches up without gap or duplicate', async () => {
      const gate = Promise.withResolvers<void>();
      let writing = () => {};
      const begun = new Promise<void>((resolve) => (writing = resolve));
      const slow = Object.assign(Object.create(store) as ReadStore, {
        async write(...args: Parameters<ReadStore['write']>) {
          if (args[0].name === ACCOUNTS && args[1].writes.length > 0) {
            writing();
            await gate.promise;
          }
          await store.write(...args);
        },
      });
      start([accounts, names], { readStore: slow });
      await append('a', ['opened.v1']);
      await begun;
      for (let block = 0; block < 10; block += 1)
        await append('a', ...Array.from({ length: 500 }, () => ['paid.v1', { amount: 1 }] as const));
      const position = await append('a', ['named.v1', { name: 'Ada' }]);
      await seen(position, ['names']);
      expect(await store.get(NAMES, 'a')).toEqual({ name: 'Ada' });
      expect(stateOf('accounts').lagEvents).toBeGreaterThan(0);
      gate.resolve();
      await seen(position);
      expect(await balance('a')).toBe(5_000);
    });

    it('applies each event once while it catches up with incoming ones', async () => {
      await append('a', ['opened.v1']);
      for (let block = 0; block < 5; block += 1)
        await append('a', ...Array.from({ length: 500 }, () => ['paid.v1', { amount: 1 }] as const));
      start([accounts, names]);
      let position = '';
      for (let single = 0; single < 300; single += 1) position = await append('a', ['paid.v1', { amount: 1 }]);
      await seen(position);
      expect(await balance('a')).toBe(2_800);
    });

    it('names an unknown projection in the error', async () => {
      start();
      await expect(host!.rebuild('nothing')).rejects.toThrow(
        'there is no projection "nothing"; there are accounts, names',
      );
      await expect(host!.retry('nothing')).rejects.toThrow(RangeError);
    });
  });
