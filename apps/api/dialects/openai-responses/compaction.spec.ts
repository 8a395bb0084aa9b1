import OpenAI from 'openai';
import type { HostedApi } from '#test/support/hosted-api.js';
import type { TestApi } from '#test/support/api.js';
import { answers } from '#test/support/scripted-answers.js';
import type { ScriptedProvider } from '#test/support/scripted-provider.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

let provider: ScriptedProvider;
let system: HostedApi;
let api: TestApi;
beforeAll(async () => {
  system = await sharedHostedApi();
  ({ api, openai: provider } = system);
});
afterAll(() => system.close());

describe('POST /v1/responses/compact', () => {
  let client: OpenAI;
  const model = 'acme/chat';
  const messages = () => provider.seen.at(-1)!.body.messages;

  beforeAll(() => {
    client = new OpenAI({ baseURL: `${api.url}/v1`, apiKey: api.key, maxRetries: 0 });
  });
  beforeEach(() => provider.script(answers('Paris is sunny.')));

  const dialogue = [
    { role: 'user', content: 'How is Paris?' },
    { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Paris"}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'Sunny' },
  ] as OpenAI.Responses.ResponseInput;

  it("returns the user's messages and a summary, which a later request can continue", async () => {
    const compacted = await client.responses.compact({ model: model, input: dialogue });
    expect(compacted).toMatchObject({ object: 'response.compaction', usage: { total_tokens: 15 } });
    expect(compacted.output).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'How is Paris?' }] },
      { type: 'compaction', encrypted_content: expect.any(String) },
    ]);
    const [, transcript] = messages();
    for (const said of ['How is Paris?', 'weather', '{"city":"Paris"}', 'Sunny'])
      expect(transcript.content).toContain(said);
    const next = [...compacted.output, { role: 'user', content: 'And Rome?' }] as OpenAI.Responses.ResponseInput;
    await client.responses.create({ model, input: next });
    const texts = messages().map(({ content }: { content: string }) => content);
    expect(texts).toEqual(['How is Paris?', expect.stringContaining('Paris is sunny.'), 'And Rome?']);
  });

  it('summarises the turns of the response that it continues', async () => {
    const first = await client.responses.create({ model, input: 'How is Paris?' });
    const asked = { model: model as 'gpt-5', input: 'And Rome?', previous_response_id: first.id };
    const { output } = await client.responses.compact(asked);
    expect(output.map(({ type }) => type)).toEqual(['message', 'message', 'compaction']);
    expect(messages()[1].content).toMatch(/How is Paris\?[^]*Paris is sunny\.[^]*And Rome\?/);
  });

  it('is recorded in the history, but cannot be retrieved as a response', async () => {
    const { id } = await client.responses.compact({ model: model, input: dialogue });
    const { body: record } = await api.call('GET', `/inferences/${id.replace('resp_', '')}`);
    expect(record).toMatchObject({ status: 'success', output: { summary: 'Paris is sunny.' } });
    expect((await api.call('GET', `/v1/responses/${id}`)).status).toBe(404);
  });

  it.each<[string, string, object]>([
    ['a stream', 'stream', { stream: true }],
    ['an encoder', 'model', { model: 'anneal/encoder-base-v1' }],
    [
      'the compaction of another system',
      'input.0.encrypted_content',
      {
        input: [{ type: 'compaction', encrypted_content: 'gAAAAABpM0Yj' }],
      },
    ],
  ])('refuses %s', async (_, param, more) => {
    const { status, body } = await api.call('POST', '/v1/responses/compact', { model, input: 'Hi', ...more });
    expect([status, body.error.param]).toEqual([422, param]);
  });
});

describe('POST /v1/responses/{id}/cancel', () => {
  it('is 409 for a finished response, and 404 for an unknown one', async () => {
    const asked = { model: 'anneal/encoder-base-v1', input: 'Anna Smith flies to Paris', schema: ['person'] };
    const { body } = await api.call('POST', '/v1/responses', asked);
    const cancelled = await api.call('POST', `/v1/responses/${body.id}/cancel`);
    const unknown = await api.call('POST', '/v1/responses/resp_none/cancel');
    expect([cancelled.status, unknown.status]).toEqual([409, 404]);
  });
});
