import { expectLiveEqualsRebuilt } from '#test/support/live-equals-rebuilt.js';
import { ledger } from './projection.js';

const entry = { teamId: 't1', month: '2030-01', at: '2030-01-01T00:00:00.000Z' };

it('the read model of the ledger lists every entry', async () => {
  const documents = await expectLiveEqualsRebuilt(ledger, [
    { type: 'credits-topped-up.v1', data: { ...entry, entryId: 'e1', amount: '5' } },
    {
      type: 'credits-corrected.v1',
      data: { ...entry, entryId: 'e2', amount: '-1', reason: 'refund', inferenceId: 'i1' },
    },
    { type: 'monthly-credits-set.v1', data: { ...entry, entryId: 'e3', amount: '7' } },
    { type: 'overage-ceiling-set.v1', data: { ...entry, entryId: 'e4', amount: null } },
  ]);
  const of = ({ kind, amount, reason, inferenceId }: Record<string, unknown>) => [kind, amount, reason, inferenceId];
  expect([...documents.values()].map(of)).toEqual([
    ['top_up', '5', null, null],
    ['correction', '-1', 'refund', 'i1'],
    ['monthly_credits', '7', null, null],
    ['overage_ceiling', null, null, null],
  ]);
});
