import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const MODEL = 'anneal/encoder-base-v1';
const row = JSON.stringify({ text: 'Paris', entities: [['Paris', 'city']] });

describe('the retention of contents', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startTestApi({ retentionFloorDays: 30 })));
  afterAll(() => api.close());

  const set = (body: object, key = api.key) => api.call('PUT', '/account/retention', body, { 'x-api-key': key });

  it("is shown with the operator's limits, and each rule is changed separately", async () => {
    expect((await api.call('GET', '/account/retention')).body).toEqual({
      ...{ floor_days: 30, ceiling_days: null },
      rules: [
        ...['calls', 'feedback', 'job_logs', 'dataset_versions', 'evaluations', 'training_jobs'].map((kind) => ({
          ...{ kind, days: null, days_in_force: null },
        })),
      ],
    });
    expect((await set({ calls: 400 })).body.rules[0]).toEqual({ kind: 'calls', days: 400, days_in_force: 400 });
    const { body } = await set({ dataset_versions: 3000 });
    expect(body.rules.map(({ days }: { days: number }) => days)).toEqual([400, null, null, 3000, null, null]);
    const { key } = await api.colleague();
    expect((await api.call('GET', '/account/retention', undefined, { 'x-api-key': key })).body.rules[0].days).toBe(
      null,
    );
    expect((await set({ calls: null, dataset_versions: null })).body.rules[3].days).toBe(null);
    const both = await set({ evaluations: 40, training_jobs: 50 });
    expect(both.body.rules.slice(4)).toMatchObject([{ days: 40 }, { days: 50 }]);
  });

  it("is set by owners, and by an owner's key without scopes, but not by a write key or a developer", async () => {
    const session = { authorization: `Bearer ${api.session}` };
    const made = await api.call('POST', '/create-api-key', { name: 'w', scopes: ['write'] }, session);
    const invited = { email: 'dev@example.com', role: 'developer' };
    const { body } = await api.call('PUT', '/workspace/members', invited, session);
    const followed = await fetch(body.sign_in_link as string, { redirect: 'manual' });
    const developer = { cookie: followed.headers.get('set-cookie')!.split(';')[0]!, origin: api.url };
    for (const headers of [{ 'x-api-key': made.body.secret_key as string }, developer])
      for (const [method, path, asked] of [
        ['PUT', '/account/retention', { calls: 400 }],
        ['POST', '/account/holds', { kind: 'calls', reason: 'r' }],
        ['DELETE', '/account/holds/some?reason=over', undefined],
      ] as const) {
        const { status, body: refused } = await api.call(method, path, asked, headers);
        expect([status, refused.detail]).toEqual([403, expect.stringContaining('`manage`')]);
      }
    expect((await api.call('GET', '/account/retention', undefined, developer)).body.rules[0].days).toBe(null);
  });

  it('is refused below the floor with the reason, and if it is not a valid number of days', async () => {
    const { status, body } = await set({ calls: 29 });
    expect([status, body.detail]).toEqual([422, expect.stringMatching(/^calls: must be at least 30 days \(got 29\)/)]);
    for (const days of [0, 36_501])
      for (const kind of ['dataset_versions', 'evaluations', 'training_jobs'])
        expect((await set({ [kind]: days })).status).toBe(422);
  });
});

describe('a legal hold', () => {
  let api: TestApi;
  beforeAll(async () => (api = await sharedTestApi()));
  afterAll(() => api.close());

  const place = (body: object) => api.call('POST', '/account/holds', { reason: 'case 4', ...body });
  const release = (id: string, reason = 'settled') => api.call('DELETE', `/account/holds/${id}?reason=${reason}`);
  const recorded = async (): Promise<string> => {
    const { body } = await api.call('POST', '/inference', { model_id: MODEL, text: 'Ada in Lyon', schema: ['city'] });
    await api.drained();
    return body.inference_id;
  };

  it('on a call, or on its model, prevents its erasure until released', async () => {
    const id = await recorded();
    for (const covers of [{ kind: 'call', id }, { kind: 'model', id: MODEL }, { kind: 'workspace' }]) {
      const { status, body: hold } = await place(covers);
      expect([status, hold]).toMatchObject([200, { kind: covers.kind, reason: 'case 4', version: null }]);
      const refused = await api.call('DELETE', `/inferences/${id}`);
      expect([refused.status, refused.body.detail]).toEqual([
        409,
        `inference ${id} is under hold ${hold.id}; it can be erased once that is released`,
      ]);
      expect((await release(hold.id)).status).toBe(200);
    }
    expect((await api.call('DELETE', `/inferences/${id}`)).status).toBe(200);
  });

  it('on a dataset prevents the erasure of its versions, but not their deletion', async () => {
    await uploadDataset(api, { dataset_name: 'held' }, row);
    const { body: hold } = await place({ kind: 'dataset', id: 'held', version: 1 });
    expect((await api.call('DELETE', '/felix/datasets/held/1')).status).toBe(200);
    const refused = await api.call('DELETE', '/felix/datasets/held/1?erase=true');
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining(`under hold ${hold.id}`)]);
    await release(hold.id);
    expect((await api.call('DELETE', '/felix/datasets/held/1?erase=true')).status).toBe(200);
  });

  it("on feedback, or on a training job's log, also prevents the deletion of its call or job", async () => {
    const [judged, other] = [await recorded(), await recorded()];
    await api.call('POST', `/inferences/${judged}/feedback`, { verdict: 'correct' });
    const { body: feedback } = await place({ kind: 'feedback' });
    const refused = await api.call('DELETE', `/inferences/${judged}`);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      `the feedback on inference ${judged} is under hold ${feedback.id}; it can be erased once that is released`,
    ]);
    expect((await api.call('DELETE', `/inferences/${other}`)).status).toBe(200);
    await release(feedback.id);
    await uploadDataset(api, { dataset_name: 'learned' }, row);
    const job = { model_name: 'm', base_model: MODEL, datasets: [{ name: 'learned' }], nr_epochs: 1 };
    const { id } = (await api.call('POST', '/felix/training-jobs', job)).body;
    const { body: log } = await place({ kind: 'job', id });
    const kept = await api.call('DELETE', `/felix/training-jobs/${id}`);
    expect([kept.status, kept.body.detail]).toEqual([
      409,
      `the log of training job ${id} is under hold ${log.id}; it can be erased once that is released`,
    ]);
    await release(log.id);
    expect((await api.call('DELETE', `/felix/training-jobs/${id}`)).status).toBe(200);
  });

  it('is listed while open, and the log says who placed and released it, and why', async () => {
    const { body: hold } = await place({ kind: 'calls' });
    expect((await api.call('GET', '/account/holds')).body.holds).toEqual([hold]);
    expect(hold).toMatchObject({ covers_id: null, placed_at: expect.any(String) });
    expect((await release(hold.id, 'over')).body.message).toBe(`hold ${hold.id} is released`);
    expect((await release(hold.id)).status).toBe(200);
    expect((await api.call('GET', '/account/holds')).body.holds).toEqual([]);
    const { workspace_id: workspace } = (await api.call('GET', '/account')).body;
    const { events } = (await api.call('GET', `/events?stream=retention-${workspace}`)).body;
    expect(events.slice(-2)).toMatchObject([
      { type: 'hold-placed.v1', actor: expect.stringMatching(/^key:/), data: { reason: 'case 4' } },
      { type: 'hold-released.v1', actor: expect.stringMatching(/^key:/), data: { reason: 'over' } },
    ]);
  });

  it('is refused without a target or a reason', async () => {
    for (const body of [
      { kind: 'call' },
      { kind: 'calls', id: 'x' },
      { kind: 'model', id: 'x', version: 1 },
      { kind: 'none' },
      { kind: 'calls', reason: '' },
    ])
      expect([body, (await place(body)).status]).toEqual([body, 422]);
    const { body: hold } = await place({ kind: 'calls' });
    expect((await api.call('DELETE', `/account/holds/${hold.id}`)).status).toBe(422);
    expect((await release(hold.id, 'x'.repeat(501))).status).toBe(422);
  });
});
