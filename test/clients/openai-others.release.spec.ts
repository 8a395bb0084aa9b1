import OpenAI from 'openai';
import { MODELS, startWorld, type World } from './support/world.js';

describe('openai, other resources', () => {
  let world: World;
  let client: OpenAI;
  beforeAll(async () => {
    world = await startWorld();
    const { baseUrl: baseURL, key: apiKey, fetch } = world.connection();
    client = new OpenAI({ baseURL, apiKey, fetch, maxRetries: 0 });
  });
  afterAll(() => world.close());
  afterEach(() => expect(world.problemsOf(world.exchanges())).toEqual([]));

  it('lists models page by page, and retrieves them by ids with slashes', async () => {
    const ids = await Array.fromAsync(await client.models.list(), ({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([MODELS.openai, MODELS.anthropic, MODELS.encoder]));
    expect(await client.models.retrieve(MODELS.anthropic)).toMatchObject({ id: MODELS.anthropic, object: 'model' });
    await expect(client.models.retrieve('acme/none')).rejects.toThrow(OpenAI.NotFoundError);
  });

  it('completes a text, whole and as a stream, with a base model', async () => {
    const body = { model: MODELS.base, prompt: 'Once upon a time', max_tokens: 5 };
    const whole = await client.completions.create(body);
    expect(whole.choices[0]!.text).toBe(' and so on');
    expect(whole.usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 });
    const chunks = await Array.fromAsync(await client.completions.create({ ...body, stream: true }));
    expect(chunks.map(({ choices: [choice] }) => choice?.text ?? '').join('')).toBe(' and so on');
  });

  it.each([MODELS.embedding, MODELS.ownEmbedding])(
    'gets the same embeddings of %s in either encoding',
    async (model) => {
      const ask = (encoding_format?: 'float' | 'base64') =>
        client.embeddings.create({
          model,
          input: ['one text', 'another'],
          ...(encoding_format && { encoding_format }),
        });
      // By default the SDK requests base64 and returns numbers.
      const [{ data }, { data: floats, usage }] = await Promise.all([ask(), ask('float')]);
      expect(data.map(({ index }) => index)).toEqual([0, 1]);
      expect(data.map(({ embedding }) => embedding)).toEqual(
        floats.map(({ embedding }) => Array.from(Float32Array.from(embedding))),
      );
      expect(data[0]!.embedding).not.toEqual(data[1]!.embedding);
      expect(usage.total_tokens).toBeGreaterThan(0);
    },
  );

  it.each([MODELS.openai, MODELS.anthropic])('sends %s images, several turns and instructions', async (model) => {
    const url = `data:image/png;base64,${PIXEL}`;
    const { choices } = await client.chat.completions.create({
      ...{ model, max_completion_tokens: 50, temperature: 0.5, stop: ['END'] },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hello!' },
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url } },
            { type: 'text', text: 'What is it?' },
          ],
        },
      ],
    });
    expect(choices[0]!.message.content).toBe('You said: What is it?');
    const { body } = seenBy(model).at(-1)!;
    expect(JSON.stringify(body)).toContain(PIXEL);
    expect(JSON.stringify(body)).toContain('Be brief.');
  });

  it('continues a response by its id, on a model of either style', async () => {
    for (const model of [MODELS.openai, MODELS.anthropic]) {
      const first = await client.responses.create({ model, input: 'My name is Ada' });
      const { output_text } = await client.responses.create({
        ...{ model, input: 'What is my name?', previous_response_id: first.id },
      });
      expect(output_text).toBe('You said: What is my name?');
      const asked = JSON.stringify(seenBy(model).at(-1)!.body);
      expect(asked).toContain('My name is Ada');
      expect(asked).toContain('You said: My name is Ada');
    }
  });

  it('leaves no trace in the history with store: false, whole or streamed', async () => {
    const messages = [{ role: 'user' as const, content: 'a secret 4b1d' }];
    const body = { model: MODELS.openai, messages, store: false };
    await client.chat.completions.create(body);
    await client.chat.completions.stream(body).finalChatCompletion();
    await client.responses.create({ model: MODELS.openai, input: 'a secret 4b1d', store: false });
    await client.chat.completions.create({
      model: MODELS.openai,
      messages: [{ role: 'user', content: 'a mark 4b1e' }],
    });
    await world.api.drained();
    const history = JSON.stringify((await world.api.call('GET', '/inferences')).body);
    expect(history).toContain('a mark 4b1e');
    expect(history).not.toContain('a secret 4b1d');
  });

  it('gets an unknown field refused by name by the upstream', async () => {
    const body = { model: MODELS.openai, messages: [{ role: 'user' as const, content: 'hi' }], frobnicate: 1 };
    const refused = client.chat.completions.create(body);
    await expect(refused).rejects.toThrow(OpenAI.BadRequestError);
    await expect(refused).rejects.toThrow(/frobnicate/);
  });

  it.each([
    ['a temperature out of range', { temperature: 3 }, OpenAI.UnprocessableEntityError, 'temperature'],
    ['no messages', { messages: [] }, OpenAI.UnprocessableEntityError, 'messages'],
    [
      'a tool without a name',
      { tools: [{ type: 'function', function: {} }] },
      OpenAI.UnprocessableEntityError,
      /tools/,
    ],
  ])('gets %s refused by name', async (_, fields, type, param) => {
    const body = { model: MODELS.anthropic, messages: [{ role: 'user', content: 'hi' }], ...fields };
    const error = await client.chat.completions.create(body as OpenAI.ChatCompletionCreateParamsNonStreaming).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(type);
    expect((error as InstanceType<typeof OpenAI.APIError>).param).toMatch(param);
  });

  const seenBy = (model: string) => world.upstreams[model === MODELS.openai ? 'openai' : 'anthropic'].seen;
});

/** A PNG of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
