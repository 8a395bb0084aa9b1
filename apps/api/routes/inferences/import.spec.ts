import type { Answer, TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const created_at = '2020-12-31T10:00:00.000Z';
const answered = {
  created_at,
  model_id: 'tickets@7',
  input: { text: 'Ada left Lyon', schema: { entities: ['person', 'city'] } },
  output: { entities: { person: [{ text: 'Ada', confidence: 0.4 }], city: ['Lyon'] } },
};

const messages = [{ role: 'user', content: 'Where is order 90210?' }];
const said = { role: 'assistant', content: 'In Ghent.' };

describe('an import of calls', () => {
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

  const send = async (body: string, headers = own, query = ''): Promise<Answer['body']> => {
    const answer = await api.call('POST', `/inferences/import${query}`, body, {
      'content-type': 'application/x-ndjson',
      ...headers,
    });
    expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
    return answer.body;
  };
  const lines = (...all: unknown[]) => all.map((each) => JSON.stringify(each)).join('\n');
  const get = async (path: string, headers = own) => (await api.call('GET', path, undefined, headers)).body;
  const counts = ({ imported, unchanged, refused }: Answer['body']) => [imported, unchanged, refused];
  const listed = async (query = '') => {
    await api.drained();
    return (await get(`/inferences?${query}`)).inferences;
  };

  it("adds them to the history, marked as imported, with the importer and the lines' fields", async () => {
    const line = { id: 'theirs-1', ...answered, latency_ms: 12, input_tokens: 5, user: 'desk 4', metadata: { a: 1 } };
    expect(await send(lines({ ...line, cost: 0.5 }))).toEqual({
      ...{ lines: 1, imported: 1, unchanged: 0, refused: 0, errors: [] },
    });
    const [call] = await listed();
    expect(call).toMatchObject({
      ...{ source: 'imported', model_id: 'tickets@7', model_name: 'tickets', model_version: 7, created_at },
      ...{ input: answered.input, output: answered.output, status: 'success', task: 'schema', cost: 0 },
      ...{ latency_ms: 12, input_tokens: 5, training_job_id: null },
      imported: {
        ...{ by: expect.stringMatching(/^key:/), at: TIME, id: 'theirs-1', user: 'desk 4', metadata: { a: 1 } },
        origin: { cost: 0.5 },
      },
    });
    expect(await get(`/inferences/${call.id}`)).toEqual(call);
    const { events } = await get(`/events?stream=imported-${call.id}`);
    expect(events).toEqual([
      expect.objectContaining({
        type: 'inference-imported.v1',
        actor: call.imported.by,
        occurred_at: call.imported.at,
      }),
    ]);
  });

  it('of the same file again changes nothing, with or without ids in the lines', async () => {
    const file = lines({ id: 'a', ...answered }, answered, { ...answered, input: 'Grace left' }, answered);
    expect(counts(await send(file))).toEqual([3, 1, 0]);
    expect(counts(await send(`\ufeff${file.replaceAll('\n', '\r\n\r\n')}\r\n`))).toEqual([0, 4, 0]);
    expect(await listed()).toHaveLength(3);
  });

  it('refuses a different line with a known id, and leaves the call unchanged', async () => {
    await send(lines({ id: 'a', ...answered }));
    const { errors } = await send(lines({ id: 'a', ...answered, latency_ms: 7 }));
    expect(errors).toEqual([
      { line: 1, id: 'a', field: null, reason: expect.stringMatching(/^was imported before with other content/) },
    ]);
    expect((await listed())[0].latency_ms).toBeNull();
  });

  it.each([
    ['no JSON', '{"id":', null, 'the line is not valid JSON'],
    ['no object', '[]', null, 'must be a JSON object'],
    ['no model', { ...answered, model_id: null }, 'model_id', 'is required'],
    ['no time', { ...answered, created_at: undefined }, 'created_at', 'must be an ISO 8601 time'],
    ['a time to come', { ...answered, created_at: '2999-01-01' }, 'created_at', 'must not be in the future'],
    ['an invalid day', { ...answered, created_at: '2020-02-30T00:00:00Z' }, 'created_at', 'must be an ISO 8601 time'],
    [
      'a verdict to come',
      { ...answered, human_verdict: 'correct', human_feedback_at: '2999-01-01' },
      'human_feedback_at',
      'must not be in the future',
    ],
    ['no input', { ...answered, input: undefined }, 'input', 'is required'],
    ['no text', { ...answered, input: { schema: ['city'] } }, 'input', 'must have a string'],
    [
      'a schema of none',
      { ...answered, input: { text: 'a', schema: { classifications: [null] } } },
      'input',
      'has a schema',
    ],
    ['no output', { ...answered, output: null }, 'output', 'is required'],
    ['too few results', { ...answered, input: ['a', 'b'], output: [{}] }, 'output', 'must be a list of 2 results'],
    ['an unknown field', { ...answered, surprise: 1 }, 'surprise', 'is not a field'],
    ['a wrong status', { ...answered, status: 'maybe' }, 'status', 'must be one of'],
    ['a cut input', { ...answered, truncated_fields: ['input'] }, null, 'the export shortened its input'],
    ['notes alone', { ...answered, human_feedback_notes: 'n' }, 'human_verdict', 'is required'],
    ['no correction', { ...answered, human_verdict: 'incorrect' }, 'corrected_output', 'is required when'],
    [
      'a correction that does not fit',
      { ...answered, human_verdict: 'incorrect', human_corrected_output: { entities: { city: ['Oslo'] } } },
      'human_corrected_output.entities.city.0',
      'does not occur',
    ],
    ['a long line', { ...answered, metadata: { long: 'x'.repeat(600_000) } }, null, 'larger than 512 KiB'],
  ])('reports a line with %s by number, and accepts the others', async (_, wrong, field, reason) => {
    const line = typeof wrong === 'string' ? wrong : JSON.stringify(wrong);
    const report = await send(
      `${lines({ ...answered, id: 'first' })}\n${line}\n${lines({ ...answered, id: 'third' })}`,
    );
    expect([counts(report), report.errors]).toEqual([
      [2, 0, 1],
      [{ line: 2, id: null, field, reason: expect.stringContaining(reason) }],
    ]);
  });

  it('accepts an export unchanged into another workspace, and adds nothing to its own', async () => {
    const schema = { entities: ['person', 'city'] };
    const ids: string[] = [];
    for (const text of ['Maria left Lisbon.', 'Ada wrote'])
      ids.push(
        (await api.call('POST', '/inference', { model_id: 'anneal/encoder-base-v1', text, schema }, own)).body
          .inference_id,
      );
    await api.drained();
    const corrected_output = { entities: { person: ['Maria'], place: ['Lisbon'] } };
    const feedback = { verdict: 'incorrect', corrected_output, new_labels: ['place'], notes: 'a place' };
    const given = await api.call('POST', `/inferences/${ids[0]}/feedback`, feedback, own);
    expect(given.status).toBe(200);
    await send(lines({ id: 'a', ...answered }));
    const exported = async (headers: Record<string, string>) => {
      await api.drained();
      return (await fetch(`${api.url}/inferences/export?format=jsonl`, { headers })).text();
    };
    const file = await exported(own);
    expect(counts(await send(file))).toEqual([0, 3, 0]);
    const hers = { 'x-api-key': (await api.colleague()).key };
    expect(counts(await send(file, hers))).toEqual([3, 0, 0]);
    const records = (await exported(hers))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const first = records.find(({ imported }) => imported.id === ids[0]);
    expect(first).toMatchObject({
      ...{ source: 'imported', human_verdict: 'incorrect', human_corrected_output: corrected_output },
      ...{ human_feedback_notes: 'a place', human_feedback_at: given.body.human_feedback_at, cost: 0 },
      imported: { origin: { source: 'api' } },
    });
    const again = records.find(({ imported }) => imported.origin.imported);
    expect(again.imported.origin.imported.id).toBe('a');
  });

  it('is reviewed, judged, counted and made into datasets like other calls, and never billed', async () => {
    const wrong = { human_verdict: 'incorrect', human_corrected_output: { entities: { person: ['Ada', 'Lyon'] } } };
    await send(
      lines(
        { id: 'a', ...answered },
        { id: 'b', ...answered, input: { text: 'Lyon left Ada' }, ...wrong, reviewer: 'ada' },
        { id: 'c', ...answered, status: 'failed', output: null, error_type: 'timeout' },
        { id: 'shadow', ...answered, shadow_of: 'a' },
        { id: 'd', model_id: 'them', created_at, input: [{ role: 'user', content: 'Hi' }], output: 'Hello' },
      ),
    );
    const review = async (query: string) => (await get(`/review?${query}`)).items;
    expect(await review('model_name=tickets')).toMatchObject([{ confidence: 0.4, label: 'person' }]);
    const [doubtful] = await review('model_name=tickets');
    expect(await review('strategy=errors')).toMatchObject([{ inference: { error_type: 'timeout' } }]);
    const judged = await api.call('POST', `/inferences/${doubtful.inference_id}/feedback`, { verdict: 'correct' }, own);
    expect(judged.status).toBe(200);
    await api.drained();
    expect((await listed('task=generate'))[0]).toMatchObject({ output: 'Hello', model_name: 'them' });
    const { groups } = await get('/inferences/stats?group_by=version');
    expect(groups.find(({ version }: { version: string }) => version === 'tickets@7')).toMatchObject({
      ...{ count: 3, failed: 1, cost: 0, verdicts: { correct: 1, incorrect: 1, unsure: 0, none: 1 } },
    });
    const made = await api.call(
      ...(['POST', '/felix/datasets/from-feedback', { dataset_name: 'theirs', model: 'tickets' }, own] as const),
    );
    expect([made.status, made.body.rows]).toEqual([202, 2]);
    const usage = await get('/billing/usage?group_by=model');
    expect(JSON.stringify(usage)).not.toContain('tickets');
  });

  it.each([
    [
      'helicone',
      {
        ...{ request_id: 'h-1', request_created_at: created_at, response_status: 200, request_model: 'fast' },
        ...{ request_body: { messages }, response_body: { choices: [{ message: said }] }, country_code: 'BE' },
        ...{ signed_body_url: 'https://bucket.example/1' },
      },
      { scores: { 'helicone-score-feedback': 1 }, signed_body_url: 'https://bucket.example/2' },
      { country_code: 'BE' },
    ],
    [
      'langfuse',
      {
        ...{ id: 'l-1', traceId: 't', type: 'GENERATION', startTime: created_at, model: 'fast', input: messages },
        ...{ output: said, environment: 'default' },
      },
      { scores: [{ name: 'thumbs', value: 1 }], updatedAt: created_at },
      { environment: 'default', traceId: 't' },
    ],
    [
      'tensorzero',
      {
        ...{ inference_id: 't-1', function_name: 'fast', variant_name: 'mini', timestamp: created_at },
        ...{ input: { messages }, output: [{ type: 'text', text: said.content }], episode_id: 'e' },
      },
      { metrics: { thumbs_up: true } },
      { episode_id: 'e' },
    ],
    [
      'litellm',
      {
        ...{ request_id: 'c-1', call_type: 'acompletion', startTime: created_at, model: 'fast', spend: 0.5 },
        ...{ messages, response: { choices: [{ message: said }] }, request_tags: ['a'] },
      },
      null,
      { request_tags: ['a'], cost: 0.5 },
    ],
    [
      'openai',
      {
        ...{ object: 'chat.completion', id: 'o-1', created: 1_600_000_000, model: 'fast', messages },
        ...{ choices: [{ message: said }], request_id: 'req' },
      },
      null,
      { request_id: 'req' },
    ],
  ])(
    'reads exports of %s once, keeps their other fields, and takes later feedback',
    async (name, row, later, origin) => {
      const query = `?format=${name}`;
      expect(await send(lines(row, row, { ...row, created_at: 1 }), own, query)).toMatchObject({ imported: 1 });
      const [call] = await listed();
      expect(call).toMatchObject({ model_id: 'fast', input: { messages }, task: 'generate' });
      expect([call.output, call.human_verdict]).toEqual([said, undefined]);
      expect(call.imported.origin).toMatchObject(origin);
      if (later === null) return;
      expect(counts(await send(lines({ ...row, ...later }), own, query))).toEqual([0, 1, 0]);
      expect(await listed()).toMatchObject([{ id: call.id, human_verdict: 'correct' }]);
    },
  );

  it("names the field of the other system's row that was refused, and refuses systems that it does not know", async () => {
    const row = { request_id: 'h', request_created_at: created_at, response_status: 200, request_model: 'fast' };
    expect(await send(lines(row), own, '?format=helicone')).toMatchObject({
      errors: [{ line: 1, id: 'h', field: 'response_body', reason: expect.stringContaining('--include-body') }],
    });
    const unknown = await api.call('POST', '/inferences/import?format=other', '', own);
    expect([unknown.status, JSON.stringify(unknown.body)]).toEqual([400, expect.stringContaining('must be one of')]);
  });

  it('does not overwrite verdicts that were given here', async () => {
    const file = lines({ id: 'a', ...answered, human_verdict: 'correct' });
    await send(file);
    const [{ id }] = await listed();
    await api.call('POST', `/inferences/${id}/feedback`, { verdict: 'unsure' }, own);
    await send(file);
    await api.drained();
    expect(await get(`/inferences/${id}`)).toMatchObject({ human_verdict: 'unsure' });
  });

  it('belongs to one workspace: the same line in another is another call', async () => {
    await send(lines({ id: 'a', ...answered }));
    const [{ id }] = await listed();
    const hers = { 'x-api-key': (await api.colleague()).key };
    expect((await api.call('GET', `/inferences/${id}`, undefined, hers)).status).toBe(404);
    expect(counts(await send(lines({ id: 'a', ...answered }), hers))).toEqual([1, 0, 0]);
  });

  it('is refused as a whole when it is too large, and reports how far it was read', async () => {
    const many = lines(...Array.from({ length: 10_001 }, () => null));
    const answer = await api.call('POST', '/inferences/import', many, {
      ...own,
      'content-type': 'application/x-ndjson',
    });
    expect([answer.status, answer.body.detail]).toEqual([
      413,
      expect.stringContaining('lines 1 to 10000 were processed'),
    ]);
    const gzip = await api.call('POST', '/inferences/import', '', { ...own, 'content-encoding': 'gzip' });
    expect(gzip.status).toBe(415);
  });
});
