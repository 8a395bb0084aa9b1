import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  coordinationService,
  openSqliteCoordination,
  type SqliteCoordination,
} from '#ports/coordination/sqlite/index.js';
import type { KeyLimits } from '#domain/api-key/index.js';
import { BillingError } from '#domain/errors.js';
import { UNREPORTED } from '#primitives/background/background.js';
import { startThread, type Thread } from '#primitives/thread/thread.js';
import type { Application } from '../application.js';
import { catchUpWithCosts } from './catch-up.js';
import { KeyBudgets, keyCreditsOf } from './key-budgets.js';
import { reclaimAllotments } from './reclaim.js';

const KEY = { id: 'k1', workspaceId: 'w1' };
const limits: KeyLimits = { budget: '1000', budgetPeriod: 'day' };

describe("a key's budget", () => {
  let clock: number;
  let directory: string;
  let thread: Thread;
  let coordination: SqliteCoordination;
  let application: Application;
  /** What the key's recorded calls have cost, by day. */
  let recorded: Record<string, string>;
  let opened: KeyBudgets[];
  beforeEach(async () => {
    clock = Date.UTC(2026, 10, 30, 12);
    recorded = {};
    opened = [];
    directory = await mkdtemp(join(tmpdir(), 'anneal-key-budgets-'));
    thread = await startThread([coordinationService({ directory, durability: 'normal' })]);
    coordination = openSqliteCoordination({ directory, thread, now: () => clock });
    const readStore = {
      get: async () => ({
        ...KEY,
        usageCost: String(Object.values(recorded).reduce((sum, cost) => sum + Number(cost), 0)),
      }),
      find: async (_: string, { range }: { range: { from: string; to: string } }) =>
        Object.entries(recorded).flatMap(([day, cost]) => (day >= range.from && day <= range.to ? [{ cost }] : [])),
    };
    application = { ports: { coordination, readStore }, background: UNREPORTED } as unknown as Application;
  });
  afterEach(async () => {
    for (const each of opened) each.allotments.abandon();
    await coordination.close();
    await thread.close();
    await rm(directory, { recursive: true });
  });

  const process = (): KeyBudgets => {
    const budgets = new KeyBudgets(application, { now: () => clock });
    opened.push(budgets);
    return budgets;
  };
  /** Whether a call that may cost so much is admitted; it costs `cost`. */
  const call = async (budgets: KeyBudgets, worstCase: bigint, cost: bigint, of = limits): Promise<boolean> => {
    try {
      (await budgets.reserve(KEY.id, of, worstCase))!.settle(cost);
      return true;
    } catch (error) {
      if (error instanceof BillingError) return false;
      throw error;
    }
  };

  it('is shared by processes, and begins anew with its period', async () => {
    const [first, second] = [process(), process()];
    expect(await call(first, 400n, 400n)).toBe(true);
    expect(await call(second, 601n, 0n)).toBe(false);
    expect(await call(second, 500n, 500n)).toBe(true);
    expect(await call(first, 101n, 0n)).toBe(false);
    clock = Date.UTC(2026, 11, 1);
    expect(await call(first, 1_000n, 1n)).toBe(true);
  });

  it('counts what calls of its period have cost before it was set or changed', async () => {
    recorded = { '2026-11-29': '900', '2026-11-30': '300' };
    expect([await call(process(), 701n, 0n), await call(process(), 700n, 0n)]).toEqual([false, true]);
    const month = { budget: '1300', budgetPeriod: 'month' } as const;
    expect([await call(process(), 101n, 0n, month), await call(process(), 100n, 0n, month)]).toEqual([false, true]);
    const life = { budget: '1201' };
    expect([await call(process(), 2n, 0n, life), await call(process(), 1n, 0n, life)]).toEqual([false, true]);
  });

  it('counts, when it is again as it was, what calls have cost since it was changed', async () => {
    expect(await call(process(), 100n, 100n)).toBe(true);
    recorded = { '2026-11-30': '900' };
    const again = { ...limits, budgetChangedAt: '2026-11-30T12:00:00.000Z' };
    expect([await call(process(), 101n, 0n, again), await call(process(), 100n, 0n, again)]).toEqual([false, true]);
  });

  it('gets back what a dead process held, less what its calls have cost on the log', async () => {
    const dead = process();
    expect(await call(dead, 900n, 50n)).toBe(true);
    dead.allotments.abandon();
    const [alive, credits] = [process(), keyCreditsOf(application, () => clock)];
    expect(await call(alive, 500n, 0n)).toBe(false);
    // Its call reached the log, and nothing else of it.
    recorded = { '2026-11-30': '50' };
    const charges = { spent: async (_: string, _month: string, _holder: string, reported: bigint) => reported };
    const reclaim = () => reclaimAllotments({ coordination, credits, charges, name: 'worker', now: () => clock });
    // The lease ends, the allotment is taken for ended, and its calls have had time to reach the log.
    for (const ms of [0, 16_000, 16_000, 80_000]) {
      clock += ms;
      await reclaim();
    }
    await catchUpWithCosts(credits, async () => 50n);
    expect([await call(alive, 951n, 0n), await call(alive, 950n, 0n)]).toEqual([false, true]);
  });

  it('is not asked for where a key has none', () => {
    expect(process().reserve(KEY.id, { requestsPerMinute: 5 }, 1n)).toBeNull();
  });
});
