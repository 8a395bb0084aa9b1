import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { eventually } from '#test/support/eventually.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const model_id = 'anneal/encoder-base-v1';

describe('a dataset from feedback', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi({ engines: QUICK_ENGINES });
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

  it('contains correct answers and corrections of wrong ones, each with its call, and trains a model', async () => {
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
        left_out: { unsure: 1, without_content: 0, other_tasks: 0, excluded_subjects: 0, duplicates: 1 },
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

  it('puts the requested share of the texts into a second dataset, and honours filters', async () => {
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
    for (const since of ['2026-W05', '20260101', '2026-02', '2026-02-30T00:00:00Z'])
      expect(await make({ since })).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'since'] }] } });
  });

  it('keeps the rows of another version, except those whose text was judged since, and reports what changed', async () => {
    const [corrected, agreed] = ['today Eva left.', 'today Eva came.'];
    const since = new Date().toISOString();
    const rows = [
      { text: 'kept', entities: [], label: 'a' },
      { text: corrected, entities: [], label: 'b' },
      { text: corrected, entities: [] },
      { text: agreed, entities: [['Eva', 'person']] },
    ];
    const jsonl = rows.map((row) => JSON.stringify(row)).join('\n');
    await uploadDataset(api, { dataset_name: 'base', filename: 'base.jsonl' }, jsonl);
    for (const text of [corrected, agreed, 'today Eva sings.']) {
      const corrected_output = { entities: { person: ['Eva'] } };
      await say(await call(text), { verdict: 'incorrect', corrected_output });
    }
    const { status, body } = await make({ dataset_name: 'both', since, merge_with: 'base' });
    expect([status, body]).toMatchObject([
      202,
      {
        ...{ rows: 3, conflict_count: 0 },
        merged_with: {
          ...{ dataset_name: 'base', version_number: '1', rows: 4, kept: 1, replaced: 2, duplicates: 1 },
          ...{ newer: 0, held_out: 0, excluded_subjects: 0, conflicting: [corrected, corrected] },
        },
      },
    ]);
    expect((await ready('both')).body).toMatchObject({ status: 'ready', sample_size: 4 });
    const { body: origin } = await api.call('GET', '/lineage/datasets/both/1');
    expect(JSON.stringify(origin)).toContain(body.merged_with.dataset_id);
    const { body: handed } = await api.call('GET', '/lineage/datasets/base/1');
    expect(handed.merged_into).toMatchObject([{ name: 'both', version: 1 }]);
    const eva = [expect.arrayContaining(['Eva', 'person'])];
    expect(await rowsOf('both')).toMatchObject([
      { text: 'kept', label: 'a' },
      { text: corrected, entities: eva, label: 'b' },
      { text: agreed, entities: eva },
      { text: 'today Eva sings.', entities: eva },
    ]);
  });

  it('keeps a row whose verdict is later than the feedback', async () => {
    const text = 'today Eva stays.';
    await say(await call(text), { verdict: 'incorrect', corrected_output: { entities: { person: [] } } });
    const between = new Date(Date.now() + 1).toISOString();
    await eventually(() => new Date().toISOString() > between);
    await say(await call(text), { verdict: 'incorrect', corrected_output: { entities: { person: ['Eva'] } } });
    await make({ dataset_name: 'newest', since: between });
    await ready('newest');
    const { body } = await make({ dataset_name: 'stays', until: between, merge_with: 'newest', merge_with_version: 1 });
    expect(body.merged_with).toMatchObject({ rows: 1, newer: 1, replaced: 0, duplicates: 0 });
    await ready('stays');
    expect((await rowsOf('stays')).filter((row) => row['text'] === text)).toMatchObject([
      { entities: [expect.arrayContaining(['Eva', 'person'])] },
    ]);
  });

  it('makes a pair of each corrected call of a decoder, in every dialect: the corrected answer and that of the model', async () => {
    const question = [{ role: 'user', content: 'Where is it?' }];
    const said = (text: string) => [{ type: 'text', text }];
    const calls = {
      chat: [{ messages: question }, { role: 'assistant', content: 'No idea.' }, 'In Lyon.'],
      messages: [
        { system: 'Be brief.', messages: [{ role: 'user', content: said('And now?') }] },
        {
          role: 'assistant',
          content: [{ type: 'thinking', thinking: 'Hm' }, ...said('Well, '), ...said('who knows.')],
        },
        { content: said('In Ghent.') },
      ],
      responses: [
        { instructions: 'Be kind.', input: 'Is it late?' },
        { status: 'completed', output: [{ type: 'message', role: 'assistant', content: said('Yes!') }] },
        'I am afraid it is.',
      ],
      native: [{ messages: [{ role: 'user', content: 'When?' }] }, 'Soon.', { completion: 'On Monday.' }],
      choices: [
        { messages: [{ role: 'user', content: 'Which?' }], n: 2 },
        [{ content: 'This.' }, { content: 'That.' }],
        [{ content: 'This.' }, { content: 'The red one.' }],
      ],
      text: [{ prompt: 'Once upon' }, 'a time', 'two times'],
      tools: [
        { messages: [{ role: 'user', content: 'Look.' }] },
        { content: null, tool_calls: [{ function: { name: 'look' } }] },
        'Here.',
      ],
    };
    const lines = Object.entries(calls).map(([id, [input, output, human_corrected_output]]) => ({
      ...{ id, model_id: 'writer@1', task: 'generate', created_at: '2026-01-03T00:00:00Z', input, output },
      ...{ human_verdict: 'incorrect', human_corrected_output },
    }));
    const agreed = { ...lines[0], id: 'agreed', human_verdict: 'correct', human_corrected_output: undefined };
    const ndjson = { 'x-api-key': api.key, 'content-type': 'application/x-ndjson' };
    const body = [...lines, agreed].map((line) => JSON.stringify(line)).join('\n');
    expect((await api.call('POST', '/inferences/import', body, ndjson)).body).toMatchObject({ imported: 8 });
    await api.drained();
    const asked = { dataset_name: 'better', model: 'writer', dataset_type: 'decoder' };
    expect(await make({ ...asked, dataset_type: undefined })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('corrections of decoders give rows with dataset_type decoder') },
    });
    const made = await make(asked);
    expect(made).toMatchObject({ status: 202, body: { rows: 5, left_out: { other_tasks: 0, without_pair: 3 } } });
    expect((await ready('better')).body).toMatchObject({ status: 'ready', sample_size: 5, dataset_type: 'decoder' });
    const system = (content: string) => ({ role: 'system', content });
    const user = (content: string) => ({ role: 'user', content });
    const rows = await rowsOf('better');
    expect(rows).toHaveLength(5);
    expect(rows).toEqual(
      expect.arrayContaining(
        [
          { prompt: question, chosen: 'In Lyon.', rejected: 'No idea.' },
          { prompt: [system('Be brief.'), user('And now?')], chosen: 'In Ghent.', rejected: 'Well, who knows.' },
          { prompt: [system('Be kind.'), user('Is it late?')], chosen: 'I am afraid it is.', rejected: 'Yes!' },
          { prompt: [user('When?')], chosen: 'On Monday.', rejected: 'Soon.' },
          { prompt: [user('Which?')], chosen: 'The red one.', rejected: 'That.' },
        ].map((row) => ({ ...row, source_inference_id: expect.any(String) })),
      ),
    );
    for (const field of ['label', 'merge_with'])
      expect(await make({ ...asked, [field]: 'a' })).toMatchObject({
        status: 422,
        body: { errors: [{ loc: ['body', field] }] },
      });
  });

  it('contains no row of an excluded person, and counts their calls', async () => {
    const created_at = '2026-01-01T00:00:00Z';
    const judged = { model_id: 'theirs@1', created_at, output: { classification: 'a' }, human_verdict: 'correct' };
    const lines = ['p1', 'p2', 'p3'].map((user) => JSON.stringify({ ...judged, id: user, input: `by ${user}`, user }));
    const ndjson = { 'x-api-key': api.key, 'content-type': 'application/x-ndjson' };
    const { body: imported } = await api.call('POST', '/inferences/import', lines.join('\n'), ndjson);
    expect(imported).toMatchObject({ imported: 3 });
    await api.drained();
    const { body } = await make({ dataset_name: 'persons', model: 'theirs', exclude_subjects: ['p1', 'p2', 'gone'] });
    expect(body).toMatchObject({ rows: 1, left_out: { excluded_subjects: 2 } });
    await ready('persons');
    expect(await rowsOf('persons')).toMatchObject([{ text: 'by p3' }]);
    expect((await make({ dataset_name: 'persons', exclude_subjects: [''] })).status).toBe(422);
  });

  it('drops rows of excluded persons and of erased calls from the version that it merges with', async () => {
    const created_at = '2026-01-02T00:00:00Z';
    const judged = { model_id: 'kept@1', created_at, output: { classification: 'a' }, human_verdict: 'correct' };
    const users = ['k1', 'k2', ...Array.from({ length: 120 }, () => 'k3')];
    const lines = users.map((user, at) => JSON.stringify({ ...judged, id: `${at}`, input: `kept ${at}`, user }));
    const ndjson = { 'x-api-key': api.key, 'content-type': 'application/x-ndjson' };
    expect((await api.call('POST', '/inferences/import', lines.join('\n'), ndjson)).body.imported).toBe(122);
    await api.drained();
    await make({ dataset_name: 'before', model: 'kept' });
    await ready('before');
    const { body: list } = await api.call('GET', '/inferences?model_id=kept@1&text=kept%201');
    const erased = await api.call('DELETE', `/inferences/${list.inferences[0].id}`);
    expect([list.total, erased.status]).toEqual([1, 200]);
    await api.drained();
    const merged = { merge_with: 'before', exclude_subjects: ['k1'] };
    const { body } = await make({ dataset_name: 'after', model: 'kept', since: '2026-01-01T00:00:00Z', ...merged });
    expect(body.merged_with).toMatchObject({ rows: 122, excluded_subjects: 2, kept: 0, duplicates: 120 });
    await ready('after');
    const texts = (await rowsOf('after')).map(({ text }) => text);
    expect([texts.length, texts.includes('kept 0'), texts.includes('kept 1')]).toEqual([120, false, false]);
    expect((await make({ dataset_name: 'all', model: 'kept', merge_with: 'before' })).body.merged_with).toMatchObject({
      ...{ excluded_subjects: 0, kept: 1, duplicates: 121 },
    });
  });

  it('is refused when the version to merge with is missing, or has rows of another kind', async () => {
    const row = {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
      ],
    };
    await uploadDataset(
      api,
      { dataset_name: 'chats', filename: 'c.jsonl', dataset_type: 'decoder' },
      JSON.stringify(row),
    );
    expect((await make({ merge_with: 'gone' })).status).toBe(404);
    for (const fields of [{ merge_with: 'chats' }, { merge_with_version: 1 }]) {
      const { status, body } = await make(fields);
      expect([status, body.errors?.[0]?.loc]).toEqual([422, ['body', 'merge_with']]);
    }
  });
});
