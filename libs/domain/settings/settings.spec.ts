import { given } from '#test/support/given.js';
import { sentenceOf, settingsDecider, type ChangedValue } from './index.js';

const changed = (...changes: readonly ChangedValue[]) =>
  ({ type: 'settings-changed.v1', data: { of: 'api', changes, foundAt: given.now } }) as const;
const found = (values: Readonly<Record<string, string>>) =>
  ({
    type: 'record-values',
    of: 'api',
    found: Object.entries(values).map(([name, value]) => ({ name, value })),
  }) as const;
const A = { name: 'A', before: null, after: '1' };

describe('the record of settings', () => {
  it('has nothing while all have their defaults', () => {
    given(settingsDecider, []).when(found({})).then([]);
  });

  it('has what is set, what changed and what was removed, by name, and not what stayed', () => {
    given(settingsDecider, [])
      .when(found({ A: '1' }))
      .then([changed(A)]);
    given(settingsDecider, [
      changed(A, { name: 'C', before: null, after: '3' }, { name: 'S', before: null, after: 's' }),
    ])
      .when(found({ S: 's', B: '2', A: '7' }))
      .then([
        changed(
          { name: 'A', before: '1', after: '7' },
          { name: 'B', before: null, after: '2' },
          { name: 'C', before: '3', after: null },
        ),
      ]);
  });

  it('takes a secret that is hashed under an earlier key for the same', () => {
    given(settingsDecider, [changed({ name: 'A', before: null, after: 'old-hash' })])
      .when({ ...found({}), found: [{ name: 'A', value: 'new-hash', alike: ['new-hash', 'old-hash'] }] })
      .then([]);
  });

  it('is several events where very much changed', () => {
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`m${n}`, 'x']));
    const events = settingsDecider.decide(found(many), settingsDecider.initial, { now: given.now, newId: () => '' });
    expect(events.map(({ data }) => data.changes.length)).toEqual([500, 500, 1]);
  });

  it.each([
    [A, 'api', 'ada', 'A was set to 1, found at the start of api by ada'],
    [{ ...A, before: '0' }, 'worker', null, 'A changed from 0 to 1, found at the start of worker'],
    [
      { name: 'A', before: '0', after: null },
      'catalog',
      null,
      'A was removed (was 0), found in the files of models and providers',
    ],
  ] as const)('says in a sentence what changed: %#', (change, of, by, sentence) => {
    expect(sentenceOf(change, of, by)).toBe(sentence);
  });
});
