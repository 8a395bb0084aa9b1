import type { HostedApi } from '#test/support/hosted-api.js';
import type { TestApi } from '#test/support/api.js';
import { answers, completes } from '#test/support/scripted-answers.js';
import { begins, type ScriptedProvider } from '#test/support/scripted-provider.js';
import { sharedHostedApi } from '#test/support/shared-api.js';
import type { Catalog } from '#models/catalog/catalog.js';
import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import { decodeResponses } from './decode.js';
import { MAX_CHARACTERS, MAX_TURNS, Replay } from './replay.js';
import { COMPLETED } from './output.js';
import type { CallRecord } from '#use-cases/inferences/record.js';
import type { StoredResponse, StoredResponses } from './stored-responses.js';

describe('earlier responses', () => {
  let provider: ScriptedProvider;
  let system: HostedApi;
  let api: TestApi;
  const ask = (body: object, key = api.key) =>
    api.call('POST', '/v1/responses', { model: 'acme/chat', input: 'Say hello', ...body }, { 'x-api-key': key });
  const get = (path: string, key = api.key) =>
    api.call('GET', `/v1/responses/${path}`, undefined, { 'x-api-key': key });
  const messages = () => provider.seen.at(-1)!.body.messages;

  beforeAll(async () => {
    system = await sharedHostedApi();
    ({ api, openai: provider } = system);
  });
  beforeEach(() => provider.script(answers('Hello there')));
  afterAll(() => system.close());

  const CALL = { id: 'call_1', name: 'weather', input: '{"city":"Paris"}' };
  const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object' } }];
  const output = { type: 'function_call_output', call_id: 'call_1', output: 'Sunny' };
  const dialogue = [
    { role: 'user', content: 'Say hello' },
    {
      ...{ role: 'assistant', content: 'Wait' },
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: CALL.input } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'Sunny' },
  ];

  it("take a function's output for the call of the previous turn", async () => {
    provider.script(answers({ text: 'Wait', toolCalls: [CALL] }), answers('Sunny it is'));
    const first = await ask({ tools });
    const { status } = await ask({ tools, input: [output], previous_response_id: first.body.id });
    expect([status, messages()]).toEqual([200, dialogue]);
  });

  it('are counted with the input of the next, and nothing runs', async () => {
    const { body: first } = await ask({ input: 'A long question '.repeat(100) });
    const before = provider.seen.length;
    const counted = async (body: object) => {
      const asked = { model: 'acme/chat', input: 'And?', ...body };
      const { status, body: answer } = await api.call('POST', '/v1/responses/input_tokens', asked);
      expect([status, answer]).toEqual([200, { object: 'response.input_tokens', input_tokens: expect.any(Number) }]);
      return answer.input_tokens;
    };
    expect(await counted({ previous_response_id: first.id })).toBeGreaterThan((await counted({})) + 300);
    expect(provider.seen.length).toBe(before);
  });

  it("may be referred to item by item, by the items' ids", async () => {
    provider.script(answers({ text: 'Wait', toolCalls: [CALL] }), answers('Sunny it is'));
    const { body: first } = await ask({ tools, stream: true });
    const ids = [
      ...(first as string).matchAll(/output_item.done","sequence_number":\d+,.*?"id":"((?:msg|fc)_[^"]*)"/g),
    ];
    const references = ids.map(([, id]) => ({ type: 'item_reference', id }));
    expect(references.length).toBe(2);
    const { status } = await ask({ tools, input: [{ role: 'user', content: 'Say hello' }, ...references, output] });
    expect([status, messages()]).toEqual([200, dialogue]);
  });

  it.each([
    ['an id of another kind', 'chatcmpl-1'],
    ['an unknown one', 'resp_01a1fc43-2dd6-7405-8ac4-b1f8f3fc9994'],
  ])('%s is 404 naming the field', async (_, id) => {
    const { status, body } = await ask({ previous_response_id: id });
    expect([status, body.error.param, body.error.code]).toEqual([404, 'previous_response_id', 'not_found']);
    const item = await ask({ input: [{ type: 'item_reference', id: `${id.replace('resp', 'msg')}_0` }] });
    expect([item.status, item.body.error.param]).toEqual([404, 'input.0.id']);
    expect((await get(id)).status).toBe(404);
  });

  it.each([
    ['chat/completions', 'acme/chat', { messages: [{ role: 'user', content: 'Say hello' }] }],
    ['completions', 'acme/base', { prompt: 'Say hello' }],
  ])('a call of /v1/%s is not a response, whatever unknown fields it has', async (route, model, asked) => {
    provider.script(route === 'completions' ? completes('Hello') : answers('Hello'));
    const { body: other } = await api.call('POST', `/v1/${route}`, {
      ...{ model, ...asked, output: [null] },
      ...(route === 'completions' && { input: [null] }),
    });
    const id = `resp_${other.x_pioneer.inference_id}`;
    const found = [await get(id), await get(`${id}/input_items`), await ask({ previous_response_id: id })];
    expect(found.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  it('of another workspace are 404 naming the field', async () => {
    const { body: first } = await ask({});
    const { key } = await api.colleague();
    const { status, body } = await ask({ previous_response_id: first.id }, key);
    expect([status, body.error.param]).toEqual([404, 'previous_response_id']);
    const item = await ask({ input: [{ id: first.output[0].id }] }, key);
    expect([item.status, item.body.error.param]).toEqual([404, 'input.0.id']);
    expect((await get(first.id, key)).status).toBe(404);
    expect((await get(`${first.id}/input_items`, key)).status).toBe(404);
  });

  it('do not include calls of other routes', async () => {
    const asked = { model: 'acme/chat', messages: [{ role: 'user', content: 'Hi' }] };
    const { body: chat } = await api.call('POST', '/v1/chat/completions', asked);
    const { status } = await ask({ previous_response_id: `resp_${chat.x_pioneer.inference_id}` });
    expect(status).toBe(404);
  });

  it('that failed midway are retrieved as failed, with the partial output, and cannot be continued', async () => {
    provider.script(begins('Hello', 'cut'));
    const { body: events } = await ask({ stream: true });
    const [id] = /resp_[-0-9a-f]+/.exec(events as string)!;
    const { body: failed } = await get(id);
    expect(failed).toMatchObject({ id, status: 'failed', error: { code: 'server_error' } });
    expect(failed.output[0].content[0].text).toBe('Hello');
    const { status, body } = await ask({ previous_response_id: id });
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('failed')]);
  });

  it.each([
    ['small', 'Say hello'],
    ['large', 'Say hello '.repeat(10_000)],
  ])('are erased when they are deleted, while their cost stays: %s', async (_, input) => {
    provider.script(answers({ text: 'Wait', toolCalls: [CALL] }));
    const { body } = await ask({ input, tools });
    const inferenceId = (body.id as string).slice('resp_'.length);
    const remove = (key = api.key) => api.call('DELETE', `/v1/responses/${body.id}`, undefined, { 'x-api-key': key });
    await get(body.id);
    const feedback = { verdict: 'correct', notes: 'said hello' };
    await api.call('POST', `/inferences/${inferenceId}/feedback`, feedback);
    expect((await remove((await api.colleague()).key)).status).toBe(404);
    expect(await remove()).toMatchObject({ status: 200, body: { id: body.id, object: 'response', deleted: true } });
    expect([(await remove()).status, (await get(body.id)).status]).toEqual([404, 404]);
    expect(await ask({ tools, input: [output], previous_response_id: body.id })).toMatchObject({
      status: 404,
      body: { error: { param: 'previous_response_id' } },
    });
    expect((await api.call('GET', `/inferences/${inferenceId}`)).body).toMatchObject({
      ...{ input: null, output: null, input_tokens: body.usage.input_tokens },
      ...{ human_verdict: 'correct', human_feedback_notes: null },
    });
    const { objectStore, eventStore } = api.application.ports;
    const objects = await Array.fromAsync(objectStore.list('calls/'));
    expect(objects.filter(({ key }) => key.includes(inferenceId))).toEqual([]);
    const filter = { types: ['call-content.v1', 'call-metered.v1'] };
    const events = await Array.fromAsync(eventStore.readAll({ filter }));
    const { stream, revision } = events.find(({ data }) => data['inferenceId'] === inferenceId && data['content'])!;
    const { body: shown } = await api.call('GET', `/events?stream=${stream}&from=${revision}&limit=1`);
    expect(shown.events).toMatchObject([{ data: { inferenceId, content: null } }]);
    const { body: judged } = await api.call('GET', `/events?stream=feedback-${inferenceId}`);
    expect(judged.events).toMatchObject([{ data: { verdict: 'correct', notes: null } }]);
  });

  it('are retrieved with the same answer and their input', async () => {
    const input = [
      { role: 'user', content: 'One' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Two' }] },
    ];
    const { body } = await ask({ input, instructions: 'Count', temperature: 0.5, metadata: { run: '7' }, tools });
    const retrieved = await get(body.id);
    expect(retrieved).toMatchObject({ status: 200, body: { ...body, completed_at: expect.any(Number) } });
    expect((await api.call('GET', `/v1/v1/responses/${body.id}`)).body).toEqual(retrieved.body);
    const { body: items } = await get(`${body.id}/input_items?order=asc&limit=1`);
    expect(items).toMatchObject({
      ...{ object: 'list', has_more: true, first_id: items.data[0].id, last_id: items.data[0].id },
      data: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'One' }], status: 'completed' }],
    });
    const { body: rest } = await get(`${body.id}/input_items?order=asc&after=${items.last_id}`);
    const unknown = await get(`${body.id}/input_items?after=msg_none`);
    expect([unknown.status, unknown.body.error.param]).toEqual([422, 'after']);
    expect(rest).toMatchObject({ has_more: false, data: [{ content: [{ text: 'Two' }] }] });
    const { body: backwards } = await get(`${body.id}/input_items`);
    expect(backwards.data.map((item: { id: string }) => item.id)).toEqual([rest.data[0].id, items.data[0].id]);
    expect((await get(`${body.id}?stream=true`)).status).toBe(422);
  });
});

describe('a chain of responses', () => {
  /** Each response continues the one before it: `resp_3` says `text` and continues `resp_2`. */
  const chainOf = (text: string) =>
    new Replay(
      {
        find: (_: Caller, id: string): Promise<StoredResponse> => {
          const number = Number(id.slice('resp_'.length));
          if (number < 1) return Promise.reject(new NotFoundError('response', id));
          const previous = number === 1 ? {} : { previous_response_id: `resp_${number - 1}` };
          const body = { input: text, ...previous };
          return Promise.resolve({ inferenceId: id, record: {} as CallRecord, body, answer: COMPLETED, output: [] });
        },
      } as unknown as StoredResponses,
      { resolve: () => null } as unknown as Catalog,
    );
  const continuing = (number: number) =>
    decodeResponses({ model: 'acme/chat', input: 'Go on', previous_response_id: `resp_${number}` });
  const caller = {} as Caller;

  it(`is replayed up to ${MAX_TURNS} turns`, async () => {
    const { generation } = await chainOf('Hi').complete(caller, continuing(MAX_TURNS));
    expect(generation.messages.length).toBe(MAX_TURNS + 1);
    await expect(chainOf('Hi').complete(caller, continuing(MAX_TURNS + 1))).rejects.toMatchObject({
      fields: [{ path: ['body', 'previous_response_id'], type: 'out_of_range' }],
    });
  });

  it('is replayed up to 16 MiB', async () => {
    const text = 'x'.repeat(MAX_CHARACTERS / 4);
    await expect(chainOf(text).complete(caller, continuing(4))).rejects.toMatchObject({
      fields: [{ path: ['body', 'previous_response_id'], type: 'out_of_range' }],
    });
    await expect(chainOf(text).complete(caller, continuing(3))).resolves.toBeDefined();
  });
});
