import type { JsonObject } from '#domain/json.js';
import { formatOfRow, FORMATS, type FormatName } from './index.js';

const messages = [{ role: 'user', content: 'Where is order 90210?' }];
const call = { id: 'call_1', type: 'function', function: { name: 'find_order', arguments: '{"id":"90210"}' } };
const usage = { prompt_tokens: 12, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 8 } };
const completion = (message: JsonObject): JsonObject => ({
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1_760_000_000, model: 'gpt-4o-mini-2024-07-18', usage },
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
});
const said = { role: 'assistant', content: 'In Ghent.' };

const helicone = {
  ...{ request_id: 'h-1', response_id: 'r-1', request_created_at: '2025-10-09T08:53:20.120Z', response_status: 200 },
  ...{ request_body: { model: 'gpt-4o-mini', messages }, response_body: completion(said), request_path: '/v1/chat' },
  ...{ response_model: 'gpt-4o-mini-2024-07-18', request_model: 'gpt-4o-mini', provider: 'OPENAI', delay_ms: 812 },
  ...{ prompt_tokens: 12, completion_tokens: 4, costUSD: 0.0001, request_user_id: 'ada', time_to_first_token: 300 },
  ...{ request_properties: { app: 'desk' }, scores: { 'helicone-score-feedback': 1, relevance: 3 } },
  ...{ signed_body_url: 'https://bucket.example/h-1?X-Amz-Signature=secret', country_code: 'BE', asset_ids: [] },
};
const langfuse = {
  ...{ id: 'obs-1', traceId: 'trace-1', type: 'GENERATION', name: 'answer', startTime: '2025-10-09T08:53:20.120Z' },
  ...{ endTime: '2025-10-09T08:53:21.120Z', completionStartTime: '2025-10-09T08:53:20.520Z', model: 'gpt-4o-mini' },
  ...{ input: messages, output: said, level: 'DEFAULT', statusMessage: null, modelParameters: { temperature: 0 } },
  ...{ usageDetails: { input: 12, output: 4, total: 16 }, totalCost: 0.0001, userId: 'ada', metadata: { app: 'desk' } },
};
const litellm = {
  ...{ request_id: 'chatcmpl-1', call_type: 'acompletion', api_key: '88dc28d0f030c55e', spend: 0.0001 },
  ...{ startTime: '2025-10-09T08:53:20.120000Z', endTime: '2025-10-09T08:53:21.120000Z', model: 'openai/gpt-4o-mini' },
  ...{ completionStartTime: '2025-10-09T08:53:20.520000Z', model_group: 'fast', custom_llm_provider: 'openai' },
  ...{
    prompt_tokens: 12,
    completion_tokens: 4,
    total_tokens: 16,
    end_user: 'ada',
    cache_hit: 'False',
    status: 'success',
  },
  ...{ messages, response: completion(said), metadata: { user_api_key_alias: 'desk' }, request_tags: ['support'] },
  proxy_server_request: { messages, model: 'fast', temperature: 0 },
};
const openai = { ...completion(said), messages, metadata: { app: 'desk' }, request_id: 'req_1', temperature: 1 };
const tensorzero = {
  ...{ type: 'chat', inference_id: 'tz-1', episode_id: 'ep-1', function_name: 'answer', variant_name: 'mini' },
  ...{ timestamp: '2025-10-09T08:53:20Z', processing_time_ms: 812, tags: { user_id: 'ada' }, dispreferred_outputs: [] },
  input: { system: 'Be short.', messages: [{ role: 'user', content: [{ type: 'text', text: 'Where is it?' }] }] },
  output: [{ type: 'text', text: 'In Ghent.' }],
};

const read = (format: Exclude<FormatName, 'anneal'>, row: JsonObject) => FORMATS[format].read(row);
const failed = { status: 'failed', output: null };

describe('exports of other systems', () => {
  it.each([
    ['helicone', helicone],
    ['langfuse', langfuse],
    ['langfuse', { id: 't', timestamp: '2025-10-09', name: 'desk', input: 'a', output: 'b', sessionId: null }],
    ['litellm', litellm],
    ['openai', openai],
    ['tensorzero', tensorzero],
    ['anneal', { id: 'a', model_id: 'm', created_at: '2025-10-09', input: 'a', output: 'b' }],
    [null, { text: 'a' }],
  ])('are told apart by their fields: %s', (format, row) => {
    expect(formatOfRow(row as JsonObject)).toBe(format);
  });

  it('of Helicone become calls with the provider and its answer, and without signed addresses', () => {
    const { line, origin } = read('helicone', helicone);
    expect(line).toMatchObject({
      ...{ id: 'h-1', model_id: 'gpt-4o-mini-2024-07-18', created_at: '2025-10-09T08:53:20.120Z', output: said },
      ...{ input: { messages }, task: 'generate', format: 'openai', status: 'success', latency_ms: 812, ttft_ms: 300 },
      ...{ input_tokens: 12, output_tokens: 4, cost: 0.0001, user: 'ada', metadata: { app: 'desk' } },
      human_verdict: 'correct',
    });
    expect(origin).toMatchObject({ provider: 'OPENAI', country_code: 'BE', response: { finish_reason: 'stop' } });
    expect(JSON.stringify([line, origin])).not.toContain('Signature');
  });

  it('of Helicone without columns of tokens have those of the answer', () => {
    const { prompt_tokens: _, completion_tokens: __, ...row } = helicone as JsonObject;
    const usage = { prompt_tokens: 20, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 8 } };
    const { line } = read('helicone', { ...row, response_body: { ...completion(said), usage } });
    expect(line).toMatchObject({ input_tokens: 12, cache_read_tokens: 8, output_tokens: 5 });
  });

  it('of Helicone are read from tables, whose JSON has its quotes doubled twice', () => {
    const twice = (body: JsonObject) => JSON.stringify(body).replaceAll('"', '""');
    const { line } = read('helicone', {
      ...{ response_id: 'r-1', response_status: '200', request_created_at: '2025-10-09 08:53:20.120' },
      ...{ request_body: twice({ messages: [{ role: 'user', content: 'Say "hi"' }] }), prompt_tokens: '12' },
      ...{ response_body: twice(completion(said)), model: 'gpt-4o-mini', latency: '812' },
    });
    expect(line).toMatchObject({
      ...{ id: 'r-1', input: { messages: [{ role: 'user', content: 'Say "hi"' }] }, output: said },
      ...{ input_tokens: 12, latency_ms: 812 },
    });
  });

  it.each([
    [429, { error: { message: 'slow down' } }, 'capacity_exhausted', 'slow down'],
    [-3, '', 'cancelled', 'status -3'],
    [200, { error: { message: 'overloaded' } }, 'internal', 'overloaded'],
  ])('of Helicone with status %s are failed calls', (response_status, response_body, error_type, error_message) => {
    const { line } = read('helicone', { ...helicone, response_status, response_body, scores: {} });
    expect(line).toMatchObject({ ...failed, error_type, error_message });
    expect(line).not.toHaveProperty('human_verdict');
  });

  it('keep calls of tools and answers of Anthropic as their API has them', () => {
    const tools = read('helicone', { ...helicone, response_body: completion({ content: null, tool_calls: [call] }) });
    expect(tools.line.output).toEqual({ role: 'assistant', content: null, tool_calls: [call] });
    const content = [{ type: 'tool_use', id: 'toolu_1', name: 'find_order', input: { id: '90210' } }];
    const response_body = { id: 'msg_1', type: 'message', role: 'assistant', content, stop_reason: 'tool_use' };
    const claude = read('helicone', { ...helicone, response_body });
    expect(claude.line).toMatchObject({ format: 'anthropic', output: { role: 'assistant', content } });
    expect(claude.origin).toMatchObject({ response: { stop_reason: 'tool_use' } });
  });

  it('of Langfuse become calls, by either spelling of the fields', () => {
    const expected = {
      ...{ id: 'obs-1', model_id: 'gpt-4o-mini', input: { messages }, output: said, latency_ms: 1000, ttft_ms: 400 },
      ...{ input_tokens: 12, output_tokens: 4, cost: 0.0001, user: 'ada', metadata: { app: 'desk' } },
    };
    const { line, origin } = read('langfuse', langfuse);
    expect(line).toMatchObject({ ...expected, created_at: '2025-10-09T08:53:20.120Z' });
    expect(origin).toMatchObject({ traceId: 'trace-1', name: 'answer', modelParameters: { temperature: 0 } });
    const stored = read('langfuse', {
      ...{ id: 'obs-1', trace_id: 'trace-1', type: 'GENERATION', start_time: '2025-10-09 08:53:20.120000' },
      ...{ end_time: '2025-10-09 08:53:21.120000', completion_start_time: '2025-10-09 08:53:20.520000' },
      ...{ provided_model_name: 'gpt-4o-mini', input: JSON.stringify(messages), output: JSON.stringify(said) },
      ...{ usage_details: '{"input":12,"output":4}', total_cost: '0.0001', user_id: 'ada', metadata: '{"app":"desk"}' },
    });
    expect(stored.line).toMatchObject(expected);
  });

  it('of Langfuse bring thumbs and corrected outputs of people, and no scores of evaluators', () => {
    const verdict = (scores: unknown) => read('langfuse', { ...langfuse, scores } as JsonObject).line.human_verdict;
    expect(verdict({ 'user-feedback': [1] })).toBe('correct');
    expect(verdict([{ name: 'thumbs', value: 0, dataType: 'BOOLEAN', source: 'ANNOTATION' }])).toBe('unsure');
    expect(verdict([{ name: 'feedback', value: 1, source: 'EVAL' }])).toBeUndefined();
    expect(verdict({ toxicity: [1], feedback: [0.5] })).toBeUndefined();
    expect(read('langfuse', { ...langfuse, 'user-feedback': '["True"]' }).line.human_verdict).toBe('correct');
    const correction = { name: 'output', dataType: 'CORRECTION', longStringValue: 'In Lyon.', comment: 'moved' };
    expect(read('langfuse', { ...langfuse, scores: [correction] }).line).toMatchObject({
      ...{ human_verdict: 'incorrect', human_corrected_output: 'In Lyon.', human_feedback_notes: 'moved' },
    });
  });

  it('of Langfuse that call no model are refused by their type; a trace is a call of its application', () => {
    expect(() => read('langfuse', { ...langfuse, type: 'SPAN' })).toThrow('calls no model');
    const error = { ...langfuse, level: 'ERROR', statusMessage: 'timed out', output: null };
    expect(read('langfuse', error).line).toMatchObject({ ...failed, error_message: 'timed out' });
    const trace = { id: 't', timestamp: '2025-10-09', name: 'desk', input: 'Where?', output: 'There.', sessionId: 's' };
    expect(read('langfuse', trace).line).toMatchObject({
      ...{ model_id: 'desk', input: { input: 'Where?' }, output: 'There.' },
    });
  });

  it('of LiteLLM become calls of the model group, with the request as the proxy received it', () => {
    const { line, origin } = read('litellm', litellm);
    expect(line).toMatchObject({
      ...{ id: 'chatcmpl-1', model_id: 'fast', base_model: 'openai/gpt-4o-mini', latency_ms: 1000, ttft_ms: 400 },
      ...{ input: { messages, temperature: 0 }, output: said, input_tokens: 12, cost: 0.0001, user: 'ada' },
    });
    expect(origin).toMatchObject({ request_tags: ['support'], metadata: { user_api_key_alias: 'desk' } });
    const withHeaders = { body: { messages }, headers: { authorization: 'Bearer sk-secret' } };
    const received = read('litellm', { ...litellm, proxy_server_request: withHeaders });
    expect(received.line.input).toEqual({ messages });
    expect(JSON.stringify(received)).not.toContain('sk-secret');
  });

  it('of LiteLLM that failed, or of which the proxy stored nothing, say so', () => {
    const metadata = { error_information: { error_code: '429', error_message: 'RateLimitError: slow down' } };
    expect(read('litellm', { ...litellm, status: 'failure', response: {}, metadata }).line).toMatchObject({
      ...{ ...failed, error_type: 'capacity_exhausted', error_message: 'RateLimitError: slow down' },
    });
    expect(() => read('litellm', { ...litellm, response: '{}' })).toThrow('store_prompts_in_spend_logs');
  });

  it('of OpenAI are stored completions with their messages, and stored responses', () => {
    const { line, origin } = read('openai', openai);
    expect(line).toMatchObject({
      ...{ id: 'chatcmpl-1', model_id: 'gpt-4o-mini-2024-07-18', created_at: '2025-10-09T08:53:20.000Z', output: said },
      ...{ input: { messages }, input_tokens: 4, cache_read_tokens: 8, output_tokens: 4, metadata: { app: 'desk' } },
    });
    expect(origin).toMatchObject({ request_id: 'req_1', temperature: 1, finish_reason: 'stop', usage });
    const format = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } };
    expect(read('openai', { ...openai, response_format: format }).line).toMatchObject({
      input: { messages, response_format: format },
    });
    expect(() => read('openai', { ...openai, messages: null })).toThrow('body.messages: is required');
    const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'In Ghent.' }] }];
    const response = { id: 'resp_1', object: 'response', created_at: 1_760_000_000, model: 'gpt-5', output };
    expect(read('openai', { ...response, status: 'completed', input: messages }).line).toMatchObject({
      ...{ id: 'resp_1', input: { input: messages }, output: { output }, status: 'success' },
    });
    const refused = { ...response, status: 'failed', error: { code: 'server_error', message: 'gone' }, output: [] };
    expect(read('openai', { ...refused, input: 'Hi' }).line).toMatchObject({ ...failed, error_message: 'gone' });
  });

  it('of TensorZero become calls of a function, with tools as OpenAI has them', () => {
    const { line, origin } = read('tensorzero', tensorzero);
    expect(line).toMatchObject({
      ...{ id: 'tz-1', model_id: 'answer', base_model: 'mini', latency_ms: 812, user: 'ada', output: said },
      input: {
        messages: [
          { role: 'system', content: 'Be short.' },
          { role: 'user', content: 'Where is it?' },
        ],
      },
    });
    expect(origin).toMatchObject({ episode_id: 'ep-1' });
    const blocks = [{ type: 'tool_call', id: 'call_1', name: 'find_order', raw_arguments: '{"id":"90210"}' }];
    const result = [{ type: 'tool_result', id: 'call_1', name: 'find_order', result: 'Ghent' }];
    const messagesWithTools = [
      { role: 'assistant', content: blocks },
      { role: 'user', content: result },
    ];
    const tools = read('tensorzero', { ...tensorzero, input: { messages: messagesWithTools }, output: blocks });
    expect(tools.line).toMatchObject({
      output: { role: 'assistant', content: null, tool_calls: [call] },
      input: {
        messages: [
          { role: 'assistant', tool_calls: [call] },
          { role: 'tool', tool_call_id: 'call_1', content: 'Ghent' },
        ],
      },
    });
  });

  it("of TensorZero's tables hold JSON as text; demonstrations are corrections", () => {
    const row = {
      ...{ id: 'tz-2', function_name: 'extract', variant_name: 'mini', timestamp: '2025-10-09 08:53:20' },
      ...{ input: '{"messages":[{"role":"user","content":"Ada left Lyon"}]}', tags: {} },
      output: '{"raw":"{\\"city\\":\\"Lyon\\"}","parsed":{"city":"Lyon"}}',
    };
    expect(read('tensorzero', row).line).toMatchObject({ id: 'tz-2', output: '{"city":"Lyon"}' });
    const demonstration = '{"raw":"{\\"city\\":null}"}';
    expect(read('tensorzero', { ...row, demonstration, comment: 'left it' }).line).toMatchObject({
      ...{ human_verdict: 'incorrect', human_corrected_output: '{"city":null}', human_feedback_notes: 'left it' },
    });
    const wrong = [{ type: 'text', text: 'In Lyon.' }];
    expect(read('tensorzero', { ...tensorzero, dispreferred_outputs: [wrong] }).line).toMatchObject({
      ...{ output: { content: 'In Lyon.' }, human_verdict: 'incorrect', human_corrected_output: said },
    });
    expect(read('tensorzero', { ...row, metrics: { thumbs_up: true, length: 4 } }).line.human_verdict).toBe('correct');
    expect(read('tensorzero', { ...row, error: 'all variants failed' }).line).toMatchObject(failed);
  });

  it.each([
    ['helicone', { ...helicone, response_body: null }, '--include-body'],
    ['helicone', { ...helicone, request_created_at: null }, 'body.request_created_at: is required'],
    ['langfuse', { ...langfuse, model: null }, 'body.model: is required'],
    ['tensorzero', { ...tensorzero, inference_id: null }, 'body.inference_id: is required'],
  ] as const)('of %s that lack something are refused by the name of their field', (format, row, reason) => {
    expect(() => read(format, row as JsonObject)).toThrow(reason);
  });
});
