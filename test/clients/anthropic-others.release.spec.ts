import Anthropic from '@anthropic-ai/sdk';
import Anthropic0 from 'anthropic-sdk-0';
import { MODELS, startWorld, type World } from './support/world.js';

const SDKS = { '1.x': Anthropic, '0.x': Anthropic0 as unknown as typeof Anthropic };

describe.each(Object.keys(SDKS) as (keyof typeof SDKS)[])('@anthropic-ai/sdk %s, other calls', (version) => {
  let world: World;
  let client: Anthropic;
  const messages = [{ role: 'user' as const, content: 'Tell me' }];
  beforeAll(async () => {
    world = await startWorld();
    const { key: apiKey, fetch } = world.connection();
    client = new SDKS[version]({ baseURL: world.api.url, apiKey, fetch, maxRetries: 0 });
  });
  afterAll(() => world.close());
  afterEach(() => expect(world.problemsOf(world.exchanges())).toEqual([]));

  it('lists models page by page, and retrieves them', async () => {
    const ids = await Array.fromAsync(await client.models.list({ limit: 2 }), ({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([MODELS.openai, MODELS.anthropic, MODELS.encoder]));
    expect(await client.models.retrieve(MODELS.anthropic)).toMatchObject({ id: MODELS.anthropic, type: 'model' });
  });

  it.each([MODELS.openai, MODELS.anthropic])('counts tokens for %s', async (model) => {
    const { input_tokens } = await client.messages.countTokens({ model, messages, system: 'Be brief.' });
    expect(input_tokens).toBeGreaterThan(0);
    if (model === MODELS.anthropic) expect(input_tokens).toBe(6);
  });

  it('receives thinking with its signature, whole and streamed, and returns it unchanged', async () => {
    const model = MODELS.anthropic;
    const thinking = { type: 'enabled' as const, budget_tokens: 1024 };
    const body = { model, max_tokens: 2000, thinking, messages };
    const whole = await client.messages.create(body);
    const streamed = await client.messages.stream(body).finalMessage();
    const thought = { type: 'thinking', thinking: 'Let me think about it.', signature: 'signed' };
    for (const { content } of [whole, streamed]) expect(content[0]).toEqual(thought);
    const answered = { role: 'assistant' as const, content: streamed.content };
    await client.messages.create({ ...body, messages: [...messages, answered, { role: 'user', content: 'Go on' }] });
    expect(world.upstreams.anthropic.seen.at(-1)!.body.messages[1].content[0]).toEqual(thought);
  });

  it('sends a request to a model of the same style unchanged, with its cache markers', async () => {
    const cache_control = { type: 'ephemeral' as const };
    const body = {
      ...{ model: MODELS.anthropic, max_tokens: 20, metadata: { user_id: 'u' }, stop_sequences: ['END'] },
      system: [{ type: 'text' as const, text: 'A long preamble.', cache_control }],
      messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi', cache_control }] }],
    };
    const { usage } = await client.messages.create(body);
    expect(usage).toMatchObject({ input_tokens: 6, cache_read_input_tokens: 4, cache_creation_input_tokens: 2 });
    expect(world.upstreams.anthropic.seen.at(-1)!.body).toEqual({ ...body, model: 'claude' });
  });

  it('loses cache markers for a model of the other style', async () => {
    const cache_control = { type: 'ephemeral' as const };
    const content = [{ type: 'text' as const, text: 'Hi', cache_control }];
    await client.messages.create({ model: MODELS.openai, max_tokens: 20, messages: [{ role: 'user', content }] });
    expect(JSON.stringify(world.upstreams.openai.seen.at(-1)!.body)).not.toContain('cache_control');
  });

  it('receives the raw events of a stream in order', async () => {
    const body = { model: MODELS.openai, max_tokens: 50, messages, stream: true as const };
    const types = await Array.fromAsync(await client.messages.create(body), ({ type }) => type);
    expect([...new Set(types)]).toEqual([
      ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop'],
      ...['message_delta', 'message_stop'],
    ]);
  });

  it('uses the same route for the beta resource', async () => {
    const { content } = await client.beta.messages.create({ model: MODELS.anthropic, max_tokens: 50, messages });
    expect(content).toMatchObject([{ type: 'text', text: 'You said: Tell me' }]);
  });

  it("gets the upstream's message for a refused thinking budget", async () => {
    const thinking = { type: 'enabled' as const, budget_tokens: 4000 };
    const refused = client.messages.create({ model: MODELS.anthropic, max_tokens: 2000, thinking, messages });
    await expect(refused).rejects.toThrow(SDKS[version].BadRequestError);
    await expect(refused).rejects.toThrow(/budget_tokens/);
  });

  it('leaves no trace in the history with store: false', async () => {
    const content = 'a secret 4b1d';
    const body = { model: MODELS.anthropic, max_tokens: 50, messages: [{ role: 'user' as const, content }] };
    const unstored = { ...body, store: false };
    await client.messages.create(unstored);
    await client.messages.stream(unstored).finalMessage();
    await client.messages.create({ ...body, messages: [{ role: 'user', content: 'a mark 4b1e' }] });
    await world.api.drained();
    const history = JSON.stringify((await world.api.call('GET', '/inferences')).body);
    expect(history).toContain('a mark 4b1e');
    expect(history).not.toContain(content);
  });
});
