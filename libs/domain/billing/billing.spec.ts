import { given } from '#test/support/given.js';
import { enforcementDecider } from './index.js';

const set = (enforced: boolean, cardRequired: boolean) =>
  ({ type: 'billing-enforcement-set.v1', data: { enforced, cardRequired, setAt: given.now } }) as const;

describe('enforcement of credits', () => {
  it('is off until it is set', () => {
    const off = { type: 'set-enforcement', enforced: false, cardRequired: false } as const;
    given(enforcementDecider, []).when(off).then([]);
    given(enforcementDecider, [])
      .when({ ...off, enforced: true })
      .then([set(true, false)]);
    given(enforcementDecider, [set(true, false)])
      .when(off)
      .then([set(false, false)]);
  });

  it('may start to require a card', () => {
    given(enforcementDecider, [set(true, false)])
      .when({ type: 'set-enforcement', enforced: true, cardRequired: true })
      .then([set(true, true)]);
  });
});
