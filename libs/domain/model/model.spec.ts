import { given } from '#test/support/given.js';
import { fold } from '../decider.js';
import {
  isModelName,
  modelDecider,
  modelNameFor,
  modelReferenceOf,
  referredVersion,
  type ModelEvent,
  type NamedModel,
} from './index.js';

const address = { modelId: 's1', workspaceId: 'w1', name: 'tickets', actor: 'key:k1' };
const named = { ...address, at: given.now };
const earlier = { ...named, at: '2030-01-01T00:00:00.000Z' };
const created: ModelEvent = { type: 'model-created.v1', data: { ...earlier, description: null } };
const added = (version: number): ModelEvent => ({
  type: 'model-version-added.v1',
  data: { ...earlier, version, target: `job-${version}`, trainingJobId: `job-${version}`, baseModel: 'base' },
});
const promoted = (version: number, previous: number | null, rollback = false): ModelEvent => ({
  type: 'model-version-promoted.v1',
  data: { ...named, version, previous, rollback, reason: 'better' },
});
const three = [created, added(1), added(2), added(3)];
const inUse = [...three, promoted(1, null), promoted(2, 1)];
const promote = (version: number) => ({ type: 'promote-version', ...address, version, reason: 'better' }) as const;
const rollBack = (version: number) => ({ type: 'roll-back', ...address, version, reason: 'better' }) as const;
const stateOf = (events: readonly ModelEvent[]) => fold(modelDecider, events) as NamedModel;

describe('a model name', () => {
  it.each([
    ['tickets', { name: 'tickets', ref: null }],
    ['tickets@7', { name: 'tickets', ref: { version: 7 } }],
    ['tickets@candidate', { name: 'tickets', ref: { label: 'candidate' } }],
    ['tickets@', null],
    ['tickets@7th', null],
    ['tickets@0', null],
    ['a@b@c', null],
    ['anneal/encoder-base-v1', null],
    ['0190f3c4-0000-7000-8000-000000000000', null],
  ])('%s is read as %j', (id, expected) => {
    expect(modelReferenceOf(id)).toEqual(expected);
  });

  it.each(['', 'Tickets', 'a b', 'a/b', 'a@b', '-a', 'a'.repeat(65), '0190f3c4-0000-7000-8000-000000000000'])(
    'cannot be %j',
    (name) => {
      expect(isModelName(name)).toBe(false);
      given(modelDecider, [])
        .when({ type: 'create-model', ...address, name, description: null })
        .thenRefused('invalid');
    },
  );
});

describe('the name of a model in words', () => {
  it.each([
    ['Trip finder', 'trip-finder'],
    ['tickets_2.1', 'tickets_2.1'],
    ['  Süße Äpfel! ', 'su-e-apfel'],
    ['-'.repeat(80) + 'a', 'a'],
    ['x'.repeat(100), 'x'.repeat(64)],
    ['日本', null],
    ['0190f3c4-0000-7000-8000-000000000000', null],
  ])('%j is %j', (words, name) => {
    expect(modelNameFor(words)).toBe(name);
  });
});

describe('a model that a training made', () => {
  const { actor } = address;
  const source = { target: 'job-9', trainingJobId: 'job-9', baseModel: 'base' };
  const trained = { type: 'add-trained', ...address, ...source, promotes: true } as const;
  const addedAs = (version: number): ModelEvent => ({
    type: 'model-version-added.v1',
    data: { ...named, ...source, version },
  });
  const candidate = (version: number, previous: number | null): ModelEvent => ({
    type: 'model-label-set.v1',
    data: { ...named, label: 'candidate', version, previous, reason: null },
  });
  const firstUse: ModelEvent = {
    type: 'model-version-promoted.v1',
    data: { ...named, version: 1, previous: null, rollback: false, reason: 'the first one trained with this name' },
  };
  const byTraining: ModelEvent = {
    type: 'model-created.v1',
    data: { ...named, description: null, trainingJobId: 'job-9' },
  };

  it('is in use as the first version of its name, and a candidate as a later one', () => {
    given(modelDecider, [])
      .when(trained)
      .then([byTraining, addedAs(1), firstUse]);
    given(modelDecider, [created])
      .when(trained)
      .then([addedAs(1), firstUse]);
    given(modelDecider, inUse)
      .when(trained)
      .then([addedAs(4), candidate(4, null)]);
    given(modelDecider, [...inUse, { type: 'model-deleted.v1', data: named }])
      .when(trained)
      .then([byTraining, addedAs(4), { ...firstUse, data: { ...firstUse.data, version: 4 } }]);
  });

  it('is only a candidate where two people put versions in use', () => {
    given(modelDecider, [])
      .when({ ...trained, promotes: false })
      .then([byTraining, addedAs(1), candidate(1, null)]);
  });

  it('has a name that a person may still give, once, without loss of its versions', () => {
    const create = { type: 'create-model', ...address, description: 'Tickets' } as const;
    const past = [byTraining, addedAs(1), firstUse];
    const claimed: ModelEvent = { type: 'model-created.v1', data: { ...named, description: 'Tickets' } };
    given(modelDecider, past).when(create).then([claimed]);
    expect(stateOf([...past, claimed])).toMatchObject({ inUse: 1, description: 'Tickets', createdBy: actor });
    given(modelDecider, [...past, claimed])
      .when({ ...create, actor: 'key:k2' })
      .thenRefused('conflict');
  });
});

describe('a model', () => {
  const create = { type: 'create-model', ...address, description: null } as const;

  it('is created once', () => {
    given(modelDecider, [])
      .when(create)
      .then([{ type: 'model-created.v1', data: { ...named, description: null } }]);
    given(modelDecider, [created]).when(create).thenRefused('conflict');
  });

  it('numbers its versions consecutively, even when the name is reused', () => {
    const add = { ...{ target: 'job-4', trainingJobId: 'job-4', baseModel: 'base' }, type: 'add-version' } as const;
    const next = (version: number): ModelEvent => {
      const { type: _, ...source } = add;
      return { type: 'model-version-added.v1', data: { ...named, version, ...source } };
    };
    given(modelDecider, three)
      .when({ ...address, ...add })
      .then([next(4)]);
    const again = [...three, { type: 'model-deleted.v1', data: earlier } as const, created];
    given(modelDecider, again)
      .when({ ...address, ...add })
      .then([next(4)]);
  });

  it('stands for no version until one is promoted', () => {
    expect(referredVersion(stateOf(three), null)).toBeNull();
    given(modelDecider, three)
      .when(promote(2))
      .then([promoted(2, null)]);
    expect(referredVersion(stateOf(inUse), null)).toMatchObject({ version: 2 });
    expect(referredVersion(stateOf(inUse), { version: 3 })).toMatchObject({ target: 'job-3' });
  });

  it('is rolled back to an earlier version, and the event says so', () => {
    given(modelDecider, inUse)
      .when(rollBack(1))
      .then([promoted(1, 2, true)]);
    expect(stateOf(inUse).earlier).toEqual([1]);
    expect(stateOf([...inUse, promoted(1, 2, true)])).toMatchObject({ inUse: 1, earlier: [] });
  });

  it('is not rolled back to a version that was never in use before', () => {
    given(modelDecider, inUse).when(rollBack(3)).thenRefused('conflict');
    given(modelDecider, three).when(rollBack(1)).thenRefused('conflict');
    given(modelDecider, inUse).when(rollBack(9)).thenRefused('not_found');
  });

  it('has labels, each for one version', () => {
    const label = { type: 'set-label', ...address, label: 'candidate', version: 3, reason: null } as const;
    const set: ModelEvent = {
      type: 'model-label-set.v1',
      data: { ...named, label: 'candidate', version: 3, previous: null, reason: null },
    };
    given(modelDecider, inUse).when(label).then([set]);
    expect(referredVersion(stateOf([...inUse, set]), { label: 'candidate' })).toMatchObject({ version: 3 });
    expect(referredVersion(stateOf([...inUse, set]), { label: 'constructor' })).toBeNull();
    given(modelDecider, [...inUse, set])
      .when({ type: 'remove-label', ...address, label: 'candidate' })
      .then([{ type: 'model-label-removed.v1', data: { ...named, label: 'candidate', previous: 3 } }]);
    given(modelDecider, inUse)
      .when({ ...label, version: 9 })
      .thenRefused('not_found');
    given(modelDecider, inUse)
      .when({ ...label, label: '7' })
      .thenRefused('invalid');
  });

  it('gives a share of its traffic to a version that is not in use, until that is promoted', () => {
    const traffic = { version: 3, percent: 10 };
    const set: ModelEvent = { type: 'model-traffic-set.v1', data: { ...named, traffic, reason: 'try' } };
    const share = { type: 'set-traffic', ...address, traffic, reason: 'try' } as const;
    given(modelDecider, inUse).when(share).then([set]);
    given(modelDecider, inUse)
      .when({ ...share, traffic: { version: 2, percent: 10 } })
      .thenRefused('conflict');
    given(modelDecider, three).when(share).thenRefused('conflict');
    expect(stateOf([...inUse, set]).traffic).toEqual(traffic);
    expect(stateOf([...inUse, set, promoted(3, 2)]).traffic).toBeNull();
  });

  it('has a shadow, which is a version that is not in use, until that is promoted', () => {
    const set: ModelEvent = { type: 'model-shadow-set.v1', data: { ...named, version: 3, reason: null } };
    const shadow = { type: 'set-shadow', ...address, version: 3, reason: null } as const;
    given(modelDecider, inUse).when(shadow).then([set]);
    given(modelDecider, inUse)
      .when({ ...shadow, version: 2 })
      .thenRefused('conflict');
    expect(stateOf([...inUse, set, promoted(3, 2)]).shadow).toBeNull();
    given(modelDecider, [...inUse, set])
      .when({ ...shadow, version: null })
      .then([{ type: 'model-shadow-set.v1', data: { ...named, version: null, reason: null } }]);
  });

  it('keeps a policy', () => {
    const policy = { minimumGain: 0.01 };
    given(modelDecider, three)
      .when({ type: 'set-policy', ...address, policy })
      .then([{ type: 'model-policy-set.v1', data: { ...named, policy } }]);
  });

  it('records drift once for a version, week and measure', () => {
    const found = {
      version: 2,
      week: '2030-W01',
      measure: 'labels',
      against: 'training',
      psi: 0.31,
      bound: 0.25,
    } as const;
    const detected: ModelEvent = { type: 'drift-detected.v1', data: { ...named, ...found } };
    const detect = { type: 'detect-drift', ...address, ...found } as const;
    given(modelDecider, three).when(detect).then([detected]);
    given(modelDecider, [...three, detected])
      .when({ ...detect, psi: 0.4, against: 'previous_week' })
      .then([]);
    for (const other of [{ version: 3 }, { week: '2030-W02' }, { measure: 'length' }] as const)
      given(modelDecider, [...three, detected])
        .when({ ...detect, ...other })
        .then([{ ...detected, data: { ...detected.data, ...other } }]);
    given(modelDecider, three)
      .when({ ...detect, version: 9 })
      .thenRefused('not_found');
    expect(stateOf([...three, detected]).updatedAt).toBe(earlier.at);
  });

  it('is deleted once, and then not found', () => {
    const deleted: ModelEvent = { type: 'model-deleted.v1', data: named };
    given(modelDecider, three)
      .when({ type: 'delete-model', ...address })
      .then([deleted]);
    given(modelDecider, [...three, deleted])
      .when(promote(1))
      .thenRefused('not_found');
    given(modelDecider, [])
      .when({ type: 'delete-model', ...address })
      .thenRefused('not_found');
  });
});
