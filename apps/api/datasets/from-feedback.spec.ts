import { startTestApi, type TestApi } from '#test/support/api.js';

const model_id = 'anneal/encoder-base-v1';

describe('a dataset from feedback', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  const call = async (text: string): Promise<string> =>
    (await api.call('POST', '/inference', { model_id, text, schema: ['person'] })).body.inference_id;
  const say = (id: string, body: object) => api.call('POST', `/inferences/${id}/feedback`, body);
  const make = (body: object) => api.call('POST', '/felix/datasets/from-feedback', { dataset_name: 'said', ...body });
  const ready = (name: string) =>
    api.until(
      () => api.call('GET', `/felix/datasets/${name}/latest`),
      ({ body }) => ['ready', 'failed'].includes(body.status),
    );
  const rowsOf = async (name: string): Promise<Readonly<Record<string, unknown>>[]> => {
    const path = `/felix/datasets/${name}/1/download?format=jsonl`;
    const text = await (await fetch(`${api.url}${path}`, { headers: { 'x-api-key': api.key } })).text();
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  };

  it('has answers that are right, and corrections of those that are wrong, with their calls, and trains a model', async () => {
    expect((await make({})).status).toBe(409);
    const right = await call('then Maria left.');
    const wrong = await call('then Paris left.');
    const disputed = await call('then Anna left.');
    await say(right, { verdict: 'correct' });
    await say(wrong, { verdict: 'incorrect', corrected_output: { entities: { person: [] } } });
    await say(disputed, { verdict: 'incorrect', corrected_output: { entities: { person: ['Anna left'] } } });
    await say(disputed, { verdict: 'correct', reviewer: 'Ann' });
    await say(await call('then Bob left.'), { verdict: 'unsure' });
    const { status, body } = await make({});
    expect([status, body]).toMatchObject([
      202,
      {
        ...{ dataset_name: 'said', version_number: '1', generation_type: 'feedback', rows: 3, held_out: null },
        left_out: { unsure: 1, without_content: 0, other_tasks: 0, duplicates: 1 },
        ...{ conflict_count: 1, conflicting: [{ text: 'then Anna left.', inference_ids: [disputed] }] },
      },
    ]);
    expect((await ready('said')).body).toMatchObject({ status: 'ready', sample_size: 3 });
    const rows = await rowsOf('said');
    expect(rows).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ text: 'then Maria left.', source_inference_id: right }),
        expect.objectContaining({ text: 'then Paris left.', entities: [], source_inference_id: wrong }),
        expect.objectContaining({ text: 'then Anna left.', source_inference_id: disputed }),
      ]),
    );
    const job = { model_name: 'said', base_model: model_id, datasets: [{ name: 'said' }], nr_epochs: 1 };
    const { body: asked } = await api.call('POST', '/felix/training-jobs', job);
    const ended = await api.until(
      () => api.call('GET', `/felix/training-jobs/${asked.id}`),
      (answer) => ['complete', 'failed'].includes(answer.body.status),
    );
    expect(ended.body.status).toBe('complete');
  });

  it('has a share of the texts in a dataset of its own, and what a filter asks for alone', async () => {
    const texts = Array.from({ length: 12 }, (_, n) => `now Maria ${n} left.`);
    for (const text of texts) await say(await call(text), { verdict: 'correct' });
    const { body } = await make({ dataset_name: 'split', held_out_share: 0.5, verdict: 'correct', model: model_id });
    expect([body.dataset_name, body.held_out.dataset_name]).toEqual(['split', 'split-held-out']);
    await ready('split');
    await ready('split-held-out');
    const [train, held] = [await rowsOf('split'), await rowsOf('split-held-out')];
    expect(train.length + held.length).toBe(body.rows);
    const trained = new Set(train.map(({ text }) => text));
    expect(held.some(({ text }) => trained.has(text))).toBe(false);
    for (const filter of [{ model: 'none' }, { label: 'none' }, { until: '2020-01-01T00:00:00Z' }])
      expect((await make({ dataset_name: 'filtered', ...filter })).status).toBe(409);
    expect((await make({ project_id: 'none' })).status).toBe(404);
  });
});
