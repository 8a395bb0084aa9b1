import { anotherApi } from '#test/support/another-api.js';
import type { TestApi } from '#test/support/api.js';
import { settled } from '#test/support/datasets.js';
import { generate } from '#test/support/generation.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const REQUESTS = {
  ner: { labels: ['person', 'city'] },
  classification: { labels: ['positive', 'negative'] },
  custom: { prompt: 'Generate short product reviews with their sentiment' },
  decoder: { domain_description: 'customer support of an online shop' },
  records: { fields: [{ name: 'email' }, { name: 'age', type: 'number' }, { name: 'plan', choices: ['free', 'pro'] }] },
  fields: {
    input_fields: [{ name: 'review' }],
    output_fields: [{ name: 'sentiment', choices: ['positive', 'negative'] }],
  },
};

describe('synthetic data', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi();
  });
  afterAll(() => api.close());

  const start = (body: object, headers?: Record<string, string>) => api.call('POST', '/generate', body, headers);

  it.each(Object.entries(REQUESTS))('%s rows become the next version of the named dataset', async (task, fields) => {
    const body = { task_type: task, ...fields, num_examples: 30, dataset_name: `made ${task}`, seed: 5 };
    const first = await start(body);
    expect(first.status).toBe(202);
    expect(first.body).toEqual({ job_id: expect.any(String), status: 'queued' });
    const job = await settled(api, `/generate/jobs/${first.body.job_id}`);
    expect(job).toMatchObject({
      status: 'ready',
      task_type: task,
      dataset_name: `made ${task}`,
      count: 30,
      progress_percent: 100,
      error: null,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      model_id: 'built-in',
      num_examples: 30,
      seed: 5,
    });
    expect(job.version_number).toBe('1');
    expect(job.distinct_share).toBeGreaterThan(0.5);
    expect('data' in job).toBe(false);
    const version = await api.call('GET', `/felix/datasets/made ${task}/${job.version_number}`);
    expect(version.body).toMatchObject({
      status: 'ready',
      dataset_type: task,
      generation_type: 'synthetic',
      sample_size: 30,
    });
    const { body: preview } = await api.call('GET', `/felix/datasets/made ${task}/latest/preview?limit=1`);
    expect(preview.total_rows).toBe(30);
  });

  it('generates structures and relations, which a model learns from', async () => {
    const body = {
      ...{ task_type: 'ner', num_examples: 40, dataset_name: 'made heads', seed: 3 },
      structures: [{ name: 'order', fields: [{ name: 'order_id' }, { name: 'cities', type: 'list' }] }],
      relations: [{ name: 'works_for', head: 'person', tail: 'company' }],
    };
    expect(await generate(api, body)).toMatchObject({ status: 'ready', count: 40, warnings: [] });
    const { body: report } = await api.call('GET', '/felix/datasets/made heads/latest/report');
    expect(JSON.stringify(report)).toContain('works_for');
    expect(JSON.stringify(report)).toContain('cities');
  });

  it.each([
    [{ task_type: 'ner' }, ['labels']],
    [{ task_type: 'classification', labels: ['a', 'b'], relations: [{ name: 'works_for' }] }, ['relations']],
    [
      { task_type: 'ner', structures: [{ name: 'order', fields: [{ name: 'age', type: 'number' }] }] },
      ['structures', 0, 'fields', 0, 'type'],
    ],
    [{ task_type: 'ner', structures: [{ name: 'order' }] }, ['structures', 0, 'fields']],
    [{ task_type: 'ner', relations: [{ name: 'lives_in', tail: 'movie' }] }, ['relations', 0, 'tail']],
  ])('refuses heads that cannot be generated, naming the field: %j', async (body, path) => {
    const { status, body: answer } = await start(body);
    expect([status, JSON.stringify(answer)]).toEqual([422, expect.stringContaining(path.at(-1) as string)]);
  });

  it('returns unsaved rows in the job', async () => {
    const body = { task_type: 'ner', ...REQUESTS.ner, num_examples: 5 };
    const unnamed = await generate(api, body);
    expect(unnamed).toMatchObject({ dataset_name: null, version_number: null, count: 5 });
    expect(unnamed.data).toHaveLength(5);
    expect(unnamed.data[0]).toEqual({ text: expect.any(String), entities: expect.any(Array) });
    const unsaved = await generate(api, { ...body, dataset_name: 'never', save_dataset: false });
    expect(unsaved.data).toHaveLength(5);
    expect((await api.call('GET', '/felix/datasets/never')).status).toBe(404);
  });

  it('gives the same rows for the same seed, and others for another', async () => {
    const body = { task_type: 'classification', ...REQUESTS.classification, num_examples: 20, seed: 11 };
    const [one, two] = [await generate(api, body), await generate(api, body)];
    const other = await generate(api, { ...body, seed: 12 });
    expect(two.data).toEqual(one.data);
    expect(other.data).not.toEqual(one.data);
    const own = await generate(api, { ...body, seed: undefined });
    expect(own.seed).toEqual(expect.any(Number));
  });

  it('returns the same job for a repeated request', async () => {
    const body = { task_type: 'ner', ...REQUESTS.ner, num_examples: 3 };
    const headers = { 'x-api-key': api.key, 'idempotency-key': 'once' };
    const [one, two] = [await start(body, headers), await start(body, headers)];
    expect(two).toMatchObject({ status: 202, body: one.body });
  });

  it('reports how the built-in generator interprets a description', async () => {
    const body = { task_type: 'ner', ...REQUESTS.ner, num_examples: 3 };
    expect((await generate(api, { ...body, domain_description: 'travel bookings' })).warnings).toEqual([]);
    const unknown = await generate(api, { ...body, domain_description: 'quantum basket weaving' });
    expect(unknown.warnings).toEqual([
      { code: 'general_text', message: expect.stringContaining('domain_description') },
    ]);
  });

  describe('bad input', () => {
    const fields = (...list: object[]) => ({ task_type: 'records', fields: list });

    it.each<[string, object, (string | number)[], string]>([
      ['no task_type', {}, ['task_type'], 'missing'],
      ['an unsupported task_type', { task_type: 'poem' }, ['task_type'], 'not_allowed'],
      ['ner without labels', { task_type: 'ner' }, ['labels'], 'missing'],
      ['ner with null labels', { task_type: 'ner', labels: null }, ['labels'], 'missing'],
      ['ner with no label', { task_type: 'ner', labels: [] }, ['labels'], 'out_of_range'],
      ['classification without labels', { task_type: 'classification' }, ['labels'], 'missing'],
      ['custom without a prompt', { task_type: 'custom' }, ['prompt'], 'missing'],
      ['decoder without a domain', { task_type: 'decoder' }, ['domain_description'], 'missing'],
      ['records without fields', { task_type: 'records' }, ['fields'], 'missing'],
      [
        'fields without output_fields',
        { task_type: 'fields', input_fields: [{ name: 'review' }] },
        ['output_fields'],
        'missing',
      ],
      [
        'fields without input_fields',
        { task_type: 'fields', output_fields: [{ name: 'review' }] },
        ['input_fields'],
        'missing',
      ],
      ['no example', { task_type: 'ner', ...REQUESTS.ner, num_examples: 0 }, ['num_examples'], 'out_of_range'],
      [
        '10,001 examples',
        { task_type: 'ner', ...REQUESTS.ner, num_examples: 10_001 },
        ['num_examples'],
        'out_of_range',
      ],
      ['examples as text', { task_type: 'ner', ...REQUESTS.ner, num_examples: '5' }, ['num_examples'], 'wrong_type'],
      ['labels as text', { task_type: 'ner', labels: 'city' }, ['labels'], 'wrong_type'],
      [
        'a bad dataset name',
        { task_type: 'ner', ...REQUESTS.ner, dataset_name: 'a/b' },
        ['dataset_name'],
        'wrong_type',
      ],
      ['saving without a name', { task_type: 'ner', ...REQUESTS.ner, save_dataset: true }, ['dataset_name'], 'missing'],
      ['a field without a name', fields({}), ['fields', 0, 'name'], 'missing'],
      ['a field of an unknown type', fields({ name: 'age', type: 'date' }), ['fields', 0, 'type'], 'not_allowed'],
      [
        'a label that it cannot make',
        { task_type: 'ner', labels: ['city', 'spaceship part'] },
        ['labels', 1],
        'not_allowed',
      ],
      ['one label by two names', { task_type: 'ner', labels: ['city', 'town'] }, ['labels', 1], 'not_allowed'],
      [
        'a class that it cannot write',
        { task_type: 'classification', labels: ['haiku', 'spam'] },
        ['labels', 0],
        'not_allowed',
      ],
      [
        'a prompt that it cannot follow',
        { task_type: 'custom', prompt: 'sarcastic product reviews' },
        ['prompt'],
        'not_allowed',
      ],
      [
        'a domain that it does not know',
        { task_type: 'decoder', domain_description: 'falconry' },
        ['domain_description'],
        'not_allowed',
      ],
      ['a field that it cannot fill', fields({ name: 'email' }, { name: 'quux' }), ['fields', 1], 'not_allowed'],
      [
        'an output that it cannot make follow',
        { task_type: 'fields', input_fields: [{ name: 'review' }], output_fields: [{ name: 'reply' }] },
        ['output_fields', 0],
        'not_allowed',
      ],
      [
        'an instruction that it cannot follow',
        { task_type: 'ner', ...REQUESTS.ner, instruction: 'be terse' },
        ['instruction'],
        'not_allowed',
      ],
      [
        'examples that it cannot learn from',
        { task_type: 'ner', ...REQUESTS.ner, classified_examples: [{ text: 'a', label: 'b' }] },
        ['classified_examples'],
        'not_allowed',
      ],
      [
        'an encoder as generator',
        { task_type: 'ner', ...REQUESTS.ner, model_id: 'anneal/encoder-base-v1' },
        ['model_id'],
        'not_allowed',
      ],
    ])('%s is 422 and names the field', async (_, body, field, type) => {
      const answer = await start(body);
      expect(answer.status).toBe(422);
      expect(answer.body.errors[0]).toMatchObject({ loc: ['body', ...field], type });
    });

    it.each<[string, object]>([
      ['an unknown model', { model_id: 'no/such' }],
      ['an unknown project', { project_id: 'nope' }],
    ])('%s is 404', async (_, more) => {
      expect((await start({ task_type: 'ner', ...REQUESTS.ner, ...more })).status).toBe(404);
    });
  });
});

it('120 requests a minute are accepted', async () => {
  const system = await sharedTestApi();
  const api = await anotherApi(system, { rateLimits: true });
  try {
    const sent: number = 130;
    const accepted: number[] = [];
    // A minute may end in the middle of the requests.
    for (let round = 0; round < 3 && accepted.every((count) => count === sent); round += 1) {
      const bodies = Array.from({ length: sent }, () => api.call('POST', '/generate', { task_type: 'poem' }));
      const statuses = (await Promise.all(bodies)).map(({ status }) => status);
      accepted.push(statuses.filter((status) => status === 422).length);
      expect(statuses.filter((status) => status === 429).length).toBe(sent - accepted.at(-1)!);
    }
    expect(accepted.at(-1)).toBeLessThan(sent);
    expect(accepted.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(120);
  } finally {
    await api.close();
    await system.close();
  }
});
