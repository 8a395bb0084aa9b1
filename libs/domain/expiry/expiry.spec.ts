import { given } from '#test/support/given.js';
import { expiryDecider, type Expired } from './index.js';

const expired: Expired = {
  ...{ workspaceId: 'w1', kind: 'calls', day: '2030-07-05', before: '2030-01-02T00:00:00.000Z' },
  ...{ erased: 3, held: 1, inUse: 0 },
};

describe('expiries of a day', () => {
  it('are recorded once for each kind', () => {
    const recorded = { type: 'retention-applied.v1', data: { ...expired, appliedAt: given.now } } as const;
    given(expiryDecider, [])
      .when({ type: 'record-expiry', ...expired })
      .then([recorded]);
    given(expiryDecider, [recorded])
      .when({ type: 'record-expiry', ...expired, erased: 0 })
      .then([]);
    given(expiryDecider, [recorded])
      .when({ type: 'record-expiry', ...expired, kind: 'dataset_versions' })
      .then([{ ...recorded, data: { ...recorded.data, kind: 'dataset_versions' } }]);
  });
});
