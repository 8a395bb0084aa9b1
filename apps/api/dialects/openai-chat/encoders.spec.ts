import { uploadDataset } from '#test/support/datasets.js';
import { eventsIn, type HostedApi } from '#test/support/hosted-api.js';
import { sharedHostedApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';

const ASKED = {
  model: 'anneal/encoder-base-v1',
  messages: [
    { role: 'system', content: 'Find people' },
    { role: 'user', content: 'Nobody here' },
    { role: 'assistant', content: '{}' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Anna Smith' },
        { type: 'text', text: 'flies to Paris' },
      ],
    },
  ],
  schema: ['person'],
};

describe('an encoder called by chat completions', () => {
  let hosted: HostedApi;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
  });
  afterAll(() => hosted.close());
  const ask = (body: object) => hosted.api.call('POST', '/v1/chat/completions', { ...ASKED, ...body });

  it('reads the text parts of the last user message, and answers with its result as JSON', async () => {
    const { status, body } = await ask({});
    expect(status).toBe(200);
    const { entities } = JSON.parse(body.choices[0].message.content);
    expect(entities.person[0]).toEqual({ text: 'Anna Smith', confidence: expect.any(Number), start: 0, end: 10 });
    expect([body.choices[0].finish_reason, body.usage.completion_tokens]).toEqual(['stop', 0]);
    const { body: record } = await hosted.api.call('GET', `/inferences/${body.x_pioneer.inference_id}`);
    expect(record).toMatchObject({ format: 'openai', task: 'extract_entities' });
  });

  it('include_confidence, include_spans and threshold shape the result', async () => {
    const { body } = await ask({ include_confidence: false, include_spans: false, threshold: 0.3 });
    const { entities } = JSON.parse(body.choices[0].message.content);
    expect(entities.person[0]).toBe('Anna Smith');
  });

  it('streams the result as one piece', async () => {
    const { body } = await ask({ stream: true, stream_options: { include_usage: true } });
    const { chunks, isDone } = eventsIn(body as string);
    expect(chunks.map(({ choices: [choice] }) => choice && [Object.keys(choice.delta), choice.finish_reason])).toEqual([
      [['role', 'content', 'refusal'], null],
      [['content'], null],
      [[], 'stop'],
      undefined,
    ]);
    expect([isDone, chunks.at(-1).usage.prompt_tokens > 0]).toEqual([true, true]);
  });

  it('reports warnings and truncated text in x_pioneer, whole and in a stream', async () => {
    const asked = {
      messages: [{ role: 'user', content: 'a '.repeat(10_001) }],
      schema: { entities: { person: 'somebody' }, classifications: { topic: ['travel', 'sport'] } },
    };
    const { body } = await ask(asked);
    const warnings = expect.arrayContaining([
      { code: 'unused_description', message: expect.stringContaining('of "person"') },
    ]);
    expect(body.x_pioneer).toEqual({ inference_id: expect.any(String), warnings, truncated: true });
    const { chunks } = eventsIn((await ask({ ...asked, stream: true })).body as string);
    expect(chunks[0].x_pioneer).toEqual({ inference_id: expect.any(String), warnings, truncated: true });
    expect((await ask({})).body.x_pioneer).toEqual({ inference_id: expect.any(String) });
  });

  it('gives the same answer whatever the sampling fields and token limit', async () => {
    const sampling = { temperature: 1, top_p: 0.5, seed: 7, max_tokens: 5, frequency_penalty: 1, presence_penalty: 1 };
    const [plain, sampled] = await Promise.all([ask({}), ask({ ...sampling, user: 'u', strange: 1 })]);
    expect(sampled.body.choices).toEqual(plain.body.choices);
  });

  it.each([
    ['tools', { tools: [{ type: 'function', function: { name: 'f' } }] }],
    ['functions', { functions: [{ name: 'f' }] }, 'functions'],
    ['tool_choice', { tool_choice: 'required' }],
    ['response_format', { response_format: { type: 'json_object' } }],
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true }],
    ['logit_bias', { logit_bias: { 1: 1 } }],
    ['stop', { stop: 'x' }],
    ['reasoning_effort', { reasoning_effort: 'low' }],
    ['web_search_options', { web_search_options: {} }],
    [
      'an image',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Anna' },
              { type: 'image_url', image_url: { url: 'https://x.example/a.png' } },
            ],
          },
        ],
      },
      'messages',
    ],
    ['messages', { messages: [{ role: 'system', content: 'Find people' }] }],
    ['schema', { schema: null }],
  ])('%s is refused by name', async (name, more, param = name) => {
    const { status, body } = await ask(more);
    expect([status, body.error.param]).toEqual([422, param]);
  });

  it.each([{ tools: [] }, { tool_choice: 'none' }, { n: 1 }, { response_format: { type: 'text' } }, { stop: [] }])(
    'ignores fields without effect: %j',
    async (more) => {
      expect((await ask(more)).status).toBe(200);
    },
  );

  it('may be a training job by its id: 409 while unfinished, not found in another workspace', async () => {
    const dataset = { dataset_name: 'people', dataset_type: 'ner' };
    const row = { text: 'Anna Smith flies', entities: [['Anna Smith', 'person']] };
    await uploadDataset(hosted.api, { ...dataset, filename: 'a.jsonl' }, `${JSON.stringify(row)}\n`.repeat(20));
    const training = { model_name: 'people', datasets: [{ name: 'people' }], base_model: ASKED.model };
    const { id } = await new TrainingClient(hosted.api).start(training);
    const { key } = await hosted.api.colleague();
    const [own, hers] = [undefined, { 'x-api-key': key }].map((headers) =>
      hosted.api.call('POST', '/v1/chat/completions', { ...ASKED, model: id }, headers),
    );
    expect([(await own!).status, (await hers!).status]).toEqual([409, 404]);
  });
});
