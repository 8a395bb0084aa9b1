import { given } from '#test/support/given.js';
import { standingFrom } from '#test/support/standing-from.js';
import { ledgerDecider, ledgerOf, monthOf, standingOf, type MonthlyLedger } from './index.js';

const entry = { entryId: 'id-of-entry', teamId: 't1', month: '2030-01', at: given.now };
const of = { teamId: 't1', month: '2030-01' };

describe('ledger', () => {
  it('records a top-up once', () => {
    given(ledgerDecider, [])
      .when({ type: 'top-up', ...of, amount: 5n })
      .then([{ type: 'credits-topped-up.v1', data: { ...entry, amount: '5' } }]);
  });

  it('accepts negative corrections, which may name a call', () => {
    given(ledgerDecider, [])
      .when({ type: 'correct', ...of, amount: -3n, reason: 'refund', inferenceId: 'i1' })
      .then([{ type: 'credits-corrected.v1', data: { ...entry, amount: '-3', reason: 'refund', inferenceId: 'i1' } }]);
  });

  it('records low credits once, until the next entry', () => {
    const note = { type: 'note-low-credits', ...of } as const;
    const low = { type: 'credits-ran-low.v1', data: { ...entry, entryId: 'e1' } } as const;
    const toppedUp = { type: 'credits-topped-up.v1', data: { ...entry, entryId: 'e2', amount: '5' } } as const;
    given(ledgerDecider, [])
      .when(note)
      .then([{ type: 'credits-ran-low.v1', data: entry }]);
    given(ledgerDecider, [low]).when(note).then([]);
    given(ledgerDecider, [low, toppedUp])
      .when(note)
      .then([{ type: 'credits-ran-low.v1', data: entry }]);
  });

  it('records limits when they change', () => {
    const set = { type: 'monthly-credits-set.v1', data: { ...entry, entryId: 'e0', amount: '7' } } as const;
    given(ledgerDecider, [set])
      .when({ type: 'set-monthly-credits', ...of, amount: 7n })
      .then([]);
    given(ledgerDecider, [])
      .when({ type: 'set-overage-ceiling', ...of, amount: null })
      .then([{ type: 'overage-ceiling-set.v1', data: { ...entry, amount: null } }]);
  });

  it.each([
    { type: 'top-up', ...of, amount: 0n },
    { type: 'top-up', ...of, amount: -1n },
    { type: 'correct', ...of, amount: 0n, reason: 'mistake', inferenceId: null },
    { type: 'set-monthly-credits', ...of, amount: -1n },
    { type: 'set-overage-ceiling', ...of, amount: -1n },
  ] as const)('refuses $type of $amount', (command) => {
    given(ledgerDecider, []).when(command).thenRefused('invalid');
  });
});

const month = (name: string, ledger: Partial<MonthlyLedger>) => ({
  month: name,
  ledger: { entries: new Set<string>(), paidIn: 0n, ...ledger },
});

describe("a team's standing", () => {
  it('uses included credits first, then the paid balance', () => {
    const terms = { included: 10n, ceiling: null };
    expect(standingOf(terms, 5n, 4n)).toMatchObject({ overage: 0n, balance: 5n, limit: 15n, available: 11n });
    expect(standingOf(terms, 5n, 12n)).toMatchObject({ overage: 2n, balance: 3n, available: 3n });
    expect(standingOf(terms, 5n, 15n)).toMatchObject({ balance: 0n, available: 0n });
  });

  it("limits a month's draw from the paid balance by the ceiling", () => {
    expect(standingOf({ included: 10n, ceiling: 2n }, 50n, 11n)).toMatchObject({ limit: 12n, available: 1n });
  });

  it('leaves the included credits usable with a negative balance', () => {
    expect(standingOf({ included: 10n, ceiling: null }, -5n, 0n)).toMatchObject({ limit: 10n, balance: -5n });
  });

  it('renews included credits each month, while overage stays spent and limits hold until they are set again', () => {
    const ledger = ledgerOf([
      month('2030-01', { paidIn: 100n, included: 10n, ceiling: 50n }),
      month('2030-02', { paidIn: 5n }),
      month('2030-03', { included: 20n, ceiling: null }),
    ]);
    const spent = new Map([
      ['2030-01', 30n],
      ['2030-02', 4n],
      ['2030-03', 21n],
    ]);
    expect(standingFrom(ledger, spent, '2030-02')).toMatchObject({ included: 10n, ceiling: 50n, paidBefore: 85n });
    expect(standingFrom(ledger, spent, '2030-03')).toMatchObject({
      included: 20n,
      ceiling: null,
      paidBefore: 85n,
      overage: 1n,
      balance: 84n,
    });
    expect(standingFrom(ledger, spent, '2031-01')).toMatchObject({ used: 0n, balance: 84n });
  });

  it('counts months in UTC', () => {
    expect(monthOf('2030-01-31T23:59:59.999Z')).toBe('2030-01');
  });
});
