import { ledgerDecider, ledgerId } from '#domain/ledger/index.js';
import { systemContext } from '#log/context.js';
import { openTestWorker } from '#test/support/worker.js';
import { loadLedger, spentByMonth } from './credits-log.js';
import { creditsOf } from './credits-of.js';
import { Credits } from './credits.js';

it('credits keep the newest entry of the ledger, even if an older one is taken over late', async () => {
  const worker = await openTestWorker();
  const { application } = worker;
  const { coordination, eventStore } = application.ports;
  const credits = creditsOf(application);
  const { month } = credits;
  const topUp = async (amount: bigint) => {
    const command = { type: 'top-up', teamId: 't1', month, amount } as const;
    await application.execute(ledgerDecider, ledgerId('t1', month), command, systemContext('test', null));
    await credits.refresh('t1');
  };
  await topUp(100n);

  const [hasRead, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = new Credits(coordination, {
    async ledger(teamId) {
      const ledger = await loadLedger(application, teamId, new Date().toISOString());
      hasRead.resolve();
      await goesOn.promise;
      return ledger;
    },
    spentByMonth: (teamId) => spentByMonth(eventStore, teamId),
  });
  const late = slow.refresh('t1');
  await hasRead.promise;
  await topUp(200n);
  goesOn.resolve();
  await late;
  expect((await credits.read('t1'))!.paidIn).toBe(300n);
  await worker.close();
});
