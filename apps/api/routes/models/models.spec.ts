import { percentileOf } from '#calls/models.js';
import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';

const BASE = 'anneal/encoder-base-v1';
const EMBEDDER = 'anneal/embedder-base-v1';
const NOBODY = '0190f3c4-0000-7000-8000-000000000000';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const ACTOR = expect.stringMatching(/^key:[0-9a-f-]{36}$/);
const reason = 'better on held-out rows';

describe('models by name', () => {
  let api: TestApi;
  let job: string;
  beforeAll(async () => {
    api = await sharedTestApi({ engines: QUICK_ENGINES });
    await uploadDataset(api, { dataset_name: 'trips' }, trips(60));
    const client = new TrainingClient(api);
    const order = { model_name: 'm', base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 1 };
    job = (await client.start(order)).id;
    expect((await client.ended(job)).status).toBe('complete');
  });
  afterAll(() => api.close());

  const post = (path: string, body?: object) => api.call('POST', path, body);
  const put = (path: string, body: object) => api.call('PUT', path, body);
  const get = async (path: string) => (await api.call('GET', path)).body;
  const promote = (name: string, version: number) => put(`/models/${name}/versions/${version}/promote`, { reason });
  const roll = (name: string, body: object = {}) => post(`/models/${name}/rollback`, { reason: 'worse', ...body });
  /** A name with the base model as version 1, in use, and the trained one as version 2. */
  const named = async (name: string) => {
    await post('/models', { name });
    await post(`/models/${name}/versions`, { model_id: BASE });
    await post(`/models/${name}/versions`, { training_job_id: job });
    return promote(name, 1);
  };
  const call = (model_id: string) => post('/inference', { model_id, text: 'Hana flies to Rome', schema: ['person'] });
  /** The job that answered a call; null: the base model did. */
  const answering = async (model_id: string) => {
    const { status, body } = await call(model_id);
    expect([model_id, status]).toEqual([model_id, 200]);
    return (await get(`/inferences/${body.inference_id}`)).training_job_id;
  };

  it('have every field', async () => {
    await named('whole');
    await put('/models/whole/labels/candidate', { version: 2, reason: 'to be tried' });
    const { body } = await promote('whole', 2);
    const version = { labels: [], added_by: ACTOR, added_at: TIME };
    expect(body).toEqual({
      ...{ name: 'whole', description: null, version: 2, model_id: job, labels: { candidate: 2 } },
      ...{ traffic: null, shadow_version: null, policy: null, created_by: ACTOR, created_at: TIME, updated_at: TIME },
      stream: expect.stringMatching(/^model-[0-9a-f-]{36}$/),
      versions: [
        { ...version, version: 2, model_id: job, training_job_id: job, base_model: BASE, labels: ['candidate'] },
        { ...version, version: 1, model_id: BASE, training_job_id: null, base_model: BASE },
      ],
      promotions: [
        { version: 2, previous: 1, rollback: false, reason, actor: ACTOR, at: TIME },
        { version: 1, previous: null, rollback: false, reason, actor: ACTOR, at: TIME },
      ],
    });
    expect(await get('/models/whole')).toEqual(body);
    const { versions: _, promotions: _all, ...listed } = body;
    const { models, count, total } = await get('/models?limit=200');
    expect(models).toContainEqual(listed);
    expect([count, total]).toEqual([models.length, models.length]);
    const { events } = await get(`/events?stream=${body.stream}`);
    expect(events.at(-1)).toMatchObject({ type: 'model-version-promoted.v1', data: { reason, actor: ACTOR } });
  });

  it('stand for the version in use, with a number for that version, and with a label for the labelled one', async () => {
    await named('tickets');
    await put('/models/tickets/labels/candidate', { version: 2 });
    expect(await answering('tickets')).toBeNull();
    expect(await answering('tickets@2')).toBe(job);
    expect(await answering('tickets@candidate')).toBe(job);
    await promote('tickets', 2);
    expect(await answering('tickets')).toBe(job);
    expect(await answering('tickets@1')).toBeNull();
    await put('/models/tickets/labels/candidate', { version: 1 });
    expect(await answering('tickets@candidate')).toBeNull();
    expect((await api.call('DELETE', '/models/tickets/labels/candidate')).body.labels).toEqual({});
    for (const id of ['tickets@candidate', 'tickets@3']) expect([id, (await call(id)).status]).toEqual([id, 404]);
  });

  it('are rolled back to the version that was in use before, or to an earlier one', async () => {
    await named('back');
    await promote('back', 2);
    const { body } = await roll('back');
    expect(body).toMatchObject({ version: 1, promotions: [{ rollback: true, previous: 2, reason: 'worse' }, {}, {}] });
    expect(await answering('back')).toBeNull();
    expect((await roll('back')).status).toBe(409);
    expect((await roll('back', { version: 2 })).status).toBe(409);
    await promote('back', 2);
    expect((await roll('back', { version: 1 })).body.version).toBe(1);
  });

  const messages = [{ role: 'user', content: 'Hana flies to Rome' }];
  const schema = ['person'];
  it.each([
    ['/inference', { model_id: 'everywhere', text: 'Hana flies to Rome', schema }],
    ['/gliner-2', { model: 'everywhere', text: 'Hana flies to Rome', schema: { entities: schema } }],
    ['/v1/chat/completions', { model: 'everywhere', messages, schema }],
    ['/v1/responses', { model: 'everywhere', input: 'Hana flies to Rome', schema }],
    ['/v1/messages', { model: 'everywhere', messages, max_tokens: 100, schema }],
    ['/v1/embeddings', { model: 'embedder', input: 'Hana flies to Rome' }],
  ])('are called like any id by %s', async (path, body) => {
    const { model_id: id = 'model' in body ? body.model : '' } = body as { model_id?: string };
    if ((await api.call('GET', `/models/${id}`)).status === 404) {
      await post('/models', { name: id });
      const source = id === 'embedder' ? { model_id: EMBEDDER } : { training_job_id: job };
      await post(`/models/${id}/versions`, source);
      await promote(id, 1);
    }
    const answer = await post(path, body);
    expect([answer.status, answer.body.error]).toEqual([200, path === '/v1/responses' ? null : undefined]);
    const { inferences } = await api.until(
      () => get('/inferences?limit=1'),
      ({ inferences: [last] }) => last?.model_id === id,
    );
    expect(inferences[0]).toMatchObject({ model_id: id, training_job_id: id === 'embedder' ? null : job });
  });

  it('are recorded with the version that answered', async () => {
    await named('recorded');
    const record = async (id: string) => get(`/inferences/${(await call(id)).body.inference_id}`);
    const { model_id, model_name, model_version } = await record('recorded@2');
    expect([model_id, model_name, model_version]).toEqual(['recorded@2', 'recorded', 2]);
    expect(await record('recorded')).toMatchObject({ model_id: 'recorded', model_version: 1, base_model: BASE });
    expect((await record(job)).model_version).toBeUndefined();
  });

  it('give each caller consistently one of two versions, by the configured share', async () => {
    await named('shared');
    const share = await put('/models/shared/traffic', { version: 2, percent: 50, reason: 'try' });
    expect(share.body.traffic).toEqual({ version: 2, percent: 50 });
    const session = { authorization: `Bearer ${api.session}` };
    const body = { model_id: 'shared', text: 'Hana flies to Rome', schema: ['person'] };
    const versions = (headers: Record<string, string>) =>
      Promise.all(
        [1, 2].map(async () => {
          const { inference_id: id } = (await api.call('POST', '/inference', body, headers)).body;
          return (await api.call('GET', `/inferences/${id}`, undefined, headers)).body.model_version;
        }),
      );
    for (let n = 0; n < 12; n += 1) {
      const { id, secret_key: key } = (await api.call('POST', '/create-api-key', { name: `key ${n}` }, session)).body;
      const expected = percentileOf(id, 'shared') < 50 ? 2 : 1;
      expect(await versions({ 'x-api-key': key })).toEqual([expected, expected]);
    }
    expect((await put('/models/shared/traffic', { version: 2, percent: 100 })).body.traffic.percent).toBe(100);
    expect(await answering('shared')).toBe(job);
    expect(await answering('shared@1')).toBeNull();
    expect((await put('/models/shared/traffic', { version: null })).body.traffic).toBeNull();
    expect(await answering('shared')).toBeNull();
  });

  it('send each call to the shadow too, which is recorded and changes no answer', async () => {
    await named('watched');
    expect((await put('/models/watched/shadow', { version: 2 })).body.shadow_version).toBe(2);
    const silent = await post('/inference', { model_id: 'watched', text: 'Unseen', schema: ['person'], store: false });
    expect(silent.status).toBe(200);
    const { body } = await call('watched');
    const shadowsOf = ({ inferences }: { inferences: { shadow_of?: string }[] }) =>
      inferences.filter(({ shadow_of: of }) => of !== undefined);
    const list = await api.until(
      () => get('/inferences?model_id=watched@2'),
      (answer) => shadowsOf(answer).length > 0,
    );
    expect(list.inferences).toMatchObject([
      {
        ...{ shadow_of: body.inference_id, model_id: 'watched@2', model_name: 'watched', model_version: 2 },
        ...{ training_job_id: job, status: 'success', input: { text: 'Hana flies to Rome' } },
      },
    ]);
    expect(await get(`/inferences/${body.inference_id}`)).toMatchObject({ training_job_id: null, model_version: 1 });
    expect((await put('/models/watched/shadow', { version: null })).body.shadow_version).toBeNull();
  });

  it('leave shadow calls out of reviews and counts, unless counts ask for them', async () => {
    await named('quiet');
    await put('/models/quiet/shadow', { version: 2 });
    const { body } = await call('quiet');
    const { inferences } = await api.until(
      () => get('/inferences?model_id=quiet@2&shadow=true'),
      (answer) => answer.inferences.length === 1,
    );
    expect((await get('/inferences?model_id=quiet@2&shadow=false')).total).toBe(0);
    const counted = async (query: string) => {
      const { groups } = await get(`/inferences/stats?group_by=model,version${query}`);
      const found = groups.filter(({ model }: { model: string }) => model === 'quiet');
      return found.map(({ version, count }: { version: string; count: number }) => [version, count]);
    };
    expect(await counted('')).toEqual([['quiet@1', 1]]);
    expect(await counted('&shadow=true')).toEqual([['quiet@2', 1]]);
    const offered = async (query: string) =>
      (await get(`/review?limit=100&${query}`)).items.map(({ inference_id: id }: { inference_id: string }) => id);
    expect(await offered('strategy=random')).toContain(body.inference_id);
    for (const strategy of ['random', 'uncertain', 'errors'])
      expect([strategy, await offered(`strategy=${strategy}`)]).toEqual([
        strategy,
        expect.not.arrayContaining([inferences[0].id]),
      ]);
  });

  it('report how often the shadow agrees, and offer the calls where it differs for review', async () => {
    await named('compared');
    const { shadow_agreement: none } = (await put('/models/compared/shadow', { version: 2 })).body;
    expect(none).toBeUndefined();
    expect((await get('/models/compared')).shadow_agreement).toEqual({ compared: 0, equal: 0, share: null });
    // The trained model alone knows travellers. Both know destinations, with other confidences.
    const asked = { model_id: 'compared', text: 'Hana wants to fly to Rome' };
    const other = (await post('/inference', { ...asked, schema: ['traveller'] })).body;
    await post('/inference', { ...asked, schema: ['destination'] });
    const { shadow_agreement: agreement } = await api.until(
      () => get('/models/compared'),
      ({ shadow_agreement: { compared } }) => compared === 2,
    );
    expect(agreement).toEqual({ compared: 2, equal: 1, share: 0.5 });
    const { items } = await get('/review?strategy=disagreement&model_id=compared');
    const [shadow] = (await get(`/inferences?model_id=compared@2`)).inferences.filter(
      ({ shadow_of: of }: { shadow_of: string }) => of === other.inference_id,
    );
    expect(items).toMatchObject([
      {
        inference_id: other.inference_id,
        inference: { output: other.result },
        reason: {
          ...{ strategy: 'disagreement', text: 'version 1 and its shadow, version 2, answered differently' },
          shadow: { inference_id: shadow.id, model_version: 2, output: shadow.output },
        },
      },
    ]);
    await post(`/inferences/${other.inference_id}/feedback`, { verdict: 'correct' });
    await api.drained();
    expect((await get('/review?strategy=disagreement&model_id=compared')).items).toEqual([]);
  });

  it('send neither traffic nor shadow calls to a version that is in use, missing, or of another kind', async () => {
    await named('wrong');
    await post('/models/wrong/versions', { model_id: EMBEDDER });
    for (const [body, expected] of [
      [{ version: 1, percent: 5 }, 409],
      [{ version: 9, percent: 5 }, 404],
      [{ version: 2, percent: 101 }, 422],
      [{ percent: 5 }, 422],
    ] as const)
      expect([body, (await put('/models/wrong/traffic', body)).status]).toEqual([body, expected]);
    for (const [body, expected] of [
      [{ version: 1 }, 409],
      [{ version: 3 }, 409],
      [{ version: 9 }, 404],
      [{}, 422],
    ] as const)
      expect([body, (await put('/models/wrong/shadow', body)).status]).toEqual([body, expected]);
  });

  it('`gliner-2` is the model that calls of /gliner-2 run by default', async () => {
    const ask = async () => {
      await post('/gliner-2', { text: 'Hana flies to Rome', schema: { entities: ['person'] } });
      await api.drained();
      return (await get('/inferences?limit=1')).inferences[0];
    };
    expect(await ask()).toMatchObject({ model_id: BASE, training_job_id: null });
    await named('gliner-2');
    await promote('gliner-2', 2);
    const record = await api.until(ask, ({ model_id: id }) => id !== BASE);
    expect(record).toMatchObject({ model_id: 'gliner-2', model_version: 2, training_job_id: job });
    await api.call('DELETE', '/models/gliner-2');
    await api.until(ask, ({ model_id: id }) => id === BASE);
  });

  it('are evaluated and trained on as the version that they stand for', async () => {
    await named('measured');
    const client = new TrainingClient(api);
    const body = { base_model: 'measured@2', dataset_name: 'trips' };
    expect(await client.evaluate(body)).toMatchObject({ status: 'complete', training_job_id: job });
    const order = { model_name: 'm', base_model: 'measured', datasets: [{ name: 'trips' }], nr_epochs: 1 };
    expect(await client.start(order)).toMatchObject({ base_model: BASE, root_job_id: null });
  });

  it('are listed among the callable models once a version is in use', async () => {
    const listed = async () => (await get('/v1/models')).data.some(({ id }: { id: string }) => id === 'shown');
    await post('/models', { name: 'shown' });
    expect([await listed(), (await api.call('GET', '/v1/models/shown')).status]).toEqual([false, 404]);
    await named('shown');
    expect(await listed()).toBe(true);
    for (const id of ['shown', 'shown@2'])
      expect(await get(`/v1/models/${id}`)).toMatchObject({ id, owned_by: 'workspace' });
  });

  it('are 409 to calls while no version is in use, and the error tells how to promote one', async () => {
    await post('/models', { name: 'empty' });
    const { status, body } = await call('empty');
    expect([status, body.detail]).toEqual([409, expect.stringContaining('no version in use; promote one')]);
  });

  it("are 409 to calls if the version's job is deleted", async () => {
    await post('/models', { name: 'orphan' });
    const order = { model_name: 'm', base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 1 };
    const client = new TrainingClient(api);
    const { id } = await client.start(order);
    await client.ended(id);
    await post('/models/orphan/versions', { training_job_id: id });
    await promote('orphan', 1);
    await api.call('DELETE', `/felix/training-jobs/${id}`);
    const { status } = await api.until(
      () => call('orphan'),
      (answer) => answer.status !== 200,
    );
    expect(status).toBe(409);
  });

  it('refuse to promote, label or route calls to a version whose job is deleted', async () => {
    await post('/models', { name: 'lost' });
    const client = new TrainingClient(api);
    const order = { model_name: 'm', base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 1 };
    const { id } = await client.start(order);
    await client.ended(id);
    for (const [index, training_job_id] of [job, id, job].entries()) {
      await post('/models/lost/versions', { training_job_id });
      await promote('lost', index + 1);
    }
    await api.call('DELETE', `/felix/training-jobs/${id}`);
    const refused = [
      await promote('lost', 2),
      await post('/models/lost/rollback', { reason: 'worse' }),
      await api.call('PUT', '/models/lost/labels/candidate', { version: 2 }),
      await api.call('PUT', '/models/lost/traffic', { version: 2, percent: 10 }),
      await api.call('PUT', '/models/lost/shadow', { version: 2 }),
    ];
    for (const { status, body } of refused)
      expect([status, body.detail]).toEqual([409, expect.stringContaining(`job ${id}, which is deleted`)]);
    expect((await post('/models/lost/rollback', { reason: 'worse', version: 1 })).body).toMatchObject({ version: 1 });
  });

  it.each([
    [{ name: 'Tickets' }, 422],
    [{ name: 'a/b' }, 422],
    [{ name: 'a@b' }, 422],
    [{ name: NOBODY }, 422],
    [{ name: '' }, 422],
    [{}, 422],
    [{ name: 'x', version: 1 }, 422],
  ])('%j is an invalid name', async (body, expected) => {
    const { status, body: told } = await post('/models', body);
    expect([status, told.errors.length]).toEqual([expected, 1]);
  });

  it('are 409 if the workspace already has a model of that name', async () => {
    await post('/models', { name: 'taken' });
    expect((await post('/models', { name: 'taken' })).status).toBe(409);
  });

  it.each([
    [{}, 422],
    [{ training_job_id: 'x', model_id: BASE }, 422],
    [{ training_job_id: NOBODY }, 404],
    [{ training_job_id: BASE }, 404],
    [{ model_id: 'acme/none' }, 404],
    [{ model_id: 'taken-too' }, 422],
  ])('%j is an invalid version', async (body, expected) => {
    if ((await api.call('GET', '/models/taken-too')).status === 404) await named('taken-too');
    expect((await post('/models/taken-too/versions', body)).status).toBe(expected);
  });

  it('are 404 for a missing version, and promotion requires a reason', async () => {
    await named('strict');
    for (const n of ['9', '0', 'x', '1e3'])
      expect([n, (await put(`/models/strict/versions/${n}/promote`, { reason })).status]).toEqual([n, 404]);
    for (const body of [{}, { reason: '' }, { reason: '  ' }])
      expect((await put('/models/strict/versions/2/promote', body)).status).toBe(422);
    const label = await put('/models/strict/labels/7', { version: 1 });
    expect([label.status, label.body.errors]).toEqual([422, [expect.objectContaining({ loc: ['path', 'label'] })]]);
    expect((await put('/models/strict/labels/next', { version: 9 })).status).toBe(404);
  });

  it('are deleted without the models that they stand for, and numbers continue when a name is made again', async () => {
    await named('brief');
    expect((await api.call('DELETE', '/models/brief')).body.success).toBe(true);
    for (const method of ['GET', 'DELETE']) expect((await api.call(method, '/models/brief')).status).toBe(404);
    expect((await call('brief')).status).toBe(404);
    expect((await call(job)).status).toBe(200);
    await post('/models', { name: 'brief' });
    expect((await post('/models/brief/versions', { model_id: BASE })).body.versions).toMatchObject([{ version: 3 }]);
  });

  it('of a colleague are not found', async () => {
    await named('mine');
    const headers = { 'x-api-key': (await api.colleague()).key };
    for (const [method, path, body] of [
      ['GET', '/models/mine'],
      ['DELETE', '/models/mine'],
      ['POST', '/models/mine/versions', { model_id: BASE }],
      ['PUT', '/models/mine/versions/2/promote', { reason }],
      ['POST', '/models/mine/rollback', { reason, version: 1 }],
      ['PUT', '/models/mine/labels/next', { version: 2 }],
      ['DELETE', '/models/mine/labels/next'],
      ['PUT', '/models/mine/traffic', { version: 2, percent: 5 }],
      ['PUT', '/models/mine/shadow', { version: 2 }],
      ['GET', '/v1/models/mine'],
      ['POST', '/inference', { model_id: 'mine', text: 'x', schema: ['person'] }],
    ] as const)
      expect([method, path, (await api.call(method, path, body, headers)).status]).toEqual([method, path, 404]);
    expect((await api.call('GET', '/models', undefined, headers)).body).toMatchObject({ count: 0, total: 0 });
  });
});
