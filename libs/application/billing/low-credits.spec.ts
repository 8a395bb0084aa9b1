import { systemContext } from '#log/context.js';
import { ENFORCEMENT, enforcementDecider } from '#domain/billing/index.js';
import { ledgerDecider, ledgerId } from '#domain/ledger/index.js';
import { openTestWorker, type TestWorker } from '#test/support/worker.js';
import { creditsOf } from './credits-of.js';
import type { Credits } from './credits.js';
import { withAllotment, withMonth } from './held-credits.js';
import { noteLowCredits } from './low-credits.js';

describe('low credits', () => {
  let worker: TestWorker;
  let credits: Credits;
  let month: string;
  beforeEach(async () => {
    worker = await openTestWorker();
    credits = creditsOf(worker.application);
    ({ month } = credits);
  });
  afterEach(() => worker.close());

  const enforce = (enforced: boolean) => {
    const command = { type: 'set-enforcement', enforced, cardRequired: false } as const;
    return worker.application.execute(enforcementDecider, ENFORCEMENT, command, systemContext('test', null));
  };
  async function topUp(teamId: string, amount: bigint) {
    const command = { type: 'top-up', teamId, month, amount } as const;
    await worker.application.execute(ledgerDecider, ledgerId(teamId, month), command, systemContext('test', null));
    await credits.refresh(teamId);
  }
  const spend = (teamId: string, spent: bigint) =>
    credits.change(teamId, (held) => ({
      held: withAllotment(withMonth(held, month), month, 'holder', { taken: spent, spent, endedAt: null }),
    }));
  /** @returns the teams of all notes so far */
  async function noted() {
    await noteLowCredits(worker.application, credits);
    const filter = { types: ['credits-ran-low.v1'] };
    const events = await Array.fromAsync(worker.application.ports.eventStore.readAll({ filter }));
    return events.map(({ data }) => data['teamId']);
  }

  it('are recorded once below a tenth, and again after a top-up', async () => {
    await enforce(true);
    for (const teamId of ['t1', 't2']) await topUp(teamId, 1_000n);
    await spend('t1', 900n);
    await spend('t2', 0n);
    expect(await noted()).toEqual([]);
    await spend('t1', 990n);
    expect(await noted()).toEqual(['t1']);
    expect(await noted()).toEqual(['t1']);
    await topUp('t1', 10n);
    expect(await noted()).toEqual(['t1', 't1']);
    await topUp('t1', 1_000n);
    expect(await noted()).toEqual(['t1', 't1']);
  });

  it('are ignored while credits are not enforced', async () => {
    await topUp('t1', 1_000n);
    await spend('t1', 1_000n);
    expect(await noted()).toEqual([]);
  });
});
