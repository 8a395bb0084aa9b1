import { given } from '#test/support/given.js';
import {
  daysInForce,
  DEFAULT_BOUNDS as bounds,
  holdOn,
  NO_RETENTION,
  requireNoHold,
  retentionDecider,
  type HoldScope,
  type RetentionEvent,
  type RetentionKind,
} from './index.js';

const workspaceId = 'w1';
const set = (kind: RetentionKind, days: number | null, within = bounds) =>
  ({ type: 'set-retention', workspaceId, kind, days, bounds: within }) as const;
const wasSet = (kind: RetentionKind, days: number | null): RetentionEvent => ({
  type: 'retention-set.v1',
  data: { workspaceId, kind, days, setAt: given.now },
});
const hold = (covers: HoldScope) => ({ holdId: 'h1', workspaceId, covers, reason: 'case 4' });
const all: HoldScope = { kind: 'workspace', id: null, version: null };
const placed: RetentionEvent = { type: 'hold-placed.v1', data: { ...hold(all), placedAt: given.now } };

describe('retention', () => {
  it('is set for each kind, and null keeps forever', () => {
    given(retentionDecider, [])
      .when(set('calls', 200))
      .then([wasSet('calls', 200)]);
    given(retentionDecider, [wasSet('calls', 200)])
      .when(set('calls', null))
      .then([wasSet('calls', null)]);
    given(retentionDecider, [wasSet('calls', 200)])
      .when(set('dataset_versions', 1))
      .then([wasSet('dataset_versions', 1)]);
  });

  it('is refused below the floor for calls and feedback, and above the ceiling for everything', () => {
    for (const kind of ['calls', 'feedback'] as const)
      given(retentionDecider, []).when(set(kind, 183)).thenRefused('invalid');
    given(retentionDecider, [])
      .when(set('job_logs', 1))
      .then([wasSet('job_logs', 1)]);
    const lower = { floorDays: 30, ceilingDays: 90 };
    given(retentionDecider, [])
      .when(set('calls', 30, lower))
      .then([wasSet('calls', 30)]);
    for (const days of [91, null])
      given(retentionDecider, [])
        .when(set('calls', days, lower))
        .thenRefused('invalid');
  });

  it('in force respects limits that changed afterwards', () => {
    const state = { ...NO_RETENTION, days: { calls: 200, dataset_versions: 10 } };
    expect(daysInForce(state, 'calls', bounds)).toBe(200);
    expect(daysInForce(state, 'calls', { floorDays: 365, ceilingDays: null })).toBe(365);
    expect(daysInForce({ ...state, days: { feedback: 9 } }, 'feedback', bounds)).toBe(184);
    expect(daysInForce(state, 'dataset_versions', { floorDays: 365, ceilingDays: 5 })).toBe(5);
    expect(daysInForce(NO_RETENTION, 'calls', bounds)).toBe(null);
    // The operator's ceiling is for contents: it deletes no model.
    expect(daysInForce(NO_RETENTION, 'evaluations', { floorDays: 1, ceilingDays: 90 })).toBe(90);
    expect(daysInForce(NO_RETENTION, 'training_jobs', { floorDays: 1, ceilingDays: 90 })).toBe(null);
    expect(daysInForce({ ...state, days: { training_jobs: 400 } }, 'training_jobs', bounds)).toBe(400);
    expect(daysInForce(NO_RETENTION, 'calls', { floorDays: 1, ceilingDays: 90 })).toBe(90);
  });
});

describe('a hold', () => {
  it('is placed once, and released once with a reason', () => {
    given(retentionDecider, [])
      .when({ type: 'place-hold', ...hold(all) })
      .then([placed]);
    const release = { type: 'release-hold', workspaceId, holdId: 'h1', reason: 'settled' } as const;
    given(retentionDecider, [placed])
      .when(release)
      .then([
        { type: 'hold-released.v1', data: { workspaceId, holdId: 'h1', reason: 'settled', releasedAt: given.now } },
      ]);
    given(retentionDecider, []).when(release).thenRefused('not_found');
  });

  it.each([
    [all, 'call feedback job_log dataset evaluation'],
    [{ kind: 'calls', id: null, version: null }, 'call feedback'],
    [{ kind: 'call', id: 'i1', version: null }, 'call feedback'],
    [{ kind: 'call', id: 'i2', version: null }, ''],
    [{ kind: 'model', id: 'j1', version: null }, 'call feedback'],
    [{ kind: 'model', id: 'j2', version: null }, ''],
    [{ kind: 'feedback', id: null, version: null }, 'feedback'],
    [{ kind: 'job_logs', id: null, version: null }, 'job_log'],
    [{ kind: 'job', id: 'j1', version: null }, 'job_log'],
    [{ kind: 'job', id: 'j2', version: null }, ''],
    [{ kind: 'datasets', id: null, version: null }, 'dataset'],
    [{ kind: 'dataset', id: 'd', version: null }, 'dataset'],
    [{ kind: 'dataset', id: 'd', version: 2 }, 'dataset'],
    [{ kind: 'dataset', id: 'd', version: 3 }, ''],
    [{ kind: 'evaluations', id: null, version: null }, 'evaluation'],
    [{ kind: 'evaluation', id: 'e1', version: null }, 'evaluation'],
    [{ kind: 'evaluation', id: 'e2', version: null }, ''],
  ] as const)('of %j covers exactly %s', (covers, covered) => {
    const state = { ...NO_RETENTION, holds: [{ ...hold(covers), placedAt: given.now }] };
    const call = { kind: 'call', id: 'i1', models: ['tickets', 'j1', null] } as const;
    const feedback = { ...call, kind: 'feedback' } as const;
    const log = { kind: 'job_log', id: 'j1' } as const;
    const version = { kind: 'dataset', name: 'd', version: 2 } as const;
    const evaluation = { kind: 'evaluation', id: 'e1' } as const;
    const contents = [call, feedback, log, version, evaluation];
    expect(contents.filter((what) => holdOn(state, what)).map(({ kind }) => kind)).toEqual(
      covered.split(' ').filter(Boolean),
    );
    if (covered.includes('call')) expect(() => requireNoHold(state, call)).toThrow('inference i1 is under hold h1');
  });
});
