import type { InvalidError } from '#domain/errors.js';
import type { HostedApi } from '#test/support/hosted-api.js';
import type { TestApi } from '#test/support/api.js';
import { answers } from '#test/support/scripted-answers.js';
import { says } from '#test/support/scripted-anthropic.js';
import type { ScriptedProvider } from '#test/support/scripted-provider.js';
import { sharedHostedApi } from '#test/support/shared-api.js';
import { decodeResponses } from './decode.js';

describe('the body of POST /v1/responses', () => {
  let provider: ScriptedProvider;
  let claude: ScriptedProvider;
  let system: HostedApi;
  let api: TestApi;
  const ask = (body: object) => api.call('POST', '/v1/responses', { model: 'acme/chat', input: 'Say hello', ...body });
  /** The body that the provider receives. */
  const sent = async (body: object) => {
    const { status, body: answer } = await ask(body);
    expect([status, answer.error]).toEqual([200, null]);
    return provider.seen.at(-1)!.body;
  };

  beforeAll(async () => {
    system = await sharedHostedApi();
    ({ api, openai: provider, claude } = system);
  });
  beforeEach(() => {
    provider.script(answers('Hello there'));
    claude.script(says('Hello there'));
  });
  afterAll(() => system.close());

  it('becomes messages, for items of all roles and kinds', async () => {
    const png = 'data:image/png;base64,iVBORw0KGgo=';
    const { messages } = await sent({
      input: [
        { role: 'developer', content: 'Be brief' },
        {
          ...{ type: 'message', role: 'user', status: 'completed', id: 'msg_1' },
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: png, detail: 'low' },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' },
            { type: 'input_file', filename: 'b.pdf', file_data: 'JVBERg==' },
            { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
          ],
        },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Wait', annotations: [] }] },
        { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{"at":1}' },
        { type: 'function_call', call_id: 'call_2', name: 'look', arguments: '{"at":2}' },
        { type: 'function_call_output', call_id: 'call_1', output: '' },
        { type: 'function_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'A dog' }] },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] },
      ],
    });
    expect(messages).toEqual([
      { role: 'system', content: 'Be brief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: png, detail: 'low' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' } },
          { type: 'file', file: { filename: 'b.pdf', file_data: 'data:application/pdf;base64,JVBERg==' } },
          { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        ],
      },
      {
        ...{ role: 'assistant', content: 'Wait', reasoning_content: 'Hm' },
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
          { id: 'call_2', type: 'function', function: { name: 'look', arguments: '{"at":2}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '' },
      { role: 'tool', tool_call_id: 'call_2', content: 'A dog' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] },
    ]);
  });

  it('may have messages, parts, tools and a choice of one as chat completions have them', async () => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const { type, ...described } = weather;
    const body = await sent({
      input: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url, detail: 'low' } },
            { type: 'image_url', image_url: url },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' } },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'I look' }],
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'Rain' }] },
      ],
      tools: [{ type, function: described }],
      tool_choice: { type, function: { name: 'weather' } },
    });
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url, detail: 'low' } },
          { type: 'image_url', image_url: { url } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' } },
        ],
      },
      {
        ...{ role: 'assistant', content: 'I look' },
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'Rain' },
    ]);
    const choice = { type: 'function', function: { name: 'weather' } };
    expect([body.tools, body.tool_choice]).toEqual([[{ type: 'function', function: described }], choice]);
  });

  it('may have tools without a type, a format of chat completions, and words that say nothing', async () => {
    const { type: _, ...described } = weather;
    const schema = { type: 'object', properties: {} };
    const body = await sent({
      ...{ tools: [described], tool_choice: 'any', reasoning: { effort: 'default' }, max_output_tokens: -1 },
      ...{ text: { format: { type: 'json_schema', json_schema: { name: 'it', schema } } }, logprobs: false },
      ...{ user: '', safety_identifier: '', prompt_cache_key: '' },
    });
    expect(body).toMatchObject({
      ...{ tools: [{ type: 'function', function: described }], tool_choice: 'required' },
      response_format: { type: 'json_schema', json_schema: { name: 'it', schema } },
    });
    for (const name of ['reasoning_effort', 'user', 'prompt_cache_key', 'max_output_tokens'])
      expect(body).not.toHaveProperty(name);
  });

  it('may have values of metadata that are no text, which answers have as JSON', async () => {
    const metadata = { run: '7', count: 3, tags: ['a'], trace: { id: 1 }, none: null };
    const { status, body } = await ask({ metadata });
    expect([status, body.metadata]).toEqual([200, { run: '7', count: '3', tags: '["a"]', trace: '{"id":1}' }]);
  });

  it('tells what tools that ran elsewhere did as text, and names them as dropped', async () => {
    const { status, headers } = await ask({
      input: [
        { role: 'user', content: 'Is it open?' },
        { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'x', tools: [] },
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'museum' } },
        { type: 'mcp_call', id: 'mcp_1', name: 'hours', arguments: '{}', output: '9 to 5', server_label: 'x' },
        { type: 'shell_call_output', call_id: 'c', output: [{ stdout: 'ok' }] },
        { type: 'image_generation_call', id: 'ig_1', result: 'aGk=' },
        { type: 'configuration_update', reasoning: { effort: 'low' } },
        { type: 'compaction_trigger' },
        { type: 'compaction_summary', encrypted_content: 'e' },
        { type: 'program_output', id: 'p_1', call_id: 'c', result: '42' },
      ],
    });
    expect([status, headers.get('x-anneal-dropped')]).toEqual([
      200,
      [
        ...['mcp_list_tools', 'web_search_call', 'mcp_call', 'shell_call_output', 'image_generation_call'],
        ...['configuration_update', 'compaction_trigger', 'compaction_summary', 'program_output'],
      ]
        .map((type, index) => `input.${index + 1}.${type}`)
        .join(', '),
    ]);
    expect(provider.seen.at(-1)!.body.messages).toEqual([
      { role: 'user', content: 'Is it open?' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'web_search_call {"action":{"type":"search","query":"museum"}}' },
          { type: 'text', text: 'mcp_call {"name":"hours","arguments":"{}","output":"9 to 5","server_label":"x"}' },
        ],
      },
      { role: 'user', content: 'shell_call_output {"output":[{"stdout":"ok"}]}' },
      { role: 'user', content: 'program_output {"result":"42"}' },
    ]);
  });

  const weather = { type: 'function', name: 'weather', parameters: { type: 'object' } };

  it('forwards tools and tool_choice', async () => {
    const now = { type: 'function', name: 'now', description: 'The time', parameters: null, strict: true };
    const body = await sent({
      ...{ tools: [weather, now], parallel_tool_calls: false },
      tool_choice: { type: 'function', name: 'now' },
    });
    expect(body).toMatchObject({
      tools: [
        { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } },
        {
          type: 'function',
          function: { name: 'now', description: 'The time', strict: true, parameters: { type: 'object' } },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'now' } },
      parallel_tool_calls: false,
    });
    const allowed = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'now' }] };
    const fewer = await sent({ tools: [weather, now], tool_choice: allowed });
    expect([fewer.tools.length, fewer.tools[0].function.name, fewer.tool_choice]).toEqual([1, 'now', 'required']);
  });

  it('forwards fields that only the provider understands', async () => {
    const more = { prompt_cache_key: 'k', prompt_cache_retention: '24h', service_tier: 'flex' };
    expect(await sent({ ...more, text: { verbosity: 'low' } })).toMatchObject({ ...more, verbosity: 'low' });
  });

  it("forwards the answer's format, effort and log probabilities", async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const format = { type: 'json_schema', name: 'it', description: 'It', schema, strict: true };
    const body = await sent({
      ...{ text: { format, verbosity: 'medium' }, reasoning: { effort: 'low', summary: 'auto' } },
      ...{ include: ['message.output_text.logprobs', 'reasoning.encrypted_content'], top_logprobs: 2 },
      ...{ max_output_tokens: 7, safety_identifier: 'u2' },
    });
    expect(body).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'it', description: 'It', schema, strict: true } },
      ...{ reasoning_effort: 'low', logprobs: true, top_logprobs: 2, max_tokens: 7, user: 'u2' },
    });
    expect((await sent({ text: { format: { type: 'json_object' } } })).response_format).toEqual({
      type: 'json_object',
    });
    expect((await sent({ text: { format: { type: 'text' } } })).response_format).toBeUndefined();
  });

  it('carries cache markers on blocks to a Claude-style model unchanged', async () => {
    const cache_control = { type: 'ephemeral' };
    const content = [
      { type: 'input_text', text: 'A long text', cache_control },
      { type: 'input_text', text: 'And?' },
    ];
    const { status } = await ask({
      ...{ model: 'acme/claude', max_output_tokens: 10, input: [{ role: 'user', content }] },
      tools: [{ ...weather, cache_control }],
    });
    expect(status).toBe(200);
    const { body } = claude.seen.at(-1)!;
    expect(body.messages[0].content).toEqual([
      { type: 'text', text: 'A long text', cache_control },
      { type: 'text', text: 'And?' },
    ]);
    expect(body.tools[0].cache_control).toEqual(cache_control);
  });

  const PART = { type: 'input_text', text: 'Hi' };
  it.each<[string, object]>([
    ['background', { background: true }],
    ['conversation', { conversation: 'conv_1' }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['moderation', { moderation: { model: 'm' } }],
    ['web_search', { tools: [{ type: 'web_search' }] }],
    ['mcp', { tools: [{ type: 'mcp', server_label: 'x' }] }],
    ['tools.0.allowed_callers', { tools: [{ ...weather, allowed_callers: ['programmatic'] }] }],
    ['tool_choice.type', { tools: [weather], tool_choice: { type: 'web_search_preview' } }],
    ['tool_choice.name', { tools: [weather], tool_choice: { type: 'function', name: 'other' } }],
    ['input.0.content.0.type', { input: [{ role: 'user', content: [{ type: 'song', text: 'Hi' }] }] }],
    ['input', { input: [{ type: 'function_call_output', call_id: 'call_9', output: 'x' }] }],
    ['max_output_tokens', { max_tokens: 10 }],
    ['input', { messages: [] }],
    ['text.format', { response_format: { type: 'json_object' } }],
    ['n', { n: 2 }],
    ['max_output_tokens', { max_output_tokens: 100_000 }],
    ['metadata', { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, key) => [`k${key}`, ''])) }],
  ])('%s is refused by name if it cannot be honoured', async (name, body) => {
    const before = provider.seen.length;
    const { status, body: answer } = await ask(body);
    expect([status, answer.error.type]).toEqual([422, 'invalid_request_error']);
    expect(`${answer.error.param}: ${answer.error.message}`).toContain(name);
    expect(provider.seen.length).toBe(before);
  });

  it.each<[string, object]>([
    ['context_management', { context_management: [{ type: 'compaction' }] }],
    ['truncation', { truncation: 'auto' }],
    ['client_metadata', { client_metadata: { path: '/home/ann' } }],
    ['stream_options.include_obfuscation', { stream_options: { include_obfuscation: true } }],
    ['reasoning.context', { reasoning: { context: 'all_turns' } }],
    ['reasoning.mode', { reasoning: { mode: 'pro' } }],
    ['include.new_call.results', { include: ['reasoning.encrypted_content', 'new_call.results'] }],
    [
      'input.0.reasoning_details',
      { input: [{ role: 'assistant', content: 'Hi', reasoning_details: [{ text: 'hm' }] }] },
    ],
    ['tools.output_schema', { tools: [{ ...weather, output_schema: { compaction: true } }] }],
    ['tools.web_search', { tools: [weather, { type: 'web_search' }] }],
    ['input.0.phase', { input: [{ role: 'assistant', content: 'Hi', phase: 'commentary' }] }],
    [
      'input.0.content.0.prompt_cache_breakpoint',
      { input: [{ role: 'user', content: [{ ...PART, prompt_cache_breakpoint: { mode: 'explicit' } }] }] },
    ],
  ])('%s is a hint: it is dropped, and the answer says so', async (name, body) => {
    const { status, headers } = await ask(body);
    expect([status, headers.get('x-anneal-dropped')]).toEqual([200, name]);
    expect(JSON.stringify(provider.seen.at(-1)!.body)).not.toMatch(
      /compaction|ann|obfuscation|turns|web_search|phase|cache|results|hm/,
    );
  });

  it('accepts fields without effect', async () => {
    const nulls = ['instructions', 'previous_response_id', 'conversation', 'prompt', 'tools', 'tool_choice', 'text'];
    const more = ['reasoning', 'include', 'metadata', 'store', 'stream', 'stream_options', 'user', 'service_tier'];
    await sent({
      ...Object.fromEntries([...nulls, ...more].map((name) => [name, null])),
      ...{ background: false, truncation: 'disabled', max_tool_calls: 3 },
    });
    await sent({
      ...{ service_tier: 'auto', stream_options: { include_obfuscation: false }, text: {}, reasoning: {}, include: [] },
      tools: [{ ...weather, async: false, allowed_callers: ['direct'] }],
    });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a list', []],
    [
      'wrong types everywhere',
      { model: 7, input: 7, instructions: 7, tools: 7, tool_choice: 7, text: 7, reasoning: 7 },
    ],
    [
      'wrong items',
      { model: 'm', input: [null, 7, 'x', [], {}, { type: 7 }, { type: '__proto__' }, { role: 'tool' }] },
    ],
    ['wrong parts', { model: 'm', input: [{ role: 'user', content: [null, {}, { type: 'toString' }] }] }],
    ['a wrong file', { model: 'm', input: [{ role: 'user', content: [{ type: 'input_file' }] }] }],
    ['wrong tools', { model: 'm', input: 'x', tools: [null, {}, { type: 'function', parameters: [] }] }],
  ])('with %s has every fault named', (_, body) => {
    const error = (() => {
      try {
        return decodeResponses(body);
      } catch (thrown) {
        return thrown as InvalidError;
      }
    })();
    expect(error).toMatchObject({ name: 'InvalidError', code: 'invalid' });
  });

  describe('the body of POST /v1/responses for an encoder', () => {
    const asked = { model: 'anneal/encoder-base-v1', input: 'Anna Smith flies to Paris' };
    const native = ['person', 'city'];

    it.each<[string, object]>([
      ['schema', { schema: native }],
      ['text.format.schema, a list', { text: { format: { schema: native } } }],
      ['text.format.schema, by heads', { text: { format: { type: 'json_schema', schema: { entities: native } } } }],
    ])('takes the labels from %s', async (_, body) => {
      const { status, body: answer } = await ask({ ...asked, ...body });
      expect(status).toBe(200);
      const [{ text }] = answer.output[0].content;
      expect(JSON.parse(text).entities.person[0].text).toBe('Anna Smith');
      expect(answer.usage.input_tokens).toBeGreaterThan(0);
    });

    it.each<[string, object]>([
      ['text.format', { text: { format: { type: 'json_schema', name: 'x', schema: { type: 'object' } } } }],
      [
        'text.format',
        { text: { format: { type: 'json_schema', name: 'x', schema: { properties: { entities: {} } } } } },
      ],
      ['text.format.schema', { schema: native, text: { format: { schema: native } } }],
      ['text.format.schema', { text: { format: { schema: [7] } } }],
      ['tools', { schema: native, tools: [weather] }],
      ['schema', {}],
    ])('refuses %s by name', async (name, body) => {
      const { status, body: answer } = await ask({ ...asked, ...body });
      expect([status, answer.error.param]).toEqual([422, expect.stringContaining(name)]);
    });

    it('is refused by name for a decoder if it has such a schema', async () => {
      const { status, body } = await ask({ text: { format: { schema: native } } });
      expect([status, body.error.param]).toEqual([422, 'text.format.schema']);
    });

    it('gets warnings and truncated text reported in x_pioneer, whole and in a stream', async () => {
      const cut = {
        ...{ model: asked.model, input: 'a '.repeat(10_001) },
        schema: { entities: { person: 'somebody' }, classifications: { topic: ['travel', 'sport'] } },
      };
      const { body } = await ask(cut);
      expect(body.x_pioneer).toEqual({
        inference_id: expect.any(String),
        truncated: true,
        warnings: expect.arrayContaining([
          { code: 'unused_description', message: expect.stringContaining('of "person"') },
        ]),
      });
      const { body: stream } = await ask({ ...cut, stream: true });
      const completed = (stream as string).split('\n').findLast((line) => line.startsWith('data: '))!;
      expect(JSON.parse(completed.slice('data: '.length)).response.x_pioneer).toMatchObject({
        truncated: true,
        warnings: body.x_pioneer.warnings,
      });
    });

    it('streams the result as one piece, and a later response can continue it', async () => {
      const { body } = await ask({ ...asked, schema: native, stream: true });
      expect(body).toContain('event: response.completed');
      const first = await ask({ ...asked, schema: native });
      const { messages } = await sent({ input: 'Who is it?', previous_response_id: first.body.id });
      expect(messages[0].content).toBe(asked.input);
      expect(JSON.parse(messages[1].content).entities.person[0].text).toBe('Anna Smith');
    });
  });
});
