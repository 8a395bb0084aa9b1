import { given } from '#test/support/given.js';
import { allowsModel, apiKeyDecider, budgetSpan, type KeyLimitChanges, type KeyLimits } from './index.js';

const key = {
  keyId: 'k1',
  keyHash: 'abc',
  userId: 'u1',
  teamId: 't1',
  workspaceId: 'w1',
  name: 'ci',
  lastDigits: 'wxyz',
  expiresAt: null,
};
const create = { type: 'create-api-key', ...key } as const;
const created = { type: 'api-key-created.v1', data: { ...key, createdAt: given.now } } as const;
const revoke = { type: 'revoke-api-key', keyId: 'k1', userId: 'u1' } as const;
const revoked = { type: 'api-key-revoked.v1', data: { keyId: 'k1', revokedAt: given.now } } as const;

describe('API key', () => {
  it('is created once', () => {
    given(apiKeyDecider, []).when(create).then([created]);
    given(apiKeyDecider, [created]).when(create).then([]);
  });

  it('is refused for a secret that already has a key, even a revoked one', () => {
    given(apiKeyDecider, [created, revoked])
      .when({ ...create, keyId: 'k2' })
      .thenRefused('conflict');
  });

  it('cannot be created expired', () => {
    given(apiKeyDecider, [])
      .when({ ...create, expiresAt: given.now })
      .thenRefused('invalid');
  });

  describe('with limits', () => {
    const limits = {
      models: ['qwen/*', 'tickets'],
      requestsPerMinute: 60,
      budget: '5000000000000',
      budgetPeriod: 'day',
    } as const;
    const limited = { ...created, data: { ...created.data, limits } };
    const limit = (changes: KeyLimitChanges) =>
      ({ type: 'limit-api-key', keyId: 'k1', userId: 'u1', changes }) as const;
    const changed = (before: KeyLimits, after: KeyLimits) =>
      ({
        type: 'api-key-limits-changed.v1',
        data: { keyId: 'k1', before, limits: after, changedAt: given.now },
      }) as const;

    it('is created with those that were asked for', () => {
      given(apiKeyDecider, [])
        .when({ ...create, limits: { ...limits, tokensPerMinute: null } })
        .then([limited]);
      given(apiKeyDecider, [])
        .when({ ...create, limits: { models: null } })
        .then([created]);
    });

    it('changes those that are named, and lifts those that are null', () => {
      given(apiKeyDecider, [created])
        .when(limit({ tokensPerMinute: 9 }))
        .then([changed({}, { tokensPerMinute: 9 })]);
      const { models, requestsPerMinute } = limits;
      given(apiKeyDecider, [limited])
        .when(limit({ budget: null, requestsPerMinute: 5 }))
        .then([changed(limits, { models, requestsPerMinute: 5 })]);
      given(apiKeyDecider, [limited, changed(limits, { models, requestsPerMinute })])
        .when(limit({ models: null, requestsPerMinute: null }))
        .then([changed({ models, requestsPerMinute }, {})]);
      given(apiKeyDecider, [limited])
        .when(limit({ requestsPerMinute: 60 }))
        .then([]);
    });

    it('say when the budget was changed, for as long as it stays', () => {
      const [five, budgetChangedAt] = ['5000000000000', given.now];
      given(apiKeyDecider, [created])
        .when(limit({ budget: five }))
        .then([changed({}, { budget: five, budgetChangedAt })]);
      const { budget: _, budgetPeriod: __, ...others } = limits;
      given(apiKeyDecider, [limited, changed(limits, others)])
        .when(limit({ budget: five, budgetPeriod: 'day' }))
        .then([changed(others, { ...limits, budgetChangedAt })]);
      const earlier = { budget: five, budgetChangedAt: '2026-01-01T00:00:00.000Z' };
      given(apiKeyDecider, [created, changed({}, earlier)])
        .when(limit({ budget: five, requestsPerMinute: 5 }))
        .then([changed(earlier, { ...earlier, requestsPerMinute: 5 })]);
    });

    it.each<[KeyLimitChanges]>([
      [{ models: [] }],
      [{ models: ['a*b'] }],
      [{ models: [''] }],
      [{ requestsPerMinute: 0 }],
      [{ tokensPerMinute: 1.5 }],
      [{ budget: '0' }],
      [{ budgetPeriod: 'day' }],
    ])('refuses %j', (changes) => {
      given(apiKeyDecider, [created]).when(limit(changes)).thenRefused('invalid');
    });

    it('are not changed by another member, or once it is revoked', () => {
      given(apiKeyDecider, [created])
        .when({ ...limit({ requestsPerMinute: 1 }), userId: 'u2' })
        .thenRefused('not_found');
      given(apiKeyDecider, [created, revoked])
        .when(limit({ requestsPerMinute: 1 }))
        .thenRefused('conflict');
    });

    it('allow models by their names, and by a beginning with *', () => {
      expect(['qwen/qwen3-4b', 'tickets', 'tickets-2', 'meta/x'].map((id) => allowsModel(limits, [id]))).toEqual([
        ...[true, true, false, false],
      ]);
      expect(allowsModel(limits, ['alias', null, 'tickets'])).toBe(true);
    });

    it('have budgets of days, weeks from Monday, months, or for life', () => {
      const at = Date.parse('2026-11-29T23:59:59.999Z');
      const spans = (['day', 'week', 'month', undefined] as const).map((period) => budgetSpan(period, at));
      expect(spans.map(({ label, endsAt }) => [label, endsAt && new Date(endsAt).toISOString().slice(0, 10)])).toEqual([
        ['day-2026-11-29', '2026-11-30'],
        ['week-2026-11-23', '2026-11-30'],
        ['month-2026-11-01', '2026-12-01'],
        ['life', null],
      ]);
    });
  });

  it('is revoked once', () => {
    given(apiKeyDecider, [created]).when(revoke).then([revoked]);
    given(apiKeyDecider, [created, revoked]).when(revoke).then([]);
  });

  it('of another member is not found', () => {
    given(apiKeyDecider, [created])
      .when({ ...revoke, userId: 'u2' })
      .thenRefused('not_found');
  });
});
