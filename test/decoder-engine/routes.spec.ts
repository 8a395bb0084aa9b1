import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { BASE, CHAT, catalogIn, engines } from './catalog.js';

const messages = [{ role: 'user', content: 'say it again' }];

describe('decoders of a local engine', () => {
  let api: TestApi;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'parrots-'));
    api = await startTestApi({ modelCatalog: await catalogIn(directory) }, { engines });
  });
  afterAll(async () => {
    await api.close();
    await rm(directory, { recursive: true });
  });

  const post = (path: string, body: object) => api.call('POST', path, body);
  /** The data of the events of a streamed answer. */
  const streamed = async (path: string, body: object) => {
    const { status, body: text } = await post(path, { ...body, stream: true });
    expect(status).toBe(200);
    return (text as string).split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
  };

  it('are listed in the catalog and among the models', async () => {
    const { body: catalog } = await api.call('GET', '/base-models?task_type=decoder&supports_training=true');
    expect(catalog.models.map(({ id }: { id: string }) => id)).toEqual([CHAT, BASE]);
    const { body: models } = await api.call('GET', '/v1/models');
    expect(models.data.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining([CHAT, BASE]));
  });

  it('answer on /inference, and the call is recorded with its tokens and its cost', async () => {
    const { status, body } = await post('/inference', { model_id: CHAT, task: 'generate', messages });
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ type: 'decoder', completion: 'say it again', model_id: CHAT, token_usage: 6 }),
    ]);
    await api.drained();
    const { body: record } = await api.call('GET', `/inferences/${body.inference_id}`);
    expect(record).toMatchObject({
      ...{ model_id: CHAT, task: 'generate', status: 'success', input_tokens: 3, output_tokens: 3, cost: 9e-6 },
      ...{ input: { messages }, output: 'say it again' },
    });
  });

  it('keep no content with store: false, and bill the tokens', async () => {
    const { body } = await post('/inference', { model_id: CHAT, messages, store: false });
    expect(body).toMatchObject({ inference_id: null, completion: 'say it again', token_usage: 6 });
  });

  it('load on a warm-up without generating', async () => {
    const { status, body } = await post('/inference', { model_id: CHAT, messages, is_warmup: true });
    expect([status, body.completion, body.token_usage]).toEqual([200, '', 0]);
  });

  it('answer chat completions, whole and streamed alike', async () => {
    const { body } = await post('/v1/chat/completions', { model: CHAT, messages });
    expect(body.choices).toEqual([
      {
        ...body.choices[0],
        message: { role: 'assistant', content: 'say it again', refusal: null },
        finish_reason: 'stop',
      },
    ]);
    expect(body.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 });
    const events = await streamed('/v1/chat/completions', {
      ...{ model: CHAT, messages, stream_options: { include_usage: true } },
    });
    expect(events.at(-1)).toBe('[DONE]');
    const chunks = events.slice(0, -1).map((each) => JSON.parse(each));
    const said = chunks.map(({ choices }) => choices[0]?.delta?.content ?? '');
    expect(said.filter((each) => each !== '')).toEqual(['say', ' it', ' again']);
    expect(chunks.at(-1).usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 3 });
  });

  it('stop at the token limit, and before a stop sequence', async () => {
    const ask = async (more: object) => (await post('/v1/chat/completions', { model: CHAT, messages, ...more })).body;
    const [short, stopped] = [await ask({ max_tokens: 2 }), await ask({ stop: ['again'] })];
    expect([short.choices[0].message.content, short.choices[0].finish_reason]).toEqual(['say it', 'length']);
    expect([stopped.choices[0].message.content, stopped.choices[0].finish_reason]).toEqual(['say it', 'stop']);
  });

  it('call tools, follow a JSON schema, and return log probabilities and several choices', async () => {
    const ask = async (more: object) => (await post('/v1/chat/completions', { model: CHAT, messages, ...more })).body;
    const tools = [{ type: 'function', function: { name: 'echo', parameters: { type: 'object' } } }];
    const called = await ask({ tools });
    expect(called.choices[0]).toMatchObject({
      message: { content: null, tool_calls: [{ function: { name: 'echo', arguments: '{"said":"say it again"}' } }] },
      finish_reason: 'tool_calls',
    });
    const json_schema = { name: 'said', schema: { type: 'object' } };
    const formed = await ask({ response_format: { type: 'json_schema', json_schema } });
    expect(JSON.parse(formed.choices[0].message.content)).toEqual({ said: 'say it again' });
    const logged = await ask({ logprobs: true, n: 2 });
    expect(logged.choices).toHaveLength(2);
    expect(logged.choices[1].logprobs.content[0]).toEqual({
      ...{ token: 'say', logprob: 0, bytes: [115, 97, 121], top_logprobs: [] },
    });
    expect(logged.usage.completion_tokens).toBe(6);
  });

  it('accept tool results and earlier calls', async () => {
    const tool_calls = [{ id: 'c1', type: 'function', function: { name: 'echo', arguments: '{}' } }];
    const turns = [
      ...messages,
      { role: 'assistant', content: null, tool_calls },
      { role: 'tool', tool_call_id: 'c1', content: 'it was said' },
    ];
    const { body } = await post('/v1/chat/completions', { model: CHAT, messages: turns });
    expect(body.choices[0].message.content).toBe('say it again');
    expect(body.usage.prompt_tokens).toBe(6);
  });

  it.each([
    ['response_format', { response_format: { type: 'json_object' } }],
    ['logit_bias', { logit_bias: { 5: 1 } }],
    ['presence_penalty', { presence_penalty: 1 }],
    [
      'messages',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.example/a' } }] }] },
    ],
    ['max_tokens', { max_tokens: 513 }],
    ['messages', { messages: [{ role: 'user', content: 'half a pair: \ud83d' }] }],
    ['stop', { stop: ['\udc00'] }],
    ['tools', { tools: [{ type: 'function', function: { name: 'echo', description: '\ud800', parameters: {} } }] }],
  ])('refuse %s by name if the model lacks it', async (field, more) => {
    const { status, body } = await post('/v1/chat/completions', { model: CHAT, messages, ...more });
    expect([status, body.error.param]).toEqual([422, field]);
  });

  it('drop hints that the model lacks, and name them', async () => {
    const hints = { verbosity: 'low', reasoning_effort: 'high', stream_options: { include_obfuscation: true } };
    const { status, headers } = await post('/v1/chat/completions', { model: CHAT, messages, ...hints });
    const dropped = headers.get('x-anneal-dropped')?.split(', ');
    expect([status, dropped?.toSorted()]).toEqual([
      200,
      ['reasoning_effort', 'stream_options.include_obfuscation', 'verbosity'],
    ]);
  });

  it('refuse input beyond the context window by name', async () => {
    const long = [{ role: 'user', content: 'word '.repeat(600) }];
    const { status, body } = await post('/v1/chat/completions', { model: CHAT, messages: long });
    expect([status, body.error]).toEqual([
      422,
      expect.objectContaining({ param: 'messages', message: expect.stringContaining('has 600 tokens') }),
    ]);
  });

  it.each([
    ['/v1/chat/completions', { messages }],
    ['/v1/responses', { input: 'say it again' }],
    ['/v1/messages', { messages, max_tokens: 10 }],
  ])('answer 400 on %s for a base without a chat template', async (path, body) => {
    expect((await post(path, { model: BASE, ...body })).status).toBe(400);
  });

  it('continue texts on /v1/completions, even without a chat template', async () => {
    const { body } = await post('/v1/completions', { model: BASE, prompt: ['once upon', 'a time'], n: 2 });
    expect(body.choices.map(({ index, text }: { index: number; text: string }) => [index, text])).toEqual([
      [0, 'once upon'],
      [1, 'once upon'],
      [2, 'a time'],
      [3, 'a time'],
    ]);
    const events = await streamed('/v1/completions', { model: CHAT, prompt: 'once upon' });
    expect(events.slice(0, -1).map((each) => JSON.parse(each).choices[0].text)).toEqual(['once', ' upon', '']);
  });

  it('answer responses, streamed and as a later turn', async () => {
    const { body } = await post('/v1/responses', { model: CHAT, input: 'say it again' });
    expect(body).toMatchObject({ status: 'completed', usage: { input_tokens: 3, output_tokens: 3 } });
    expect(body.output[0].content[0].text).toBe('say it again');
    await api.drained();
    const next = { model: CHAT, input: 'and once more', previous_response_id: body.id };
    expect((await post('/v1/responses', next)).body).toMatchObject({ usage: { input_tokens: 9 } });
    const events = (await streamed('/v1/responses', { model: CHAT, input: 'say it again' })).map((each) =>
      JSON.parse(each),
    );
    const deltas = events.flatMap(({ type, delta }) => (type === 'response.output_text.delta' ? [delta] : []));
    expect([deltas.join(''), events.at(-1).type]).toEqual(['say it again', 'response.completed']);
  });

  it('answer messages, whole and streamed, with tools', async () => {
    const asked = { model: CHAT, messages, max_tokens: 100 };
    const { body } = await post('/v1/messages', asked);
    expect(body).toMatchObject({
      ...{ content: [{ type: 'text', text: 'say it again' }], stop_reason: 'end_turn' },
      usage: { input_tokens: 3, output_tokens: 3 },
    });
    const events = (await streamed('/v1/messages', asked)).map((each) => JSON.parse(each));
    const deltas = events.flatMap(({ type, delta }) => (type === 'content_block_delta' ? [delta.text] : []));
    expect([deltas.join(''), events.at(-1).type]).toEqual(['say it again', 'message_stop']);
    const tools = [{ name: 'echo', input_schema: { type: 'object' } }];
    const { body: called } = await post('/v1/messages', { ...asked, tools });
    expect(called).toMatchObject({
      content: [{ type: 'tool_use', name: 'echo', input: { said: 'say it again' } }],
      stop_reason: 'tool_use',
    });
  });
});
