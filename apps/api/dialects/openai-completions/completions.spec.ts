import type OpenAI from 'openai';
import { eventsIn, type HostedApi } from '#test/support/hosted-api.js';
import { completes, type ScriptedOptions } from '#test/support/scripted-answers.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

type Completion = OpenAI.Completion & { x_pioneer: { inference_id: string | null } };

const ASKED = { model: 'acme/base', prompt: 'Once upon' };

describe('POST /v1/completions', () => {
  let hosted: HostedApi;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
  });
  afterAll(() => hosted.close());

  const ask = (body: object) => hosted.api.call('POST', '/v1/completions', { ...ASKED, ...body });
  const completed = async (body: object = {}): Promise<Completion> => {
    const { status, body: completion } = await ask(body);
    expect([status, completion.error]).toEqual([200, undefined]);
    return completion as Completion;
  };
  const streamed = async (body: object = {}): Promise<readonly Completion[]> => {
    const { chunks, isDone } = eventsIn((await ask({ ...body, stream: true })).body as string);
    expect(isDone).toBe(true);
    return chunks as Completion[];
  };
  const script = (text: string, options: ScriptedOptions = {}) => hosted.openai.script(completes(text, options));

  it.each(['acme/base', 'acme/chat'])('continues a text with %s', async (model) => {
    script(' a time', { fields: { system_fingerprint: 'fp_1' } });
    expect(await completed({ model })).toEqual({
      id: expect.stringMatching(/^cmpl-/),
      object: 'text_completion',
      created: expect.any(Number),
      model,
      system_fingerprint: 'fp_1',
      choices: [{ text: ' a time', index: 0, logprobs: null, finish_reason: 'stop' }],
      usage: {
        ...{ prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
        prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      },
      x_pioneer: { inference_id: expect.any(String) },
    });
  });

  it('streams pieces as completions, and the usage on request', async () => {
    script('upon a time', { fields: { system_fingerprint: 'fp_1' } });
    const chunks = await streamed({ stream_options: { include_usage: true } });
    expect(chunks.map(({ choices: [choice] }) => choice && [choice.text, choice.finish_reason])).toEqual([
      ['upon ', null],
      ['a ', null],
      ['time', null],
      ['', 'stop'],
      undefined,
    ]);
    expect(chunks.map(({ usage }) => usage?.completion_tokens ?? null)).toEqual([null, null, null, null, 3]);
    expect(new Set(chunks.map(({ id, object }) => `${id} ${object}`)).size).toBe(1);
    expect(chunks.at(-1)!.system_fingerprint).toBe('fp_1');
  });

  it('numbers the choices of several prompts, n times each', async () => {
    script('!');
    const asked = { prompt: ['a', 'b'], n: 2, echo: true };
    const { choices } = await completed(asked);
    expect(choices.map(({ index, text }) => [index, text])).toEqual([
      [0, 'a!'],
      [1, 'a!'],
      [2, 'b!'],
      [3, 'b!'],
    ]);
    const pieces = (await streamed(asked)).flatMap((chunk) => chunk.choices);
    expect(pieces.filter(({ index }) => index === 3).map(({ text }) => text)).toContain('b!');
  });

  it('returns log probabilities in columns, whole and in pieces', async () => {
    script('a time');
    const asked = { logprobs: 2 };
    const [whole] = (await completed(asked)).choices;
    expect(whole!.logprobs).toEqual({
      tokens: ['a ', 'time'],
      token_logprobs: [-0.5, -0.5],
      top_logprobs: [
        { 'a ': -0.5, 'a 1': -1.5 },
        { time: -0.5, time1: -1.5 },
      ],
      text_offset: [0, 2],
    });
    const pieces = (await streamed(asked)).flatMap(({ choices: [choice] }) => choice!.logprobs ?? []);
    expect(pieces.flatMap(({ text_offset: offsets }) => offsets)).toEqual([0, 2]);
    expect(pieces.flatMap(({ tokens }) => tokens)).toEqual(['a ', 'time']);
  });

  it('passes the body unchanged to a provider of its style', async () => {
    script('!');
    const more = { best_of: 2, echo: true, suffix: 'end', seed: 7, logit_bias: { 1: 1 }, strange: 1, max_tokens: 5 };
    await completed({ ...more, store: true, user: 'u' });
    const { path, body } = hosted.openai.seen.at(-1)!;
    expect(path).toBe('/v1/completions');
    expect(body).toMatchObject({ model: 'base', prompt: 'Once upon', user: 'u', ...more });
    expect(body).not.toHaveProperty('store');
  });

  it('records the request as sent, with the text as output', async () => {
    script(' a time');
    const { x_pioneer } = await completed({ seed: 7 });
    const { body } = await hosted.api.call('GET', `/inferences/${x_pioneer.inference_id}`);
    expect(body).toMatchObject({ format: 'openai', model_id: 'acme/base', output: ' a time' });
    expect(body.input).toEqual({ prompt: 'Once upon', seed: 7 });
  });

  it.each([false, true])('stores nothing and gives no record id with store: false (stream: %s)', async (stream) => {
    script('!');
    const { total } = (await hosted.api.call('GET', '/inferences')).body;
    const { body } = await ask({ store: false, stream });
    const said = stream ? eventsIn(body as string).chunks.at(-1) : body;
    expect(said.x_pioneer).toEqual({ inference_id: null });
    expect((await hosted.api.call('GET', '/inferences')).body.total).toBe(total);
  });

  it('counts against the rate limit of inference', async () => {
    expect((await ask({})).headers.get('x-ratelimit-limit')).toBe('5000');
  });

  it.each<[number, object, string | null]>([
    [422, { prompt: undefined }, 'prompt'],
    [422, { prompt: [] }, 'prompt'],
    [422, { prompt: [1, 2] }, 'prompt.0'],
    [422, { prompt: [[1, 2]] }, 'prompt.0'],
    [422, { n: 3, best_of: 2 }, 'best_of'],
    [422, { max_completion_tokens: 100_000 }, 'max_completion_tokens'],
    [422, { logprobs: 21 }, 'logprobs'],
    [422, { logprobs: true }, 'logprobs'],
    [422, { schema: ['person'] }, 'schema'],
    [422, { model: 'anneal/encoder-base-v1' }, 'prompt'],
    [404, { model: 'acme/nothing' }, 'model'],
    [404, { project_id: '0199a7c2-0000-7000-8000-000000000000' }, null],
    [409, { model: 'acme/embed' }, null],
  ])("answers %i to %j, in OpenAI's error envelope", async (status, body, param) => {
    const answer = await ask(body);
    expect([answer.status, answer.body.error.param]).toEqual([status, param]);
  });

  it('is refused for a provider without text completions', async () => {
    const { status, body } = await ask({ model: 'acme/claude' });
    expect([status, body.error.type]).toEqual([422, 'invalid_request_error']);
    expect(body.error.message).toMatch(/prompt/);
  });

  it('ends a stream with its error: no [DONE] follows', async () => {
    script('Once upon', { error: { message: 'the machine is gone' } });
    const { chunks, isDone } = eventsIn((await ask({ stream: true })).body as string);
    expect([isDone, chunks.at(-1).error.type]).toEqual([false, 'server_error']);
  });
});
