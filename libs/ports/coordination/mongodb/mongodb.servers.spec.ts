import { randomUUID } from 'node:crypto';
import { Toxiproxy, type Proxy } from 'toxiproxy-node-client';
import { describeWithServer, testServers } from '#test/servers/describe.js';
import { byPort, inDatabase, primaryOf, temporaryDatabase } from '#test/servers/mongodb-database.js';
import { freePort } from '#primitives/free-port.js';
import { eventually } from '#test/support/eventually.js';
import { coordinationContract } from '../contract.js';
import { ABSENT, CoordinationUnavailableError } from '../port.js';
import { openMongoCoordination, type MongoCoordination, type MongoCoordinationOptions } from './index.js';
import { whyNotInOneStep } from './one-step.fixture.js';

const notAtomic = new Map(
  await Promise.all(
    (testServers().mongodb ?? []).map(async ({ address }) => [address, await whyNotInOneStep(address)] as const),
  ),
);

describeWithServer('mongodb', ({ name, address }) => {
  let database = temporaryDatabase({ address });
  const clear = async () => {
    await database.drop();
    database = temporaryDatabase({ address });
  };
  const whyNot = notAtomic.get(address);
  const testAtOnce = whyNot === undefined ? test : test.skip;

  coordinationContract(name, (now) => openMongoCoordination({ address: database.address, now }), clear, {
    notAtomic: whyNot,
  });

  describe('coordination of several processes', () => {
    const opened: MongoCoordination[] = [];
    const open = async (options: Omit<MongoCoordinationOptions, 'address'> = {}) => {
      const coordination = await openMongoCoordination({ address: database.address, ...options });
      opened.push(coordination);
      return coordination;
    };
    afterEach(async () => {
      for (const coordination of opened.splice(0)) await coordination.close();
      await clear();
    });

    testAtOnce('64 callers never exceed a limit, and use it fully', async () => {
      const both = [await open(), await open()];
      const results = await Promise.all(
        Array.from({ length: 64 }, (_, n) => both[n % 2]!.increment('n', 1, 60_000, 40)),
      );
      expect(results.filter(({ applied }) => applied)).toHaveLength(40);
      expect(await both[0]!.increment('n', 0, 60_000)).toMatchObject({ value: 40 });
    });

    testAtOnce('64 callers add to a list by compare-and-set without losing an entry', async () => {
      const both = [await open(), await open()];
      const append = async (n: number) => {
        for (;;) {
          const coordination = both[n % 2]!;
          const entry = await coordination.get('list');
          const expected = entry ? ({ kind: 'version', version: entry.version } as const) : ABSENT;
          const list = (entry?.value ?? []) as number[];
          if (await coordination.compareAndSet('list', expected, [...list, n], 60_000)) return;
        }
      };
      await Promise.all(Array.from({ length: 64 }, (_, n) => append(n)));
      const list = (await both[0]!.get('list'))!.value as number[];
      expect(list.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_, n) => n));
    });

    testAtOnce('64 callers that create, delete and create again never see a version twice', async () => {
      const both = [await open(), await open()];
      const versions: number[] = [];
      await Promise.all(
        Array.from({ length: 64 }, async (_, n) => {
          const made = await both[n % 2]!.compareAndSet('k', ABSENT, n);
          if (made) versions.push(made.version);
          await both[n % 2]!.delete('k');
          const again = await both[n % 2]!.compareAndSet('k', ABSENT, n);
          if (again) versions.push(again.version);
        }),
      );
      expect(versions.length).toBeGreaterThan(0);
      expect(new Set(versions).size).toBe(versions.length);
    });

    it('versions increase even after expired entries were removed', async () => {
      let now = Date.UTC(2030, 0, 1);
      const coordination = await open({ now: () => now });
      const first = (await coordination.compareAndSet('k', ABSENT, 1))!;
      const second = (await coordination.compareAndSet('k', { kind: 'version', version: first.version }, 2))!;
      await coordination.compareAndSet('kept', ABSENT, 1);
      await coordination.increment('n', 1, 1000);
      const lease = (await coordination.acquireLease('l', 'me', 1000))!;
      await coordination.delete('k');
      now += 48 * 3_600_000;
      await coordination.sweep();
      const left = await inDatabase(database.address, async (client) => {
        const names = ['entries', 'counters', 'leases'];
        return Promise.all(names.map((each) => client.db().collection(`coordination_${each}`).countDocuments()));
      });
      expect(left).toEqual([1, 0, 0]);
      expect((await coordination.compareAndSet('k', ABSENT, 3))!.version).toBeGreaterThan(second.version);
      expect((await coordination.acquireLease('l', 'you', 1000))!.token).toBeGreaterThan(lease.token);
    });

    it('numbers stay exact far beyond 32 bits', async () => {
      const coordination = await open();
      await inDatabase(database.address, (client) =>
        client
          .db()
          .collection<{ _id: string; last: number }>('coordination_sequence')
          .insertOne({ _id: 'lives', last: 3e9 }),
      );
      const first = (await coordination.compareAndSet('k', ABSENT, 1))!;
      expect(first.version).toBeGreaterThan(3e15);
      const second = (await coordination.compareAndSet('k', { kind: 'version', version: first.version }, 2))!;
      expect(second.version).toBe(first.version + 1);
      expect(await coordination.get('k')).toEqual(second);
    });

    describe('coordination between clocks that differ', () => {
      let time: number;
      beforeEach(() => (time = 0));
      const off = (by: number) => open({ now: () => Date.UTC(2030, 0, 1) + time + by, monotonic: () => time + by });

      it.each([
        ['ahead', 3_600_000],
        ['behind', -3_600_000],
      ])(
        'a challenger an hour %s takes a lease a full term after it last saw it extended, not before',
        async (_, by) => {
          const [holder, challenger] = [await off(0), await off(by)];
          const held = (await holder.acquireLease('l', 'holder', 1000))!;
          expect(await challenger.acquireLease('l', 'challenger', 1000)).toBeNull();
          time += 900;
          expect(await holder.acquireLease('l', 'holder', 1000)).toEqual(held);
          time += 900;
          // Longer than a term after it was first seen; but it was extended since.
          expect(await challenger.acquireLease('l', 'challenger', 1000)).toBeNull();
          time += 999;
          expect(await challenger.acquireLease('l', 'challenger', 1000)).toBeNull();
          time += 1;
          const taken = (await challenger.acquireLease('l', 'challenger', 1000))!;
          expect(taken.token).toBeGreaterThan(held.token);
          expect(await holder.acquireLease('l', 'holder', 1000)).toBeNull();
        },
      );

      it('a process that finds an abandoned lease late still waits a term', async () => {
        const [holder, challenger] = [await off(0), await off(0)];
        await holder.acquireLease('l', 'holder', 1000);
        time += 60_000;
        expect(await challenger.acquireLease('l', 'challenger', 1000)).toBeNull();
        time += 1000;
        expect(await challenger.acquireLease('l', 'challenger', 1000)).not.toBeNull();
      });

      testAtOnce('one of two simultaneous challengers gets it', async () => {
        const all = [await off(0), await off(50_000), await off(-50_000)];
        await all[0]!.acquireLease('l', 'holder', 1000);
        const challenge = () => Promise.all([1, 2].map((n) => all[n]!.acquireLease('l', `challenger ${n}`, 1000)));
        expect(await challenge()).toEqual([null, null]);
        time += 1000;
        expect((await challenge()).filter((lease) => lease !== null)).toHaveLength(1);
      });

      it('a holder that returns after its term has a new token', async () => {
        const holder = await off(0);
        const first = (await holder.acquireLease('l', 'holder', 1000))!;
        time += 1000;
        expect((await holder.acquireLease('l', 'holder', 1000))!.token).toBeGreaterThan(first.token);
      });
    });
  });

  it('a missing server is unavailable within seconds, and no secret is shown', async () => {
    const coordination = await openMongoCoordination({ address: 'mongodb://127.0.0.1:9/anneal' });
    const asked = [
      coordination.get('secret'),
      coordination.compareAndSet('secret', ABSENT, 1),
      coordination.increment('secret', 1, 1000),
      coordination.acquireLease('secret', 'me', 1000),
      coordination.delete('secret'),
    ];
    for (const outcome of await Promise.allSettled(asked)) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: expect.any(CoordinationUnavailableError) as unknown,
      });
      expect(String((outcome as PromiseRejectedResult).reason)).not.toContain('secret');
    }
    await coordination.close();
  });

  describeWithServer('toxiproxy', ({ address: control }) => {
    let proxy: Proxy;
    let coordination: MongoCoordination;
    beforeEach(async () => {
      const listen = await freePort();
      proxy = await new Toxiproxy(control).createProxy({
        name: `coordination-${randomUUID()}`,
        listen: `127.0.0.1:${listen}`,
        upstream: await primaryOf(database),
      });
      coordination = await openMongoCoordination({ address: byPort(database, listen) });
    });
    afterEach(async () => {
      await coordination.close();
      await proxy.remove();
      await clear();
    });

    it('a network that drops answers makes it unavailable at its deadline; it recovers by itself', async () => {
      const entry = (await coordination.compareAndSet('k', ABSENT, 'kept'))!;
      await proxy.addToxic({
        name: 'silence',
        type: 'timeout',
        stream: 'downstream',
        toxicity: 1,
        attributes: { timeout: 0 },
      });
      await expect(coordination.increment('n', 1, 60_000)).rejects.toThrow(CoordinationUnavailableError);
      await expect(coordination.get('k')).rejects.toThrow(CoordinationUnavailableError);
      await (await proxy.getToxic('silence')).remove();
      expect(await eventually(() => coordination.get('k'))).toEqual(entry);
      // The increment whose answer was lost was made once or not at all.
      expect([1, 2]).toContain((await coordination.increment('n', 1, 60_000)).value);
    });

    it('a server that was unavailable is used again once it is back', async () => {
      const entry = (await coordination.compareAndSet('k', ABSENT, 'kept'))!;
      const { listen, upstream } = proxy;
      const enable = (enabled: boolean) => proxy.update({ enabled, listen, upstream });
      await enable(false);
      await expect(coordination.get('k')).rejects.toThrow(CoordinationUnavailableError);
      await enable(true);
      expect(await eventually(() => coordination.get('k'))).toEqual(entry);
    });
  });
});
