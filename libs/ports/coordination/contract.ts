import { setImmediate as turn } from 'node:timers/promises';
import { ABSENT, type Coordination, type Entry } from './port.js';

const at = ({ version }: Entry) => ({ kind: 'version', version }) as const;

/**
 * The contract that every adapter of coordination keeps. `open` opens one on the same place each time within one test,
 * so that it can be reopened, and uses `now` as its clock; `clear` empties that place. `notAtomic` says why a server
 * cannot change one document atomically; the concurrent cases are then skipped.
 */
export function coordinationContract(
  name: string,
  open: (now: () => number) => Promise<Coordination>,
  clear: () => Promise<void>,
  { notAtomic }: { readonly notAtomic?: string | undefined } = {},
): void {
  const testAtOnce = (what: string, proof: () => Promise<void>) =>
    notAtomic === undefined ? it(what, proof) : it.skip(`${what} (skipped: ${notAtomic})`, proof);
  describe(`coordination: ${name}`, () => {
    let coordination: Coordination;
    let now: number;
    const opened = () => open(() => now);
    beforeEach(async () => {
      now = Date.UTC(2030, 0, 1);
      await clear();
      coordination = await opened();
    });
    afterEach(async () => {
      await coordination.close();
      await clear();
    });

    describe('entries', () => {
      it('are written only where they are as expected', async () => {
        const first = (await coordination.compareAndSet('k', ABSENT, { a: [1, null] }))!;
        expect(first).toMatchObject({ key: 'k', value: { a: [1, null] } });
        expect(await coordination.get('k')).toEqual(first);
        expect(await coordination.compareAndSet('k', ABSENT, 2)).toBeNull();
        const second = (await coordination.compareAndSet('k', at(first), 2))!;
        expect(second.version).toBeGreaterThan(first.version);
        expect(await coordination.compareAndSet('k', at(first), 3)).toBeNull();
        expect(await coordination.compareAndSet('other', at(first), 3)).toBeNull();
        expect(await coordination.get('k')).toEqual(second);
      });

      testAtOnce('of many that write at once, one wins', async () => {
        const tries = Array.from({ length: 20 }, (_, n) => coordination.compareAndSet('k', ABSENT, n));
        const won = (await Promise.all(tries)).filter((entry) => entry !== null);
        expect(won).toHaveLength(1);
        expect(await coordination.get('k')).toEqual(won[0]);
      });

      it('end when their time is over, and can then be made anew with a higher version', async () => {
        const first = (await coordination.compareAndSet('k', ABSENT, 1, 1000))!;
        now += 999;
        expect(await coordination.get('k')).toEqual(first);
        now += 1;
        expect(await coordination.get('k')).toBeNull();
        expect(await coordination.list('', 10)).toEqual([]);
        expect(await coordination.compareAndSet('k', at(first), 2)).toBeNull();
        const second = (await coordination.compareAndSet('k', ABSENT, 2))!;
        expect(second.version).toBeGreaterThan(first.version);
      });

      it('have the time of their last write', async () => {
        const first = (await coordination.compareAndSet('k', ABSENT, 1, 1000))!;
        const second = (await coordination.compareAndSet('k', at(first), 2, 5000))!;
        now += 4999;
        expect(await coordination.get('k')).toEqual(second);
        await coordination.compareAndSet('k', at(second), 3);
        now += 1e9;
        expect(await coordination.get('k')).toMatchObject({ value: 3 });
      });

      it('are gone when deleted, and an old version is never met again', async () => {
        const first = (await coordination.compareAndSet('k', ABSENT, 1))!;
        await coordination.delete('k');
        await coordination.delete('k');
        expect(await coordination.get('k')).toBeNull();
        const second = (await coordination.compareAndSet('k', ABSENT, 1))!;
        expect(second.version).toBeGreaterThan(first.version);
        expect(await coordination.compareAndSet('k', at(first), 2)).toBeNull();
      });

      it('are listed by the beginning of their key, in its order, up to a limit', async () => {
        for (const key of ['session:b', 'session:a', 'session', 'sessions:x', 'session:ü', 'other'])
          await coordination.compareAndSet(key, ABSENT, key);
        const keys = async (prefix: string, limit: number) =>
          (await coordination.list(prefix, limit)).map((entry) => entry.key);
        expect(await keys('session:', 10)).toEqual(['session:a', 'session:b', 'session:ü']);
        expect(await keys('session:', 2)).toEqual(['session:a', 'session:b']);
        expect(await keys('nothing', 10)).toEqual([]);
      });

      it('are listed and got with their value or not at all while others delete them', async () => {
        let done = false;
        const writing = Promise.all(
          Array.from({ length: 4 }, async (_, n) => {
            for (let round = 0; round < 100; round += 1) {
              await coordination.compareAndSet(`k:${n}`, ABSENT, 'kept');
              await coordination.delete(`k:${n}`);
            }
          }),
        ).finally(() => (done = true));
        const found: Entry[] = [];
        while (!done) {
          const [listed, one] = await Promise.all([coordination.list('k:', 10), coordination.get('k:0')]);
          found.push(...listed, ...(one ? [one] : []));
          await turn();
        }
        await writing;
        expect(found.filter(({ value }) => value !== 'kept')).toEqual([]);
      });

      it('are there after it was opened again', async () => {
        const entry = await coordination.compareAndSet('k', ABSENT, 'kept');
        await coordination.increment('n', 2, 1000);
        const lease = await coordination.acquireLease('l', 'me', 1000);
        await coordination.close();
        coordination = await opened();
        expect(await coordination.get('k')).toEqual(entry);
        expect((await coordination.increment('n', 1, 1000)).value).toBe(3);
        expect(await coordination.acquireLease('l', 'me', 1000)).toEqual(lease);
      });
    });

    describe('counters', () => {
      it('begin at 0 and end their time after the first increment', async () => {
        expect(await coordination.increment('n', 2, 1000)).toEqual({ applied: true, value: 2, endsInMs: 1000 });
        now += 400;
        expect(await coordination.increment('n', 3, 1000)).toEqual({ applied: true, value: 5, endsInMs: 600 });
        now += 600;
        expect(await coordination.increment('n', 1, 1000)).toEqual({ applied: true, value: 1, endsInMs: 1000 });
      });

      testAtOnce('never pass a limit, however many count at once', async () => {
        const tries = Array.from({ length: 20 }, () => coordination.increment('n', 1, 1000, 7));
        const results = await Promise.all(tries);
        expect(results.filter(({ applied }) => applied)).toHaveLength(7);
        expect(await coordination.increment('n', 1, 1000, 7)).toEqual({ applied: false, value: 7, endsInMs: 1000 });
        expect(await coordination.increment('n', -3, 1000, 7)).toMatchObject({ applied: true, value: 4 });
        expect(await coordination.increment('other', 8, 1000, 7)).toEqual({ applied: false, value: 0, endsInMs: 0 });
      });

      it('are apart from entries, and deleted with them', async () => {
        await coordination.increment('k', 5, 1000);
        expect(await coordination.get('k')).toBeNull();
        await coordination.delete('k');
        expect((await coordination.increment('k', 1, 1000)).value).toBe(1);
      });
    });

    describe('leases', () => {
      it('have one holder, who may extend them', async () => {
        const mine = (await coordination.acquireLease('l', 'me', 1000))!;
        expect(mine).toMatchObject({ name: 'l', holder: 'me' });
        now += 600;
        expect(await coordination.acquireLease('l', 'you', 1000)).toBeNull();
        expect(await coordination.acquireLease('l', 'me', 1000)).toEqual(mine);
        // A waiting holder keeps asking: an adapter may count the term from its first look.
        expect(await coordination.acquireLease('l', 'you', 1000)).toBeNull();
        now += 999;
        expect(await coordination.acquireLease('l', 'you', 1000)).toBeNull();
        now += 1;
        const yours = (await coordination.acquireLease('l', 'you', 1000))!;
        expect(yours.token).toBeGreaterThan(mine.token);
      });

      testAtOnce('of many that try at once, one gets it', async () => {
        const tries = Array.from({ length: 20 }, (_, n) => coordination.acquireLease('l', `holder-${n}`, 1000));
        expect((await Promise.all(tries)).filter((lease) => lease !== null)).toHaveLength(1);
      });

      it('are free once released, and releasing an old one releases nothing', async () => {
        const first = (await coordination.acquireLease('l', 'me', 1000))!;
        await coordination.releaseLease(first);
        const second = (await coordination.acquireLease('l', 'you', 1000))!;
        expect(second.token).toBeGreaterThan(first.token);
        await coordination.releaseLease(first);
        expect(await coordination.acquireLease('l', 'me', 1000)).toBeNull();
      });
    });
  });
}
