import { expectLiveEqualsRebuilt, type EventInLog } from '#test/support/live-equals-rebuilt.js';
import { charges, chargesId } from './projection.js';

const event = (type: string, inferenceId: string, chargedTo: string | null, costPicodollars = '0'): EventInLog => ({
  type,
  data: { inferenceId, teamId: 't1', chargedTo, costPicodollars, at: '2030-02-01T00:00:00.000Z' },
});
const opened = (id: string, chargedTo: string | null) => event('call-opened.v1', id, chargedTo);
const metered = (id: string, chargedTo: string | null, cost: string) => event('call-metered.v1', id, chargedTo, cost);

describe('the read model of charges', () => {
  it('sums the charges of each allotment, in the month that paid them', async () => {
    const documents = await expectLiveEqualsRebuilt(charges, [
      metered('i1', '2030-01/h.1', '5'),
      metered('i2', '2030-01/h.1', '6'),
      metered('i3', '2030-02/h.2', '7'),
      metered('i4', null, '8'),
    ]);
    const cost = (month: string, holder: string | null) => documents.get(chargesId('t1', month, holder))?.['cost'];
    expect([cost('2030-01', 'h.1'), cost('2030-02', 'h.2'), cost('2030-02', null)]).toEqual(['11', '7', '8']);
  });

  it('tracks open calls', async () => {
    const documents = await expectLiveEqualsRebuilt(charges, [
      opened('i1', '2030-01/h.1'),
      opened('i2', '2030-01/h.1'),
      metered('i1', '2030-01/h.1', '5'),
    ]);
    expect(documents.get(chargesId('t1', '2030-01', 'h.1'))).toMatchObject({ open: ['i2'], cost: '5' });
  });
});
