import { given } from '#test/support/given.js';
import {
  DEFAULT_POLICY,
  improvementDecider,
  lastDue,
  policyOf,
  type ImprovementEvent,
  type ImprovementRequest,
} from './index.js';

const of = { improvementId: 'i1', modelId: 'm1', workspaceId: 'w1' };
const request: ImprovementRequest = {
  ...{ ...of, name: 'tickets', trigger: 'request', dataset: null, corrections: 4, policy: DEFAULT_POLICY },
  requestedBy: { kind: 'key', userId: 'u1', teamId: 't1', keyId: 'k1' },
  champion: { version: 1, trainingJobId: 'j1' },
};
const dataset = { name: 'tickets-corrections', version: 3, versionId: 'v3' };
const evaluations = [{ rows: 'held_out', candidateId: 'e1', championId: 'e2' }] as const;
const now = given.now;
const ended = (outcome: 'rejected' | 'candidate' | 'failed'): ImprovementEvent => ({
  type: 'improvement-ended.v1',
  data: { ...of, outcome, version: null, reason: null, endedAt: now },
});
const requested: ImprovementEvent = { type: 'improvement-requested.v1', data: { ...request, requestedAt: now } };
const chosen: ImprovementEvent = { type: 'improvement-dataset-chosen.v1', data: { ...of, dataset, chosenAt: now } };
const training: ImprovementEvent = {
  type: 'improvement-training-started.v1',
  data: { ...of, jobId: 'j2', startedAt: now },
};
const evaluating: ImprovementEvent = {
  type: 'improvement-evaluations-started.v1',
  data: { ...of, evaluations, startedAt: now },
};
const decision = { passed: false, rules: [] };
const decided: ImprovementEvent = { type: 'gate-decided.v1', data: { ...of, ...decision, decidedAt: now } };

describe('an improvement', () => {
  it('goes through its stages, each once', () => {
    given(improvementDecider, [])
      .when({ type: 'request-improvement', ...request })
      .then([requested]);
    given(improvementDecider, [requested])
      .when({ type: 'choose-dataset', ...of, dataset })
      .then([chosen]);
    const leftOut = { unsure: 1, withoutContent: 0, otherTasks: 0, duplicates: 2 };
    const collected = { rows: 3, conflicts: 1, leftOut };
    given(improvementDecider, [requested])
      .when({ type: 'choose-dataset', ...of, dataset, collected })
      .then([{ ...chosen, data: { ...chosen.data, collected } }]);
    given(improvementDecider, [requested, chosen])
      .when({ type: 'start-training', ...of, jobId: 'j2' })
      .then([training]);
    given(improvementDecider, [requested, chosen, training])
      .when({ type: 'start-evaluations', ...of, evaluations })
      .then([evaluating]);
    given(improvementDecider, [requested, chosen, training, evaluating])
      .when({ type: 'decide-gate', ...of, decision })
      .then([decided]);
    given(improvementDecider, [requested, chosen, training, evaluating, decided])
      .when({ type: 'end-improvement', ...of, outcome: 'rejected', version: null, reason: null })
      .then([ended('rejected')]);
    given(improvementDecider, [requested, chosen, training])
      .when({ type: 'start-training', ...of, jobId: 'another' })
      .then([]);
  });

  it('runs one at a time for a model', () => {
    const other = { type: 'request-improvement', ...request, improvementId: 'i2' } as const;
    given(improvementDecider, [requested]).when(other).thenRefused('conflict');
    const { type: _, ...data } = other;
    given(improvementDecider, [requested, ended('failed')])
      .when(other)
      .then([{ type: 'improvement-requested.v1', data: { ...data, requestedAt: now } }]);
  });

  it("stays within the policy's budget", () => {
    const policy = { ...DEFAULT_POLICY, budget: { runs: 1, days: 7 } };
    const other = { type: 'request-improvement', ...request, improvementId: 'i2', policy } as const;
    given(improvementDecider, [requested, ended('candidate')])
      .when(other)
      .thenRefused('conflict');
    const earlier = { ...requested, data: { ...requested.data, requestedAt: '2029-12-20T00:00:00.000Z' } };
    const { type: _, ...data } = other;
    given(improvementDecider, [earlier as ImprovementEvent, ended('candidate')])
      .when(other)
      .then([{ type: 'improvement-requested.v1', data: { ...data, requestedAt: now } }]);
  });

  it('is forced past the gate only after a rejection, with a reason', () => {
    const force = { type: 'force-gate', ...of, actor: 'user:u1', reason: 'the lost label is retired' } as const;
    const { type: _, ...forced } = force;
    given(improvementDecider, [requested, decided, ended('rejected')])
      .when(force)
      .then([{ type: 'gate-forced.v1', data: { ...forced, forcedAt: now } }]);
    given(improvementDecider, [requested, decided]).when(force).thenRefused('conflict');
    given(improvementDecider, [requested, ended('failed')])
      .when(force)
      .thenRefused('conflict');
  });

  it('is cancelled while it is open', () => {
    const cancel = { type: 'cancel-improvement', ...of } as const;
    const cancelled = { ...of, outcome: 'cancelled', version: null, reason: null, endedAt: now } as const;
    given(improvementDecider, [requested, chosen])
      .when(cancel)
      .then([{ type: 'improvement-ended.v1', data: cancelled }]);
    given(improvementDecider, [requested, ended('candidate')])
      .when(cancel)
      .thenRefused('conflict');
  });

  it('is not found from another workspace', () => {
    given(improvementDecider, [requested])
      .when({ type: 'cancel-improvement', ...of, workspaceId: 'w2' })
      .thenRefused('not_found');
  });
});

describe('a policy', () => {
  it('starts nothing by default, and uses defaults for missing fields', () => {
    expect(policyOf(null)).toEqual(DEFAULT_POLICY);
    expect(DEFAULT_POLICY.triggers).toEqual({ corrections: null, weekly: null });
    expect(policyOf({ gate: { maxF1Drop: 0.2 } }).gate).toEqual({ ...DEFAULT_POLICY.gate, maxF1Drop: 0.2 });
  });

  it('is due weekly at its hour, not before', () => {
    const monday = { weekday: 'monday', hour: 6 } as const;
    const at = (time: string) => new Date(lastDue(monday, Date.parse(time))).toISOString();
    expect(at('2030-01-07T06:00:00.000Z')).toBe('2030-01-07T06:00:00.000Z');
    expect(at('2030-01-07T05:59:59.999Z')).toBe('2029-12-31T06:00:00.000Z');
    expect(at('2030-01-13T23:00:00.000Z')).toBe('2030-01-07T06:00:00.000Z');
  });
});
