import type { Answer, TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';

const model_id = 'anneal/encoder-base-v1';
const TEXTS = [
  'Maria Rossi flew from Lisbon to Berlin.',
  'then maria left with jordan for paris texas',
  'May met April in Florence',
  'Where is my order?',
];

describe('the review queue', () => {
  let api: TestApi;
  /** Headers of a workspace of the test's own. */
  let own: Record<string, string>;
  beforeAll(async () => {
    api = await sharedTestApi();
  });
  beforeEach(async () => {
    own = { 'x-api-key': (await api.colleague()).key };
  });
  afterAll(() => api.close());

  const infer = async (body: object): Promise<string> =>
    (await api.call('POST', '/inference', { model_id, schema: ['person', 'city'], ...body }, own)).body.inference_id;
  /** A call with a class that is chosen by its name alone, at a confidence of at most 0.6. */
  const doubted = (): Promise<string> =>
    infer({
      text: TEXTS[0],
      schema: { entities: ['person', 'city'], classifications: [{ task: 'topic', labels: ['travel', 'money'] }] },
    });
  const queue = async (query = '', headers = own): Promise<Answer> => {
    await api.drained();
    return api.call('GET', `/review?${query}`, undefined, headers);
  };
  const ids = ({ body }: Answer): string[] =>
    body.items.map(({ inference_id }: { inference_id: string }) => inference_id);
  const step = (id: string, name: string, body: object = {}) => api.call('POST', `/review/${id}/${name}`, body, own);
  const judge = (id: string, body: object) => api.call('POST', `/inferences/${id}/feedback`, body, own);

  it('with strategy uncertain lists doubtful answers, the lowest confidence first, with the call and the reason', async () => {
    for (const text of TEXTS) await infer({ text, include_confidence: false });
    const { status, body } = await queue();
    expect(status).toBe(200);
    expect(body.items).not.toEqual([]);
    const confidences = body.items.map(({ confidence }: { confidence: number }) => confidence);
    expect(confidences).toEqual(confidences.toSorted((a: number, b: number) => a - b));
    const [first] = body.items;
    expect(first).toEqual({
      inference_id: first.inference.id,
      ...{ state: 'open', assigned_to: null, reserved_by: null, reserved_until: null },
      reason: {
        strategy: 'uncertain',
        value: confidences[0],
        text: `the least certain answer, ${first.label}, has a confidence of ${confidences[0]}`,
      },
      confidence: confidences[0],
      label: expect.stringMatching(/^(person|city)$/),
      inference: expect.objectContaining({ model_id, input: expect.objectContaining({ text: expect.any(String) }) }),
    });
  });

  it('is filtered by model and label', async () => {
    const named = await infer({ text: TEXTS[0] });
    // Classes that are chosen by their names alone have a confidence of at most 0.6.
    const schema = { classifications: [{ task: 'topic', labels: ['travel', 'money'] }] };
    const alias = 'fastino/gliner2-base-v1';
    const travel = await infer({ model_id: alias, text: 'travel travel', schema });
    expect(ids(await queue(`model_id=${alias}`))).toEqual([travel]);
    expect(ids(await queue(`model_id=${model_id}&strategy=random`))).toEqual([named]);
    expect(ids(await queue(`model_id=${alias}&label=travel`))).toEqual([travel]);
    expect(ids(await queue(`model_id=${alias}&label=money`))).toEqual([]);
    expect(ids(await queue(`model_id=${alias}&strategy=random&label=travel`))).toEqual([travel]);
    expect(ids(await queue(`model_id=${alias}&strategy=random&label=money`))).toEqual([]);
  });

  it('is filtered by a named model, whichever version or label its calls named', async () => {
    const post = (path: string, body: object) => api.call('POST', path, body, own);
    for (const name of ['topics', 'others']) {
      await post('/models', { name });
      await post(`/models/${name}/versions`, { model_id });
      await api.call('PUT', `/models/${name}/versions/1/promote`, { reason: 'the first one' }, own);
    }
    const schema = { classifications: [{ task: 'topic', labels: ['travel', 'money'] }] };
    const mine = [];
    for (const named of ['topics', 'topics@1']) mine.push(await infer({ model_id: named, text: 'travel', schema }));
    await infer({ model_id: 'others', text: 'travel', schema });
    await infer({ text: 'travel', schema });
    for (const strategy of ['uncertain', 'random'])
      for (const [label, found] of [
        ['', mine],
        ['&label=travel', mine],
        ['&label=money', []],
      ] as const) {
        const offered = ids(await queue(`model_name=topics&strategy=${strategy}${label}`));
        expect([label, offered.toSorted()]).toEqual([label, found.toSorted()]);
      }
  });

  it('with strategy random lists every open call in an order that only its seed decides', async () => {
    const all = [];
    for (const text of TEXTS) all.push(await infer({ text }));
    const order = ids(await queue('strategy=random'));
    expect(order.toSorted()).toEqual(all.toSorted());
    expect(ids(await queue('strategy=random'))).toEqual(order);
    const seeded = await Promise.all([...'abcdefgh'].map((seed) => queue(`strategy=random&seed=${seed}`)));
    for (const answer of seeded) expect(ids(answer).toSorted()).toEqual(all.toSorted());
    expect(ids(await queue('strategy=random&seed=a&limit=2'))).toEqual(ids(seeded[0]!).slice(0, 2));
  });

  it('gives one call to one of many reviewers who reserve it at once, and to no other', async () => {
    const id = await doubted();
    const reviewers = ['ada', 'bob', 'cy', 'dee', 'eve'];
    const answers = await Promise.all(reviewers.map((reviewer) => step(id, 'reserve', { reviewer })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409]);
    const holder = answers.find(({ status }) => status === 200)!.body.reserved_by;
    for (const reviewer of reviewers)
      expect([reviewer, ids(await queue(`reviewer=${reviewer}`))]).toEqual([reviewer, reviewer === holder ? [id] : []]);
    const { body } = await step(id, 'reserve', { reviewer: holder });
    expect(body).toMatchObject({ state: 'reserved', reserved_by: holder, reserved_until: expect.any(String) });
    const other = reviewers.find((each) => each !== holder)!;
    expect((await step(id, 'release', { reviewer: other })).status).toBe(409);
    expect((await step(id, 'release', { reviewer: holder })).body).toMatchObject({ state: 'open', reserved_by: null });
    expect((await step(id, 'reserve', { reviewer: other })).status).toBe(200);
  });

  it('leaves out calls that were skipped or have a verdict', async () => {
    const [skipped, judged] = [await infer({ text: TEXTS[0] }), await infer({ text: TEXTS[1] })];
    const answer = await step(skipped, 'skip', { reason: 'seen before' });
    expect([answer.status, answer.body.state]).toEqual([200, 'skipped']);
    expect((await step(skipped, 'reserve')).status).toBe(409);
    expect((await judge(judged, { verdict: 'correct' })).status).toBe(200);
    expect((await step(judged, 'reserve')).status).toBe(409);
    expect(ids(await queue())).toEqual([]);
    expect((await step(skipped, 'assign', { reviewer: 'bob' })).body).toMatchObject({ assigned_to: 'bob' });
  });

  it('shows an assigned call only to its reviewer', async () => {
    const id = await infer({ text: TEXTS[0] });
    const { body } = await step(id, 'assign', { reviewer: 'bob' });
    expect(body).toMatchObject({ state: 'assigned', assigned_to: 'bob' });
    expect(ids(await queue())).toEqual([]);
    expect(ids(await queue('assigned=true&reviewer=ada'))).toEqual([]);
    expect(ids(await queue('assigned=true&reviewer=bob'))).toEqual([id]);
    expect((await step(id, 'reserve', { reviewer: 'ada' })).status).toBe(409);
    expect((await step(id, 'reserve', { reviewer: 'bob' })).status).toBe(200);
  });

  it('offers a share of judged calls to a second reviewer, who does not see the verdict', async () => {
    const id = await doubted();
    await step(id, 'reserve', { reviewer: 'ada' });
    await judge(id, { verdict: 'correct', notes: 'sure', reviewer: 'ada' });
    expect(ids(await queue('reviewer=bob'))).toEqual([]);
    for (const strategy of ['uncertain', 'random', 'random&label=city&model_id=anneal/encoder-base-v1']) {
      const share = `strategy=${strategy}&second_review_share=1`;
      expect(ids(await queue(`${share}&reviewer=ada`))).toEqual([]);
      const { body } = await queue(`${share}&reviewer=bob`);
      expect(body.items.map((item: { inference_id: string }) => item.inference_id)).toEqual([id]);
      expect(JSON.stringify(body)).not.toMatch(/human_|sure|correct/);
    }
    expect((await step(id, 'reserve', { reviewer: 'bob' })).status).toBe(200);
    await judge(id, { verdict: 'correct', reviewer: 'bob' });
    expect(ids(await queue('second_review_share=1&reviewer=cy'))).toEqual([]);
  });

  it('offers a share of the failed calls with one verdict again, the newest first', async () => {
    const created_at = '2026-01-01T00:00:00Z';
    const lines = TEXTS.slice(0, 2).map((text) =>
      JSON.stringify({ model_id: 'theirs', created_at, status: 'failed', task: 'schema', input: text }),
    );
    const ndjson = { ...own, 'content-type': 'application/x-ndjson' };
    const { body } = await api.call('POST', '/inferences/import', lines.join('\n'), ndjson);
    expect(body).toMatchObject({ imported: 2, refused: 0 });
    const failed = ids(await queue('strategy=errors'));
    expect(failed).toHaveLength(2);
    await judge(failed[0]!, { verdict: 'unsure', reviewer: 'ada' });
    const share = 'strategy=errors&second_review_share=1';
    expect(ids(await queue('strategy=errors&reviewer=bob'))).toEqual([failed[1]]);
    expect(ids(await queue(`${share}&reviewer=bob`)).toSorted()).toEqual(failed.toSorted());
    expect(ids(await queue(`${share}&reviewer=ada`))).toEqual([failed[1]]);
  });

  it('with strategy disagreement lists calls on which reviewers differ', async () => {
    const id = await infer({ text: TEXTS[0] });
    await judge(id, { verdict: 'correct', reviewer: 'ada' });
    await judge(id, {
      verdict: 'incorrect',
      corrected_output: { entities: { person: [], city: [] } },
      reviewer: 'bob',
    });
    const { body } = await queue('strategy=disagreement');
    expect(body.items).toEqual([
      expect.objectContaining({
        inference_id: id,
        reason: { strategy: 'disagreement', value: 2, text: 'the verdicts of 2 reviewers differ' },
      }),
    ]);
  });

  it("with strategy novel lists first the calls that are farthest from a model's training rows", async () => {
    const ready = { ...api, call: (method: string, path: string, body?: unknown) => api.call(method, path, body, own) };
    const client = new TrainingClient(ready);
    const trained = async (dataset_name: string, rows: readonly object[]): Promise<string> => {
      const content = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      await uploadDataset(ready, { dataset_name, filename: 'rows.jsonl' }, content);
      const { id } = await client.start({
        model_name: 'm',
        base_model: model_id,
        datasets: [{ name: dataset_name }],
        nr_epochs: 1,
      });
      expect(await client.ended(id)).toMatchObject({ status: 'complete' });
      return id;
    };
    const labelled = (texts: readonly string[], label: string) => texts.map((text) => ({ text, label }));
    const job = await trained('mails', [
      ...labelled(['Where is my parcel?', 'The parcel is late.', 'When does the parcel come?'], 'delivery'),
      ...labelled(['I want my money back.', 'Please refund the kettle.', 'Give me a refund.'], 'refund'),
    ]);
    const ask = (text: string) => infer({ model_id: job, text, schema: undefined });
    const [known, far] = [await ask('Where is my parcel?'), await ask('zzz qqq xxx')];
    await ready.call('POST', '/models', { name: 'mails' });
    await ready.call('POST', '/models/mails/versions', { training_job_id: job });
    await ready.call('PUT', '/models/mails/versions/1/promote', { reason: 'the first' });
    const byName = [await infer({ model_id: 'mails', text: 'qqq zzz', schema: undefined })];
    expect(ids(await queue('strategy=novel&model_name=mails'))).toEqual(byName);
    const { status, body } = await queue(`strategy=novel&model_id=${job}`);
    expect([status, ids({ body } as Answer)]).toEqual([200, [far, known]]);
    const [first, second] = body.items.map(({ reason }: { reason: { value: number } }) => reason.value);
    expect([first, second]).toEqual([1, expect.closeTo(0, 3)]);
    expect(body.items[0].reason.text).toBe('the nearest training row is at a distance of 1');

    const cities = ['Rome', 'Oslo', 'Lima', 'Bonn'].map((city) => ({
      text: `to ${city}`,
      entities: [[city, 'place']],
    }));
    const finder = await trained('places', cities);
    const near = await infer({ model_id: finder, text: 'to Oslo', schema: undefined });
    const strange = await infer({ model_id: finder, text: 'qqq', schema: undefined });
    expect(ids(await queue(`strategy=novel&model_id=${finder}`))).toEqual([strange, near]);
    const refused = await queue(`strategy=novel&model_id=${model_id}`);
    expect([refused.status, refused.body.errors[0].loc]).toEqual([422, ['query', 'model_id']]);
  });

  it("contains only the workspace's own calls", async () => {
    const id = await infer({ text: TEXTS[0] });
    await step(id, 'reserve');
    const { key } = await api.colleague();
    const hers = { 'x-api-key': key };
    expect(ids(await queue('strategy=random', hers))).toEqual([]);
    for (const [name, body] of [
      ['reserve', {}],
      ['release', {}],
      ['skip', {}],
      ['assign', { reviewer: 'bob' }],
    ] as const)
      expect([name, (await api.call('POST', `/review/${id}/${name}`, body, hers)).status]).toEqual([name, 404]);
  });

  it.each([
    ['strategy=novelty', 400, 'strategy'],
    ['label=city', 422, 'label'],
    ['model_name=m&model_id=m', 422, 'model_name'],
    ['seed=a', 422, 'seed'],
    ['strategy=novel', 422, 'model_id'],
    ['second_review_share=2', 422, 'second_review_share'],
  ])('refuses %s by name', async (query, expected, name) => {
    const { status, body } = await queue(query);
    expect(status).toBe(expected);
    expect(JSON.stringify(body)).toContain(name);
  });

  it('reports a missing field as missing', async () => {
    const { body } = await queue('strategy=novel');
    expect(body).toMatchObject({ errors: [{ loc: ['query', 'model_id'], type: 'missing' }] });
  });
});
