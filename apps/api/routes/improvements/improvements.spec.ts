import { join } from 'node:path';
import { systemContext } from '#log/context.js';
import { changeModel } from '#application/models.js';
import type { ModelChange } from '#domain/model/index.js';
import type { Answer, TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { trips } from '#test/support/trips.js';
import { trainingJobDocuments } from '#projections/training-jobs/queries.js';

const BASE = 'anneal/encoder-base-v1';
const OVER = ['done', 'failed', 'cancelled'];

/** Rows of the same task in other words. */
const corrections = trips(40)
  .replaceAll('wants to fly to', 'would rather travel by train to')
  .replaceAll('please book', 'kindly reserve a seat to');

/** Rows of a training that waits until it is cancelled, whichever of them are held out. */
const endless = (neverThere: string) =>
  Array.from(
    { length: 6 },
    (_, row) => `${JSON.stringify({ text: `wait 1 ${neverThere} ${row}`, label: 'travel' })}\n`,
  );

describe('an improvement of a model', () => {
  let api: TestApi;
  let workspaceId: string;
  let champion: string;
  beforeAll(async () => {
    api = await sharedTestApi({ engines: QUICK_ENGINES });
    await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(80));
    await uploadDataset(api, { dataset_name: 'corrected', filename: 'corrected.jsonl' }, corrections);
    await uploadDataset(api, { dataset_name: 'regression', filename: 'regression.jsonl' }, trips(30));
    const waiting = endless(join(api.settings.dataDir, 'never')).join('');
    await uploadDataset(api, { dataset_name: 'waiting', filename: 'waiting.jsonl' }, waiting);
    const { body } = await api.call('POST', '/felix/training-jobs', {
      ...{ base_model: BASE, datasets: [{ name: 'trips' }], validation_data_percentage: 0.2 },
      ...{ nr_epochs: 1, learning_rate: 0.02, batch_size: 4, seed: 11 },
    });
    champion = body.id;
    await api.until(
      () => api.call('GET', `/felix/training-jobs/${champion}`),
      ({ body: job }) => job.status === 'complete',
    );
    workspaceId = (await trainingJobDocuments.get(api.application.ports.readStore, champion))!.workspaceId;
  });
  afterAll(() => api.close());

  const change = (name: string, change: ModelChange) =>
    changeModel(api.application, { workspaceId, name }, change, systemContext('test', workspaceId));
  const named = async (name: string) => {
    await change(name, { type: 'create-model', description: null });
    await change(name, { type: 'add-version', target: champion, trainingJobId: champion, baseModel: BASE });
    await change(name, { type: 'promote-version', version: 1, reason: 'the first' });
    return name;
  };
  const improve = (name: string, body: object = { dataset_name: 'corrected' }) =>
    api.call('POST', `/models/${name}/improve`, body);
  const ended = async ({ body: { id } }: Answer) => {
    const { body } = await api.until(
      () => api.call('GET', `/improvements/${id}`),
      (answer) => OVER.includes(answer.body.status),
    );
    return body;
  };

  it('is promoted by nobody alone where the workspace wants two people: it proposes that, and another person confirms it', async () => {
    await named('by-two');
    const policy = { on_pass: 'promote', regression_dataset: 'regression', min_corrections: 5 };
    expect((await api.call('PUT', '/models/by-two/policy', policy)).status).toBe(200);
    const owner = { authorization: `Bearer ${api.session}` };
    const email = `second-${crypto.randomUUID()}@example.com`;
    const { body: given } = await api.call('PUT', '/workspace/members', { email, role: 'owner' }, owner);
    const followed = await fetch(given.sign_in_link as string, { redirect: 'manual' });
    const token = /anneal_session=([\w-]+)/.exec(followed.headers.get('set-cookie') ?? '')![1];
    const second = { authorization: `Bearer ${token}` };
    expect((await api.call('PUT', '/workspace/two-people', { acts: ['promote'] }, owner)).status).toBe(200);
    const done = await ended(await improve('by-two'));
    expect(done).toMatchObject({ outcome: 'candidate', version: 2, reason: expect.stringContaining('second person') });
    const { body: list } = await api.call('GET', '/proposals?status=open');
    const [proposal] = list.proposals;
    expect(proposal).toMatchObject({
      act: 'promote',
      about: 'put by-two@2 in use',
      proposed_by: 'system:improvements',
    });
    const confirm = (by?: Record<string, string>) =>
      api.call('POST', `/proposals/${proposal.id}/confirm`, undefined, by);
    expect((await confirm()).status).toBe(403);
    expect((await api.call('GET', '/models/by-two')).body.version).toBe(1);
    expect((await confirm(second)).body.status).toBe('performed');
    expect((await api.call('GET', '/models/by-two')).body.version).toBe(2);
    const off = await api.call('PUT', '/workspace/two-people', { acts: [] }, owner);
    await api.call('POST', `/proposals/${off.body.proposal_id}/confirm`, undefined, second);
  });

  it('trains on the corrections, is compared on held-out rows of both versions, and becomes the candidate', async () => {
    await named('tickets');
    await api.call('PUT', '/models/tickets/policy', { regression_dataset: 'regression', min_corrections: 5 });
    const asked = await improve('tickets');
    expect([asked.status, asked.body]).toEqual([
      200,
      expect.objectContaining({ status: 'collecting', model: 'tickets', champion_version: 1, outcome: null }),
    ]);
    const body = await ended(asked);
    expect(body).toMatchObject({
      ...{ status: 'done', outcome: 'candidate', version: 2, reason: null, dataset_name: 'corrected', collected: null },
      policy: { min_corrections: 5, regression_dataset: 'regression', regression_version: 1 },
      gate: { passed: true },
    });
    expect(body.stages.map(({ stage }: { stage: string }) => stage)).toEqual([
      'collecting',
      'training',
      'evaluating',
      'gating',
      'done',
    ]);
    const rule = (name: string) => body.gate.rules.find((each: { rule: string }) => each.rule === name);
    // A fifth of the 56 texts of 80 rows, with the rows that repeat them, and the 30 rows of the regression dataset.
    expect(rule('regression_rows')).toMatchObject({ rows: 45, limit: 10, passed: true });
    expect(rule('correction_rows')).toMatchObject({ rows: 8, limit: 5 });
    expect(rule('corrections_f1').difference.value).toBeGreaterThanOrEqual(0);
    const { body: events } = await api.call('GET', `/events?stream=${body.stream}`);
    expect(events.events.map(({ type }: { type: string }) => type)).toEqual([
      'improvement-requested.v1',
      'improvement-dataset-chosen.v1',
      'improvement-training-started.v1',
      'improvement-evaluations-started.v1',
      'gate-decided.v1',
      'improvement-ended.v1',
    ]);
    const job = (await api.call('GET', `/felix/training-jobs/${body.training_job_id}`)).body;
    const first = (await api.call('GET', `/felix/training-jobs/${champion}`)).body;
    for (const setting of ['nr_epochs', 'learning_rate', 'batch_size', 'validation_data_percentage', 'seed'])
      expect([setting, job[setting]]).toEqual([setting, first[setting]]);
    const { body: list } = await api.call('GET', '/models/tickets/improvements');
    expect(list).toMatchObject({ count: 1, total: 1, improvements: [{ id: body.id }] });
  });

  const correctedCalls = async (name: string, to: number, from = 0) => {
    const sentences = corrections.trim().split('\n');
    for (const sentence of sentences.slice(from, to)) {
      const { text, entities, label } = JSON.parse(sentence) as { text: string; entities: string[][]; label: string };
      const { body: answer } = await api.call('POST', '/inference', { model_id: name, text });
      const corrected_output = {
        entities: Object.fromEntries(entities.map(([span, type]) => [type!, [span]])),
        classification: label,
      };
      const feedback = { verdict: 'incorrect', corrected_output };
      expect((await api.call('POST', `/inferences/${answer.inference_id}/feedback`, feedback)).status).toBe(200);
    }
  };

  it("trains on people's corrections, is promoted, answers by its name, and is then improved by later corrections only", async () => {
    await named('corrected');
    await correctedCalls('corrected', 12);
    const first = await ended(await improve('corrected', {}));
    expect(first).toMatchObject({
      ...{ outcome: 'candidate', version: 2, dataset_name: 'corrected-corrections' },
      collected: { rows: 12, conflict_count: 0, left_out: { unsure: 0, duplicates: 0 } },
    });
    await api.call('PUT', '/models/corrected/versions/2/promote', { reason: 'it passed the gate' });
    const { body: answer } = await api.call('POST', '/inference', { model_id: 'corrected', text: 'Anna is in Oslo' });
    const { body: recorded } = await api.call('GET', `/inferences/${answer.inference_id}`);
    expect(recorded.training_job_id).toBe(first.training_job_id);
    const nothing = await ended(await improve('corrected', {}));
    expect(nothing).toMatchObject({ outcome: 'failed', dataset_name: null });
    expect(nothing.reason).toContain('this feedback gives no row');
    await correctedCalls('corrected', 3);
    const second = await ended(await improve('corrected', {}));
    expect([second.champion_version, second.reason]).toEqual([2, null]);
    const { body: version } = await api.call('GET', `/felix/datasets/${second.dataset_name}/${second.dataset_version}`);
    expect(version.sample_size).toBe(3);
  });

  it('starts automatically after the configured number of new corrections', async () => {
    await named('eager');
    await api.call('PUT', '/models/eager/policy', { improve_after_corrections: 4, max_runs: 1 });
    await correctedCalls('eager', 4);
    const { body } = await api.until(
      () => api.call('GET', '/models/eager/improvements'),
      (answer) => answer.body.count === 1,
    );
    expect(body.improvements[0]).toMatchObject({ trigger: 'corrections', champion_version: 1 });
    await ended({ body: body.improvements[0] } as Answer);
  });

  it('is refused by the gate for its size and latency, then forced past it with a reason', async () => {
    await named('small');
    const policy = { max_size_bytes: 10, max_latency_ms: 0.001, on_pass: 'promote' };
    await api.call('PUT', '/models/small/policy', policy);
    const rejected = await ended(await improve('small'));
    expect(rejected).toMatchObject({ status: 'done', outcome: 'rejected', version: null, gate: { passed: false } });
    expect(rejected.reason).toMatch(/size.*latency|latency.*size/);
    const latency = rejected.gate.rules.find((each: { rule: string }) => each.rule === 'latency');
    expect(latency).toMatchObject({ passed: false, limit: 0.001, candidate: expect.any(Number) });
    expect(latency.candidate).toBeGreaterThan(0.001);
    expect((await api.call('GET', '/models/small')).body).toMatchObject({ version: 1, labels: {} });
    const force = (body: object) => api.call('POST', `/improvements/${rejected.id}/force?ticket=OPS-9`, body);
    expect((await force({})).status).toBe(422);
    const forced = await force({ reason: 'the disk is large' });
    expect(forced.body).toMatchObject({ status: 'gating', forced: { reason: 'the disk is large' } });
    expect(await ended(forced)).toMatchObject({ outcome: 'promoted', version: 2 });
    expect((await force({ reason: 'again' })).status).toBe(200);
    const { body: log } = await api.call('GET', `/events?stream=${rejected.stream}&limit=1000`);
    const why = { ticket: 'OPS-9', data: { reason: 'the disk is large' } };
    expect(log.events.filter(({ type }: { type: string }) => type === 'gate-forced.v1')).toMatchObject([why]);
    const { body: card } = await api.call('GET', '/audit/report?kind=card&model=small');
    expect(JSON.stringify(card)).toContain(
      JSON.stringify('; reason: "the disk is large"; ticket: "OPS-9"').slice(1, -1),
    );
  });

  it('trains on the corrections of a refused version again, or leaves them out, as the policy says', async () => {
    await named('refused');
    let from = 0;
    const rowsAfter = async (to: number, refused_corrections: string) => {
      await api.call('PUT', '/models/refused/policy', { max_size_bytes: 10, refused_corrections });
      await correctedCalls('refused', to, from);
      from = to;
      const improvement = await ended(await improve('refused', {}));
      expect(improvement).toMatchObject({ outcome: 'rejected', policy: { refused_corrections } });
      const { dataset_name, dataset_version } = improvement;
      return (await api.call('GET', `/felix/datasets/${dataset_name}/${dataset_version}`)).body.sample_size;
    };
    expect(await rowsAfter(5, 'again')).toBe(5);
    expect(await rowsAfter(8, 'again')).toBe(8);
    expect(await rowsAfter(11, 'left_out')).toBe(3);
  });

  it('runs once at a time, can be cancelled, and stays within the budget', async () => {
    await named('busy');
    await api.call('PUT', '/models/busy/policy', { max_runs: 1 });
    const { body: open } = await improve('busy', { dataset_name: 'waiting' });
    const second = await improve('busy');
    expect([second.status, second.body.detail]).toEqual([409, expect.stringContaining(open.id)]);
    const cancelled = await api.call('POST', `/improvements/${open.id}/cancel`);
    expect(cancelled.body).toMatchObject({ status: 'cancelled', outcome: 'cancelled' });
    const third = await improve('busy');
    expect([third.status, third.body.detail]).toEqual([409, expect.stringContaining('policy')]);
  });

  it('is listed with those of other names, filtered by status', async () => {
    await named('listed');
    const { body: open } = await improve('listed', { dataset_name: 'waiting' });
    await api.drained();
    const list = async (query: string, headers?: Record<string, string>) =>
      (await api.call('GET', `/improvements?${query}`, undefined, headers)).body;
    const names = ({ improvements }: { improvements: { model: string }[] }) => improvements.map(({ model }) => model);
    expect(names(await list('')).slice(0, 2)).toEqual(['listed', 'busy']);
    expect(names(await list('status=open'))).toEqual(['listed']);
    await api.call('POST', `/improvements/${open.id}/cancel`);
    await api.drained();
    expect(names(await list('status=open'))).toEqual([]);
    const cancelled = await list('status=cancelled&limit=1');
    expect([names(cancelled), cancelled.total]).toEqual([['listed'], 2]);
    expect(await list('', { 'x-api-key': (await api.colleague()).key })).toMatchObject({ improvements: [], total: 0 });
    expect((await api.call('GET', '/improvements?status=lost')).status).toBe(400);
  });

  it('fails with the reason of the route that refused a step', async () => {
    await named('twice');
    const failed = await ended(await improve('twice', { dataset_name: 'trips' }));
    expect(failed).toMatchObject({ status: 'failed', outcome: 'failed' });
    expect(failed.reason).toContain('a second time');
  });

  it('is refused for a model that cannot be improved', async () => {
    expect((await improve('nobody')).status).toBe(404);
    expect((await improve('nobody', { version_number: 1 })).body.errors[0].loc).toEqual(['body', 'version_number']);
    await change('empty', { type: 'create-model', description: null });
    expect((await improve('empty')).body.detail).toContain('no version in use');
    await change('empty', { type: 'add-version', target: BASE, trainingJobId: null, baseModel: BASE });
    await change('empty', { type: 'promote-version', version: 1, reason: 'to begin with' });
    expect((await improve('empty')).body.detail).toContain('catalog');
    await named('lacking');
    expect((await improve('lacking', { dataset_name: 'gone' })).status).toBe(404);
  });

  it('has a policy that shows its defaults and checks its fields', async () => {
    await named('ruled');
    const set = (body: object) => api.call('PUT', '/models/ruled/policy', body);
    expect((await set({})).body).toMatchObject({
      ...{ max_f1_drop: 0.01, evidence: 'worse', max_label_drop: 0.1, on_pass: 'candidate' },
      ...{ improve_after_corrections: null, weekly_on: null, max_runs: null, rollback_max_error_rate: null },
      refused_corrections: 'again',
    });
    expect((await set({ max_label_drop: null })).body.max_label_drop).toBeNull();
    for (const [body, field] of [
      [{ weekly_hour: 3 }, 'weekly_hour'],
      [{ max_runs_days: 3 }, 'max_runs_days'],
      [{ regression_version: 3 }, 'regression_version'],
      [{ rollback_min_calls: 3 }, 'rollback_min_calls'],
      [{ weekly_on: 'someday' }, 'weekly_on'],
      [{ max_f1_drop: 2 }, 'max_f1_drop'],
    ] as const) {
      const answer = await set(body);
      expect([answer.status, answer.body.errors[0].loc]).toEqual([422, ['body', field]]);
    }
    expect((await set({ regression_dataset: 'gone' })).status).toBe(404);
  });
});
