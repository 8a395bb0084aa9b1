import { randomUUID } from 'node:crypto';
import type { Coordination } from '#ports/coordination/port.js';
import { lead, type Leadership, type LeadershipOptions, type LedWork } from './index.js';
import { Processes, type TestProcess } from './processes.fixture.js';

const TERM = 10_000;
/** A follower polls at least this often. */
const POLL = TERM * 0.3125;
/** A follower takes over within this time: one term after the poll that first saw the lease unchanged. */
const FOLLOWED = 2 * POLL;

interface Contender {
  readonly process: TestProcess;
  readonly leadership: Leadership;
  readonly errors: unknown[];
}

/**
 * The promises of leadership, checked on each adapter of coordination.
 * @param open opens one coordination per process, all on the same place within one test, with `now` as the clock
 */
export function leadershipSuite(name: string, open: (now: () => number) => Promise<Coordination>): void {
  describe(`leadership over ${name}`, () => {
    let processes: Processes;
    let history: string[];
    let working: Set<string>;
    let contenders: Contender[];
    let opened: Coordination[];

    const unique = randomUUID();
    let serial = 0;
    beforeEach(() => {
      serial += 1;
      processes = new Processes();
      history = [];
      working = new Set();
      contenders = [];
      opened = [];
    });
    afterEach(async () => {
      for (const { process, leadership } of contenders) {
        process.network = 'up';
        await process.continue();
        await leadership.close();
      }
      for (const coordination of opened) await coordination.close();
    });
    const openOwn = async (): Promise<Coordination> => {
      const coordination = await open(() => processes.now);
      opened.push(coordination);
      return coordination;
    };

    const work = (who: string) => async (): Promise<LedWork> => {
      history.push(`${who} begins`);
      working.add(who);
      return {
        async close() {
          history.push(`${who} ends`);
          working.delete(who);
        },
      };
    };

    async function campaign(
      who: string,
      does = work(who),
      options: Partial<LeadershipOptions> = {},
    ): Promise<Contender> {
      const process = processes.start(await openOwn());
      const errors: unknown[] = [];
      const leadership = lead(
        {
          leases: process,
          clock: process,
          name: `${unique}-${serial}`,
          holder: who,
          termMs: TERM,
          random: () => 0.5,
          onError: (error) => errors.push((error as Error).message),
          ...options,
        },
        does,
      );
      const contender = { process, leadership, errors };
      contenders.push(contender);
      await processes.settle();
      return contender;
    }

    it('goes to the first at once, who keeps it; the others follow', async () => {
      const a = await campaign('a');
      const b = await campaign('b');
      await a.leadership.started;
      await processes.pass(10 * TERM);
      expect(history).toEqual(['a begins']);
      expect(a.leadership.status()).toEqual({ name: `${unique}-${serial}`, role: 'leader', holder: 'a' });
      expect(b.leadership.status()).toMatchObject({ role: 'follower', holder: 'b' });
    });

    it("ends a closing leader's work before it is released, and another takes it at its next poll", async () => {
      const a = await campaign('a');
      await campaign('b');
      await processes.pass(TERM);
      await a.leadership.close();
      await processes.pass(POLL);
      expect(history).toEqual(['a begins', 'a ends', 'b begins']);
    });

    it('is not taken again by a renewal that is pending when it closes', async () => {
      const a = await campaign('a');
      const held = Promise.withResolvers<void>();
      const other = await openOwn();
      a.process.acquireLease = async (...args) => {
        await held.promise;
        return other.acquireLease(...args);
      };
      await processes.pass(TERM / 4);
      const closed = a.leadership.close();
      await processes.settle();
      held.resolve();
      await closed;
      await campaign('b');
      expect(history).toEqual(['a begins', 'a ends', 'b begins']);
    });

    it('passes from a killed leader after a whole term, not before', async () => {
      const a = await campaign('a');
      await campaign('b');
      await processes.pass(TERM / 4);
      a.process.stop();
      await processes.pass(TERM - 1);
      expect(history).toEqual(['a begins']);
      await processes.pass(FOLLOWED + 1);
      expect(history).toEqual(['a begins', 'b begins']);
    });

    it('ends the work of a suspended leader once it runs again, and makes it a follower', async () => {
      const a = await campaign('a');
      const b = await campaign('b');
      a.process.stop();
      await processes.pass(3 * TERM);
      expect(history).toEqual(['a begins', 'b begins']);
      expect(a.leadership.status().role).toBe('leader');
      await a.process.continue();
      expect(history).toEqual(['a begins', 'b begins', 'a ends']);
      expect(a.leadership.status().role).toBe('follower');
      await processes.pass(3 * TERM);
      expect(b.leadership.status().role).toBe('leader');
      await b.leadership.close();
      await processes.pass(POLL);
      expect(history.slice(3)).toEqual(['b ends', 'a begins']);
    });

    it('starts again with a suspended leader that no other replaced', async () => {
      const a = await campaign('a');
      a.process.stop();
      await processes.pass(3 * TERM);
      await a.process.continue();
      await processes.pass(POLL);
      expect(history).toEqual(['a begins', 'a ends', 'a begins']);
    });

    it('continues for three quarters of a term while coordination is unavailable, and ends before another may start', async () => {
      const a = await campaign('a');
      const b = await campaign('b');
      await processes.pass(TERM);
      a.process.network = 'down';
      await processes.pass(TERM / 2);
      expect(working).toEqual(new Set(['a']));
      await processes.pass(TERM / 4);
      expect(history).toEqual(['a begins', 'a ends']);
      await processes.pass(TERM / 4);
      expect(a.leadership.status().role).toBe('unreachable');
      await processes.pass(FOLLOWED);
      expect(history).toEqual(['a begins', 'a ends', 'b begins']);
      a.process.network = 'up';
      await processes.pass(POLL);
      expect(a.leadership.status().role).toBe('follower');
      expect(b.leadership.status().role).toBe('leader');
    });

    it.each([0.8, 1.5])(
      'is back within a second of coordination that was away from all for %s of a term',
      async (terms) => {
        const all = [await campaign('a'), await campaign('b')];
        await processes.pass(TERM);
        for (const { process } of all) process.network = 'down';
        await processes.pass(terms * TERM);
        expect(history).toEqual(['a begins', 'a ends']);
        for (const { process } of all) process.network = 'up';
        await processes.pass(1_000);
        expect(history.slice(2)).toEqual([expect.stringContaining('begins')]);
      },
    );

    it('survives a short outage without interruption', async () => {
      const a = await campaign('a');
      await processes.pass(TERM);
      a.process.network = 'down';
      await processes.pass(TERM / 2);
      a.process.network = 'up';
      await processes.pass(5 * TERM);
      expect(history).toEqual(['a begins']);
    });

    it('also ends if coordination hangs instead of failing', async () => {
      const a = await campaign('a');
      await campaign('b');
      a.process.network = 'silent';
      await processes.pass(TERM + FOLLOWED);
      expect(history).toEqual(['a begins', 'a ends', 'b begins']);
      contenders.shift();
    });

    it('reports work that cannot start, passes to others, and retries ever less often', async () => {
      let tries = 0;
      const failing = async (): Promise<LedWork> => {
        tries += 1;
        throw new Error('no room');
      };
      const a = await campaign('a', failing);
      await expect(a.leadership.started).rejects.toThrow('no room');
      await processes.pass(999);
      expect(tries).toBe(1);
      await processes.pass(1);
      expect(tries).toBe(2);
      await processes.pass(1_999);
      expect(tries).toBe(2);
      await processes.pass(1);
      expect([tries, a.errors]).toEqual([3, ['no room', 'no room', 'no room']]);
      await campaign('b');
      expect(history).toEqual(['b begins']);
    });

    it('closes work that ends by itself, reports it, and starts it again', async () => {
      const crash = Promise.withResolvers<never>();
      let times = 0;
      const crashing = async (): Promise<LedWork> => ({
        ...(await work('a')()),
        ...((times += 1) === 1 && { ended: crash.promise }),
      });
      const a = await campaign('a', crashing);
      crash.reject(new Error('out of memory'));
      await processes.pass(1_000);
      expect(history).toEqual(['a begins', 'a ends', 'a begins']);
      expect(a.errors).toEqual(['out of memory']);
      await processes.pass(5 * TERM);
      expect(working).toEqual(new Set(['a']));
    });

    it('that expires while its work is starting signals this, and closes the work once started', async () => {
      const begun = Promise.withResolvers<void>();
      let over: AbortSignal | undefined;
      const slow = async (signal?: AbortSignal): Promise<LedWork> => {
        over = signal;
        await begun.promise;
        return work('a')();
      };
      const a = await campaign('a', slow);
      a.process.network = 'down';
      expect(over!.aborted).toBe(false);
      await processes.pass(TERM);
      expect(over!.aborted).toBe(true);
      begun.resolve();
      await processes.settle();
      expect(history).toEqual(['a begins', 'a ends']);
    });

    it("never runs two leaders' work at once without an outage, whoever comes, goes or dies", async () => {
      let seed = 42;
      const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
      let most = 0;
      let terms = 0;
      for (let step = 0; step < 60; step += 1) {
        const who = `${step}`;
        const living = contenders.filter(({ process }) => process.nextDue() < Infinity);
        if (living.length < 3) await campaign(who, async () => ((terms += 1), work(who)()), { random });
        else {
          const index = contenders.indexOf(living[Math.floor(random() * living.length)]!);
          const [{ process, leadership }] = contenders.splice(index, 1) as [Contender];
          if (random() < 0.5) await leadership.close();
          else {
            process.stop();
            working.delete(leadership.status().holder);
          }
        }
        for (let part = 0; part < 4; part += 1) {
          await processes.pass(random() * TERM * 0.6);
          most = Math.max(most, working.size);
        }
      }
      expect(most).toBe(1);
      expect(terms).toBeGreaterThan(5);
    });
  });
}
