import OpenAI from 'openai';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import type { HostedApi } from '#test/support/hosted-api.js';
import type { TestApi } from '#test/support/api.js';
import { answers, type ScriptedChoice } from '#test/support/scripted-answers.js';
import { says, textBlock, thinkingBlock, toolUseBlock } from '#test/support/scripted-anthropic.js';
import { begins, type ScriptedProvider } from '#test/support/scripted-provider.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

type Of<Type extends ResponseStreamEvent['type']> = Extract<ResponseStreamEvent, { type: Type }>;

describe('a stream of /v1/responses', () => {
  let provider: ScriptedProvider;
  let claude: ScriptedProvider;
  let system: HostedApi;
  let api: TestApi;
  let client: OpenAI;

  beforeAll(async () => {
    system = await sharedHostedApi();
    ({ api, openai: provider, claude } = system);
    client = new OpenAI({ baseURL: `${api.url}/v1`, apiKey: api.key, maxRetries: 0 });
  });
  afterAll(() => system.close());

  /** The events of a call, and the response that the SDK assembles from them. */
  async function streamed(body: object = {}): Promise<{ events: ResponseStreamEvent[]; final: Response }> {
    const stream = client.responses.stream({ model: 'acme/chat', input: 'Say hello', ...body });
    const events: ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    return { events, final: await stream.finalResponse() };
  }
  const typesOf = (events: readonly ResponseStreamEvent[]) => events.map(({ type }) => type.replace('response.', ''));
  const of = <Type extends ResponseStreamEvent['type']>(events: readonly ResponseStreamEvent[], type: Type) =>
    events.filter((event): event is Of<Type> => event.type === type);
  /** The same call without streaming. */
  const whole = (body: object = {}) => client.responses.create({ model: 'acme/chat', input: 'Say hello', ...body });
  /** Removes ids, and the parse results that the SDK adds. */
  const shape = (response: Response) =>
    response.output.map(({ id, ...item }) => ({ ...item, id: id?.replace(/_.*_/, '_*_') }));

  it('of a text has numbered events in order, and the same answer as without streaming', async () => {
    provider.script(answers('Hello there'));
    const { events, final } = await streamed();
    expect(typesOf(events)).toEqual([
      ...['created', 'in_progress', 'output_item.added', 'content_part.added', 'output_text.delta'],
      ...['output_text.delta', 'output_text.done', 'content_part.done', 'output_item.done', 'completed'],
    ]);
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index));
    expect(of(events, 'response.output_text.delta').map(({ delta }) => delta)).toEqual(['Hello ', 'there']);
    expect(of(events, 'response.output_text.done')).toMatchObject([{ text: 'Hello there', output_index: 0 }]);
    const [created] = of(events, 'response.created');
    expect(created!.response).toMatchObject({ status: 'in_progress', output: [] });
    // The SDK's type of it has none, or an object.
    expect(created!.response).toMatchObject({ status: 'in_progress', usage: null });
    expect(final).toMatchObject({ status: 'completed', output_text: 'Hello there', usage: { total_tokens: 15 } });
    expect(shape(final)).toMatchObject(shape(await whole()));
  });

  const SAYS: Readonly<Record<string, ScriptedChoice>> = {
    'thoughts, a text and calls beside each other': {
      ...{ thinking: 'Hm, well', text: 'Let me see' },
      toolCalls: [
        { id: 'call_1', name: 'weather', input: '{"city": "Paris"}' },
        { id: 'call_2', name: 'weather', input: '{"city": "Rome"}' },
      ],
    },
    'a call without arguments': { toolCalls: [{ id: 'call_1', name: 'now', input: '' }] },
    'a refusal': { refusal: 'I will not' },
    'a text that is cut': { text: 'Once upon', finish: 'length' },
    nothing: { text: '' },
  };
  it.each(Object.entries(SAYS))('of %s has the same answer as without streaming', async (_, said) => {
    provider.script(answers(said));
    const { events, final } = await streamed();
    expect(shape(final)).toMatchObject(shape(await whole()));
    // Each item opens and closes once, and the closed items equal those of the answer.
    const done = of(events, 'response.output_item.done');
    expect(of(events, 'response.output_item.added').map(({ item }) => item.id)).toEqual(
      final.output.map(({ id }) => id),
    );
    expect(done.map(({ item }) => item.id).toSorted()).toEqual(final.output.map(({ id }) => id).toSorted());
    for (const { item, output_index: index } of done) expect(final.output[index]).toMatchObject({ ...item });
    expect(events.at(-1)!.type).toBe(`response.${final.status!}`);
  });

  it('of thinking, calls and a refusal has the pieces of each', async () => {
    provider.script(answers(SAYS['thoughts, a text and calls beside each other']!));
    const { events } = await streamed();
    expect(typesOf(events).filter((type) => type.startsWith('reasoning'))).toEqual([
      ...['reasoning_summary_part.added', 'reasoning_summary_text.delta', 'reasoning_summary_text.delta'],
      ...['reasoning_summary_text.done', 'reasoning_summary_part.done'],
    ]);
    const args = of(events, 'response.function_call_arguments.done').map(({ output_index, arguments: json }) => [
      ...[output_index, JSON.parse(json)],
    ]);
    expect(args).toEqual([
      [2, { city: 'Paris' }],
      [3, { city: 'Rome' }],
    ]);
    provider.script(answers(SAYS['a refusal']!));
    const { events: refused } = await streamed();
    expect(typesOf(refused).slice(4, -2)).toEqual([
      ...['refusal.delta', 'refusal.delta', 'refusal.delta', 'refusal.done', 'content_part.done'],
    ]);
  });

  it('has the log probabilities of each piece', async () => {
    provider.script(answers('Hello there'));
    const { events, final } = await streamed({ include: ['message.output_text.logprobs'], top_logprobs: 1 });
    const tokens = of(events, 'response.output_text.delta').flatMap(({ logprobs }) =>
      logprobs.map(({ token }) => token),
    );
    expect(tokens).toEqual(['Hello ', 'there']);
    const [message] = final.output;
    expect(message).toMatchObject({
      content: [{ logprobs: [{ token: 'Hello ', logprob: -0.5, top_logprobs: [{ token: 'Hello ' }] }, {}] }],
    });
  });

  it('of a Claude-style model has signed thinking, and replays it', async () => {
    claude.script(
      says({
        content: [
          thinkingBlock('Let me think', 'c2ln'),
          { type: 'redacted_thinking', data: 'aGlkZGVu' },
          textBlock('I look'),
          toolUseBlock('toolu_1', 'weather', { city: 'Paris' }),
        ],
      }),
    );
    const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object' }, strict: null }];
    const asked = { model: 'acme/claude', tools, max_output_tokens: 100 };
    const { final } = await streamed(asked);
    expect(final.output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Let me think' }], encrypted_content: 'c2ln' },
      { type: 'reasoning', summary: [], encrypted_content: 'redacted:aGlkZGVu' },
      { type: 'message', content: [{ text: 'I look' }] },
      { type: 'function_call', call_id: 'toolu_1', name: 'weather', arguments: '{"city":"Paris"}' },
    ]);
    const output = { type: 'function_call_output', call_id: 'toolu_1', output: 'Sunny' };
    await whole({ ...asked, input: [{ role: 'user', content: 'Say hello' }, ...final.output, output] });
    const spelled = claude.seen.at(-1)!.body.messages;
    await whole({ ...asked, input: [output], previous_response_id: final.id });
    expect(claude.seen.at(-1)!.body.messages).toEqual(spelled);
    expect(spelled.slice(1)).toMatchObject([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Let me think', signature: 'c2ln' },
          { type: 'redacted_thinking', data: 'aGlkZGVu' },
          { type: 'text', text: 'I look' },
          { type: 'tool_use', id: 'toolu_1', input: { city: 'Paris' } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
    ]);
  });

  it('drops thoughts that OpenAI encrypted from a request to a Claude-style model, and says so', async () => {
    claude.script(says({ content: [textBlock('Hello')] }));
    const input: OpenAI.Responses.ResponseInput = [
      { role: 'user', content: 'Hi' },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAABpM0Yj' },
      { role: 'user', content: 'Say hello' },
    ];
    const { response } = await client.responses.create({ model: 'acme/claude', input }).withResponse();
    expect(response.headers.get('x-anneal-dropped')).toBe('reasoning_content');
    expect(claude.seen.at(-1)!.body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: 'Say hello' },
        ],
      },
    ]);
  });

  it('ends with an error event when the provider breaks off, which the SDK throws', async () => {
    provider.script(begins('Hello', 'cut'));
    const stream = await client.responses.create({ model: 'acme/chat', input: 'Say hello', stream: true });
    const types: string[] = [];
    const drawn = (async () => {
      for await (const { type } of stream) types.push(type);
    })();
    await expect(drawn).rejects.toThrow(OpenAI.APIError);
    expect(types).toContain('response.output_text.delta');
    expect(types).not.toContain('response.completed');
  });
});
