import type { Projection } from './projection.js';
import {
  accounts,
  append,
  balance,
  heal,
  host,
  names,
  log,
  rebuilt,
  seen,
  start,
  stateOf,
  stop,
  store,
  until,
  NAMES,
} from './host.fixture.js';

export const parkingSuite = (): void =>
  describe('parking', () => {
    describe('an event that fails', () => {
      beforeEach(async () => {
        start();
        await append('a', ['opened.v1'], ['paid.v1', { amount: 1 }]);
        await append('b', ['opened.v1']);
        await append('a', ['paid.v1', { amount: 10, poison: true }], ['paid.v1', { amount: 100 }]);
        await seen(await append('b', ['paid.v1', { amount: 5 }]));
      });

      it('parks its key with that key’s later events, and the rest continues', async () => {
        expect(await balance('a')).toBe(1);
        expect(await balance('b')).toBe(5);
        expect(host!.parked()[0]).toMatchObject({
          projection: 'accounts',
          keys: [{ key: 'a', eventType: 'paid.v1', events: 2, error: 'Error: cannot be applied' }],
        });
        expect(stateOf('accounts').parked).toBe(1);
      });

      it('is still parked after a restart', async () => {
        await stop();
        await append('a', ['paid.v1', { amount: 1000 }]);
        start();
        await seen((await log.head()).position!);
        expect(host!.parked()[0]!.keys).toMatchObject([{ key: 'a', events: 3 }]);
        expect(await balance('a')).toBe(1);
      });

      it('is applied by a retry together with waiting events, in order, once it succeeds', async () => {
        expect(await host!.retry('accounts')).toBe(0);
        expect(host!.parked()[0]!.keys).toHaveLength(1);
        heal();
        expect(await host!.retry('accounts', 'a')).toBe(1);
        expect(host!.parked()[0]!.keys).toEqual([]);
        expect(await balance('a')).toBe(111);
        await seen(await append('a', ['paid.v1', { amount: 1000 }]));
        expect(await balance('a')).toBe(1111);
        await stop();
        start();
        expect(host!.parked()[0]!.keys).toEqual([]);
      });

      it('is forgotten by a rebuild', async () => {
        heal();
        await rebuilt('accounts');
        expect(await balance('a')).toBe(111);
        expect(host!.parked()[0]!.keys).toEqual([]);
      });
    });

    it('also applies to a document that the store refuses', async () => {
      const unique: Projection = {
        ...names,
        indexes: [{ fields: ['name'], unique: true }],
      };
      start([unique]);
      await append('a', ['named.v1', { name: 'Ada' }]);
      await append('b', ['named.v1', { name: 'Ada' }]);
      await seen(await append('c', ['named.v1', { name: 'Cleo' }]));
      expect(host!.parked()[0]!.keys.map(({ key }) => key)).toEqual(['b']);
      expect(await store.get(NAMES, 'c')).toEqual({ name: 'Cleo' });
    });

    it('stops the projection if too many keys are parked', async () => {
      start([accounts]);
      const poison = Array.from({ length: 1_001 }, (_, n) => ['paid.v1', { account: `p${n}`, poison: true }] as const);
      for (let at = 0; at < poison.length; at += 500) await append('a', ...poison.slice(at, at + 500));
      await until(() => stateOf('accounts').state === 'stopped');
      expect(stateOf('accounts').error).toMatch(/parked more than 1000 keys/);
    });
  });
