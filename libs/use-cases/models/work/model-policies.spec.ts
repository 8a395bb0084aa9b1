import type { Application } from '#application/application.js';
import { DEFAULT_POLICY, type ImprovementPolicy } from '#domain/improvement/index.js';
import { INFERENCE_SUBJECT } from '#gpu-runner/contract/inference.js';
import { ProcessManagerHost } from '#log/process-manager/host.js';
import { evolve } from '#log/projector/handlers.js';
import { UseCases } from '../../use-cases.js';
import { RemoteError } from '#ports/bus/port.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { trips } from '#test/support/trips.js';
import { modelPolicies } from './process-manager.js';

const BASE = 'anneal/encoder-base-v1';
const of = { modelId: 'm1', workspaceId: 'w1', name: 'tickets', actor: 'key:k1' };
const MONDAY = '2030-01-07T06:00:00.000Z';
const at = (time: string) => Date.parse(time);

describe('the policy of a model', () => {
  const manager = modelPolicies({} as Application, {} as UseCases);
  const after = (...events: readonly { type: string; data: object }[]) =>
    events.reduce((state, event) => evolve(manager.on, state, event as never), manager.initial);
  const created = { type: 'model-created.v1', data: { ...of, description: null, at: '2030-01-01T00:00:00.000Z' } };
  const ruled = (policy: Partial<ImprovementPolicy>) => ({
    type: 'model-policy-set.v1',
    data: { ...of, policy: { ...DEFAULT_POLICY, ...policy }, at: '2030-01-02T00:00:00.000Z' },
  });
  const verdict = { type: 'feedback-given.v1', data: { workspaceId: 'w1' } };
  const requested = (trigger: string, requestedAt: string) => ({
    type: 'improvement-requested.v1',
    data: { ...of, trigger, requestedAt, champion: { version: 1, trainingJobId: 'j1' }, corrections: 2 },
  });
  const ended = { type: 'improvement-ended.v1', data: of };
  const due = (state: ReturnType<typeof after>, time = MONDAY) =>
    manager.pending(state, at(time)).map((command) => ('trigger' in command ? command.trigger : command.type));

  it('starts nothing by default', () => {
    expect(due(after(created, verdict, verdict))).toEqual([]);
    expect(due(after(created, ruled({}), verdict, verdict))).toEqual([]);
  });

  it('improves a model once there may be enough new corrections, one improvement at a time', () => {
    const policy = ruled({ triggers: { corrections: 2, weekly: null } });
    expect(due(after(created, policy, verdict))).toEqual([]);
    expect(due(after(created, policy, verdict, verdict))).toEqual(['corrections']);
    const other = { ...verdict, data: { workspaceId: 'w2' } };
    expect(due(after(created, policy, verdict, other))).toEqual([]);
    const begun = [created, policy, verdict, verdict, requested('corrections', MONDAY)];
    expect(due(after(...begun, verdict, verdict))).toEqual([]);
    expect(due(after(...begun, verdict, ended))).toEqual([]);
    expect(due(after(...begun, verdict, ended, verdict))).toEqual(['corrections']);
  });

  it('improves a model weekly, once each week', () => {
    const policy = ruled({ triggers: { corrections: null, weekly: { weekday: 'monday', hour: 6 } } });
    expect(due(after(created, policy), '2030-01-07T05:59:00.000Z')).toEqual([]);
    expect(due(after(created, policy))).toEqual(['weekly']);
    const begun = after(created, policy, requested('weekly', '2030-01-07T06:00:01.000Z'), ended);
    expect(due(begun, '2030-01-13T00:00:00.000Z')).toEqual([]);
    expect(due(begun, '2030-01-14T06:00:00.000Z')).toEqual(['weekly']);
  });

  it('watches a version only in the window after its promotion, and not after a rollback', () => {
    const rollback = { windowHours: 1, minCalls: 2, maxErrorRate: 0.5, maxDisagreement: null };
    const promoted = (previous: number | null, isRollback = false) => ({
      type: 'model-version-promoted.v1',
      data: { ...of, version: 2, previous, rollback: isRollback, reason: '', at: MONDAY },
    });
    expect(due(after(created, ruled({ rollback }), promoted(1)))).toEqual(['watch']);
    expect(due(after(created, ruled({ rollback }), promoted(1)), '2030-01-07T07:00:00.000Z')).toEqual([]);
    expect(due(after(created, ruled({ rollback }), promoted(null)))).toEqual([]);
    expect(due(after(created, ruled({ rollback }), promoted(1, true)))).toEqual([]);
    expect(due(after(created, promoted(1)))).toEqual([]);
  });
});

describe('a version that performs badly', () => {
  let api: TestSystem;
  const jobs: string[] = [];
  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false }, { engines: QUICK_ENGINES });
    await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(40));
    for (const version of [1, 2]) {
      const { body } = await api.call('POST', '/felix/training-jobs', {
        ...{ base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 1, seed: version },
      });
      await api.until(
        () => api.call('GET', `/felix/training-jobs/${body.id}`),
        (answer) => answer.body.status === 'complete',
      );
      jobs.push(body.id);
    }
  });
  afterAll(() => api.close());

  /** A name with a version of each job, of which these were promoted, in this order. */
  const named = async (name: string, promoted: readonly number[]) => {
    await api.call('POST', '/models', { name });
    for (const training_job_id of jobs) await api.call('POST', `/models/${name}/versions`, { training_job_id });
    for (const version of promoted)
      await api.call('PUT', `/models/${name}/versions/${version}/promote`, { reason: `version ${version}` });
  };
  const ask = (model_id: string) => api.call('POST', '/inference', { model_id, text: 'Anna wants to fly to Oslo' });

  it('is rolled back to the previous one, with the numbers as the reason', async () => {
    await named('trips', [1, 2]);
    const policy = { rollback_max_disagreement: 0.4, rollback_min_calls: 2 };
    expect((await api.call('PUT', '/models/trips/policy', policy)).status).toBe(200);
    for (const text of ['Anna wants to fly to Oslo', 'please book Rome for Emil']) {
      const { body } = await api.call('POST', '/inference', { model_id: 'trips', text });
      const feedback = { verdict: 'incorrect', corrected_output: { entities: {}, classification: 'booking' } };
      const given = await api.call('POST', `/inferences/${body.inference_id}/feedback`, feedback);
      expect(given.status).toBe(200);
    }
    const { body } = await api.until(
      () => api.call('GET', '/models/trips'),
      (answer) => answer.body.version === 1,
    );
    expect(body.promotions[0]).toMatchObject({
      ...{ version: 1, previous: 2, rollback: true, actor: 'system:model-policies' },
      reason: '2 of its 2 reviewed answers were corrected, more than 40%',
    });
  });

  it('is rolled back past a version whose job was deleted, to one that can answer', async () => {
    await named('lost', [1, 2]);
    const { body: job } = await api.call('POST', '/felix/training-jobs', {
      ...{ base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 1, seed: 9 },
    });
    await api.until(
      () => api.call('GET', `/felix/training-jobs/${job.id}`),
      (answer) => answer.body.status === 'complete',
    );
    await api.call('POST', '/models/lost/versions', { training_job_id: job.id });
    for (const version of [3, 2])
      await api.call('PUT', `/models/lost/versions/${version}/promote`, { reason: `version ${version}` });
    await api.call('DELETE', `/felix/training-jobs/${job.id}`);
    const { body } = await ask('lost');
    const feedback = { verdict: 'incorrect', corrected_output: { entities: {}, classification: 'booking' } };
    await api.call('POST', `/inferences/${body.inference_id}/feedback`, feedback);
    await api.call('PUT', '/models/lost/policy', { rollback_max_disagreement: 0.4, rollback_min_calls: 1 });
    const { body: after } = await api.until(
      () => api.call('GET', '/models/lost'),
      (answer) => answer.body.version !== 2,
    );
    expect(after.promotions[0]).toMatchObject({ version: 1, previous: 2, rollback: true });
  });

  it('is rolled back for its share of failed calls, without shadow calls', async () => {
    await named('failing', [1, 2]);
    await named('shadowed', [1]);
    await api.call('PUT', '/models/shadowed/shadow', { version: 2 });
    for (const name of ['failing', 'shadowed']) expect((await ask(name)).status).toBe(200);
    await api.until(
      () => api.call('GET', '/inferences?shadow=true'),
      ({ body }) => body.inferences.length === 1,
    );
    const { bus } = api.application.ports;
    const call = bus.call.bind(bus);
    bus.call = (subject, ...rest) => {
      if (subject.startsWith(INFERENCE_SUBJECT)) throw new RemoteError('internal', 'broken');
      return call(subject, ...rest);
    };
    const failed = [await ask('failing'), await ask('failing')];
    bus.call = call;
    expect(failed.map(({ status }) => status)).toEqual([500, 500]);
    // The first look at the calls, at once, then sees them all.
    await api.drained();
    const policy = { rollback_max_error_rate: 0.5, rollback_min_calls: 3 };
    expect((await api.call('PUT', '/models/failing/policy', policy)).status).toBe(200);
    const { body } = await api.until(
      () => api.call('GET', '/models/failing'),
      (answer) => answer.body.version === 1,
    );
    expect(body.promotions[0]).toMatchObject({
      ...{ version: 1, previous: 2, rollback: true },
      reason: '2 of its 3 calls failed, more than 50%',
    });
  });

  it('is improved in its hour of the week, once', async () => {
    await named('weekly', [1]);
    const policy = { weekly_on: 'monday', weekly_hour: 6, max_runs: 1 };
    expect((await api.call('PUT', '/models/weekly/policy', policy)).status).toBe(200);
    const { eventStore } = api.application.ports;
    // A worker whose clock is a week ahead, beside the one of the system.
    const now = () => Date.now() + 7 * 24 * 60 * 60_000;
    const host = new ProcessManagerHost({
      eventStore,
      managers: [modelPolicies(api.application, api.app.get(UseCases))],
      now,
    }).start();
    const { body } = await api.until(
      () => api.call('GET', '/models/weekly/improvements'),
      (answer) => answer.body.count > 0,
    );
    await host.close();
    expect(body.improvements).toMatchObject([{ trigger: 'weekly', champion_version: 1 }]);
    // Ends what nobody waits for. On a busy machine it may have ended by itself.
    const { status } = await api.call('POST', `/improvements/${body.improvements[0].id}/cancel`);
    expect([200, 409]).toContain(status);
  });
});
