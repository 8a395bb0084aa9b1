import { ASKED, messageOf, serveMessages, type ServedMessages } from '#test/support/messages.js';
import { answers } from '#test/support/scripted-answers.js';
import { begins, streams } from '#test/support/scripted-provider.js';

/** The counts that a provider of another style lacks. */
const NOT_COUNTED = {
  ...{ cache_creation: null, inference_geo: null, server_tool_use: null, service_tier: null, speed: null },
  output_tokens_details: null,
};
const TOOLS = [
  { name: 'look', description: 'Looks', input_schema: { type: 'object', properties: { at: { type: 'string' } } } },
];

describe('POST /v1/messages for a model of the openai style', () => {
  let served: ServedMessages;
  beforeAll(async () => {
    served = await serveMessages();
  });
  afterAll(() => served.close());

  it('answers with a message', async () => {
    served.acme.script(answers('Hello there'));
    const { status, headers, body } = await served.post(ASKED);
    expect(status).toBe(200);
    expect(headers.get('request-id')).toBe(headers.get('x-request-id'));
    expect(body).toEqual({
      id: `msg_${body.pioneer_inference_id}`,
      ...{ type: 'message', role: 'assistant', model: 'acme/chat' },
      content: [{ type: 'text', text: 'Hello there' }],
      ...{ stop_reason: 'end_turn', stop_sequence: null, stop_details: null, container: null, diagnostics: null },
      usage: {
        ...{ input_tokens: 12, output_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
        ...NOT_COUNTED,
      },
      pioneer_inference_id: expect.any(String),
    });
  });

  it('the older address works too, and either header takes the key', async () => {
    served.acme.script(streams('x'));
    const bearer = { authorization: `Bearer ${served.api.key}` };
    for (const headers of [{ 'x-api-key': served.api.key }, { 'X-API-Key': served.api.key }, bearer])
      expect((await served.api.call('POST', '/v1/v1/messages', ASKED, headers)).status).toBe(200);
  });

  it('streams the start of the message, its blocks, and its stop reason', async () => {
    served.acme.script(
      answers('Hello there', {
        usage: { prompt_tokens: 20, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 8 } },
      }),
    );
    const events = await served.stream(ASKED);
    expect(events.map(({ type, index }) => [type, index])).toEqual([
      ['message_start', undefined],
      ['content_block_start', 0],
      ['content_block_delta', 0],
      ['content_block_delta', 0],
      ['content_block_stop', 0],
      ['message_delta', undefined],
      ['message_stop', undefined],
    ]);
    // The input tokens are estimated until the provider reports them.
    expect(events[0].message.usage.input_tokens).toBeGreaterThan(0);
    expect(events.at(-2)).toEqual({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null, stop_details: null, container: null },
      usage: {
        ...{ input_tokens: 12, output_tokens: 5, cache_read_input_tokens: 8, cache_creation_input_tokens: 0 },
        ...{ output_tokens_details: null, server_tool_use: null },
      },
    });
    expect(messageOf(events)).toMatchObject({
      id: `msg_${events[0].message.pioneer_inference_id}`,
      content: [{ type: 'text', text: 'Hello there' }],
    });
  });

  describe('dropped hints whose names come from the caller', () => {
    const droppedFrom = async (body: object) => {
      served.acme.script(answers('Hello'));
      const { status, headers } = await served.post({ ...ASKED, ...body });
      return [status, headers.get('x-anneal-dropped')];
    };

    it.each([false, true])('are named in the header with safe characters only (streamed: %s)', async (stream) => {
      const metadata = { 中: 1, 'a\r\nset-cookie': 1, 'b, c': 1, '\ud800': 1 };
      const tools = [...TOOLS, { type: 'web\nsearch', name: 'web_search' }];
      expect(await droppedFrom({ stream, metadata, tools })).toEqual([
        200,
        'metadata.%E4%B8%AD, metadata.a%0D%0Aset-cookie, metadata.b%2C%20c, metadata.%EF%BF%BD, tools.web%0Asearch',
      ]);
    });

    it('are named in the header up to its length limit, and completely in the record', async () => {
      const metadata = Object.fromEntries(Array.from({ length: 90 }, (_, key) => [`${key}-${'k'.repeat(200)}`, 1]));
      const [status, names = ''] = await droppedFrom({ metadata });
      expect([status, `${names}`.length < 1_025, `${names}`.endsWith('..., ...')]).toEqual([200, true, true]);
      await served.api.drained();
      const { body } = await served.api.call('GET', '/inferences?limit=1');
      expect(body.inferences[0].dropped_fields).toHaveLength(90);
    });

    it('do not hide a refused field, however many they are', async () => {
      const metadata = Object.fromEntries(Array.from({ length: 150 }, (_, key) => [`k${key}`, 1]));
      const tools = [{ ...TOOLS[0], allowed_callers: ['code'] }];
      expect((await droppedFrom({ metadata, tools }))[0]).toBe(422);
    });
  });

  it.each(['whole', 'stream'])('returns parallel tool calls with their inputs: %s', async (way) => {
    const toolCalls = [
      { id: 'call_1', name: 'look', input: '{"at":"sky"}' },
      { id: 'call_2', name: 'look', input: '{"at":"sea"}' },
    ];
    served.acme.script(answers({ text: 'Let me see', toolCalls }));
    const asked = { ...ASKED, tools: TOOLS, tool_choice: { type: 'any' } };
    const message = way === 'whole' ? (await served.post(asked)).body : messageOf(await served.stream(asked));
    expect(message.stop_reason).toBe('tool_use');
    expect(message.content).toMatchObject([
      { type: 'text', text: 'Let me see' },
      { type: 'tool_use', id: 'call_1', name: 'look', caller: { type: 'direct' } },
      { type: 'tool_use', id: 'call_2', name: 'look' },
    ]);
    expect(
      message.content
        .slice(1)
        .map(({ json, input }: { json?: string; input: object }) => (json ? JSON.parse(json) : input)),
    ).toEqual([{ at: 'sky' }, { at: 'sea' }]);
    expect(served.acme.seen.at(-1)!.body).toMatchObject({
      tools: [
        { type: 'function', function: { name: 'look', description: 'Looks', parameters: TOOLS[0]!.input_schema } },
      ],
      tool_choice: 'required',
    });
  });

  it('translates a conversation with tools, images and a system prompt for the provider', async () => {
    served.acme.script(streams('blue'));
    await served.post({
      ...ASKED,
      system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
      tools: TOOLS,
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'look', input: { at: 'sky' } }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: 'blue' },
            { type: 'text', text: 'So?' },
          ],
        },
      ],
    });
    const { body } = served.acme.seen.at(-1)!;
    expect(body.messages).toEqual([
      { role: 'system', content: [{ type: 'text', text: 'Be brief' }] },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'blue' },
      { role: 'user', content: 'So?' },
    ]);
    expect(JSON.stringify(body)).not.toContain('cache_control');
  });

  it('sends deferred tools whole, and a tool search as the names that it found', async () => {
    served.acme.script(streams('blue'));
    const { status, headers } = await served.post({
      ...ASKED,
      tools: TOOLS.map((tool) => ({ ...tool, defer_loading: true })),
      messages: [
        ...ASKED.messages,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'search', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'tool_reference', tool_name: 'look' }] },
          ],
        },
      ],
    });
    expect([status, headers.get('x-anneal-dropped')]).toEqual([200, 'tools.defer_loading']);
    const { body } = served.acme.seen.at(-1)!;
    expect(body.tools.map(({ function: { name } }: { function: { name: string } }) => name)).toEqual(['look']);
    expect(body.messages.at(-1)).toEqual({ role: 'tool', tool_call_id: 'call_1', content: 'Found the tool look.' });
  });

  it('returns a tool input that does not parse as text', async () => {
    served.acme.script(answers({ toolCalls: [{ id: 'call_1', name: 'look', input: '{"at":' }], finish: 'length' }));
    const { body } = await served.post({ ...ASKED, tools: TOOLS });
    expect([body.stop_reason, body.content[0].input]).toEqual(['max_tokens', { INVALID_JSON: '{"at":' }]);
  });

  it.each(['whole', 'stream'])('returns thinking without a signature, and a refusal as text: %s', async (way) => {
    served.acme.script(answers({ thinking: 'Hm, no', refusal: 'I will not' }));
    const message = way === 'whole' ? (await served.post(ASKED)).body : messageOf(await served.stream(ASKED));
    expect(message).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'Hm, no', signature: '' },
        { type: 'text', text: 'I will not' },
      ],
      stop_details: { type: 'refusal', category: null, explanation: 'I will not' },
    });
  });

  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
  ])("maps the provider's finish reason %s to %s", async (finish, reason) => {
    served.acme.script(answers({ text: 'x', finish }));
    expect((await served.post(ASKED)).body.stop_reason).toBe(reason);
  });

  it("translates thinking and structured output to the provider's effort and schema", async () => {
    served.acme.script(streams('{}'));
    const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
    const output_config = { effort: 'low', format: { type: 'json_schema', schema } };
    expect((await served.post({ ...ASKED, output_config })).status).toBe(200);
    expect(served.acme.seen.at(-1)!.body).toMatchObject({
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema, strict: true } },
    });
  });

  it.each(['c1', { id: 'c1' }])(
    'goes on without the container %j of an earlier answer, and says so',
    async (container) => {
      const { status, headers } = await served.post({ ...ASKED, container });
      expect([status, headers.get('x-anneal-dropped')]).toEqual([200, 'container.id']);
    },
  );

  it('gives a model of another style the tools that the client runs as functions, and returns its calls', async () => {
    const input = '{"command":"view","path":"/a"}';
    served.acme.script(answers({ toolCalls: [{ id: 't1', name: 'str_replace_based_edit_tool', input }] }));
    const tools = [
      { type: 'bash_20250124', name: 'bash', cache_control: { type: 'ephemeral' } },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 9 },
      { type: 'memory_20250818', name: 'memory' },
    ];
    const { status, headers, body } = await served.post({ ...ASKED, tools });
    expect([status, headers.get('x-anneal-dropped'), body.content]).toEqual([
      ...[200, null],
      [expect.objectContaining({ name: 'str_replace_based_edit_tool', input: JSON.parse(input) })],
    ]);
    const sent = served.acme.seen.at(-1)!.body.tools as { function: { name: string; parameters: object } }[];
    expect(sent.map(({ function: { name } }) => name)).toEqual(tools.map(({ name }) => name));
    expect(sent.map(({ function: { parameters } }) => parameters)).toMatchObject([
      { properties: { command: { type: 'string' }, restart: { type: 'boolean' } } },
      { properties: { command: { enum: ['view', 'create', 'str_replace', 'insert'] } }, required: ['command', 'path'] },
      { properties: { command: { enum: expect.arrayContaining(['rename']) }, new_path: { type: 'string' } } },
    ]);
  });

  it.each([
    [{ container: { skills: [{ skill_id: 'pptx' }] } }, 'container.skills'],
    [{ tools: [{ type: 'web_search_20260318', name: 'web_search' }] }, 'web_search_20260318'],
    [{ tools: [{ type: 'computer_20250124', name: 'computer', display_width_px: 9 }] }, 'computer_20250124'],
    [{ messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: 'f' }] }] }, 'container_upload'],
    [{ thinking: { type: 'between_tools' } }, 'thinking.type'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ n: 3 }, 'n'],
  ])('refuses by name what that style cannot carry: %j', async (more, name) => {
    const seen = served.acme.seen.length;
    const { status, body } = await served.post({ ...ASKED, ...more });
    expect([status, body.error.type]).toEqual([422, 'invalid_request_error']);
    expect(body.error.message).toContain(name);
    expect(served.acme.seen).toHaveLength(seen);
  });

  it('passes unknown fields on to the provider', async () => {
    served.acme.script(streams('x'));
    await served.post({ ...ASKED, later_field: { a: 1 } });
    expect(served.acme.seen.at(-1)!.body.later_field).toEqual({ a: 1 });
  });

  it('records the request and the answer, but no content when store is false', async () => {
    served.acme.script(streams('Hello there'));
    const { body } = await served.post({ ...ASKED, system: 'Be brief' });
    const path = `/inferences/${body.pioneer_inference_id}`;
    expect((await served.api.call('GET', path)).body).toMatchObject({
      format: 'anthropic',
      status: 'success',
      input: { system: 'Be brief', messages: ASKED.messages, max_tokens: 100 },
      output: { role: 'assistant', content: [{ type: 'text', text: 'Hello there' }] },
      ...{ input_tokens: 12, output_tokens: 3 },
    });
    const unkept = await served.post({ ...ASKED, store: false });
    expect([unkept.status, unkept.body.pioneer_inference_id]).toEqual([200, null]);
    expect((await served.api.call('GET', `/inferences/${unkept.body.id.slice(4)}`)).status).toBe(404);
  });

  it('an encoder answers with its result as JSON, whole and as a stream', async () => {
    const content = [
      { type: 'text', text: 'Anna Smith flies' },
      { type: 'text', text: 'to Paris' },
    ];
    const asked = {
      model: 'anneal/encoder-base-v1',
      max_tokens: 1,
      messages: [{ role: 'user', content }],
      schema: ['person'],
    };
    const { body } = await served.post(asked);
    expect(body).toMatchObject({ stop_reason: 'end_turn', usage: { output_tokens: 0 } });
    expect(JSON.parse(body.content[0].text).entities.person[0].text).toBe('Anna Smith');
    const brief = { ...asked, include_spans: false, include_confidence: false };
    const persons = async (threshold: number): Promise<unknown> =>
      JSON.parse((await served.post({ ...brief, threshold })).body.content[0].text).entities.person;
    expect([await persons(0.5), await persons(1)]).toEqual([expect.arrayContaining(['Anna Smith']), []]);
    const streamed = messageOf(await served.stream(asked));
    expect([streamed.content[0].text, streamed.usage.input_tokens]).toEqual([
      body.content[0].text,
      body.usage.input_tokens,
    ]);
  });

  it('an encoder reports its warnings and truncated text, whole and in a stream', async () => {
    const asked = {
      ...{ model: 'anneal/encoder-base-v1', max_tokens: 1 },
      messages: [{ role: 'user', content: 'a '.repeat(10_001) }],
      schema: { entities: { person: 'somebody' }, classifications: { topic: ['travel', 'sport'] } },
    };
    const said = {
      pioneer_truncated: true,
      pioneer_warnings: expect.arrayContaining([
        { code: 'unused_description', message: expect.stringContaining('of "person"') },
      ]),
    };
    expect((await served.post(asked)).body).toMatchObject(said);
    expect(messageOf(await served.stream(asked))).toMatchObject(said);
    const { body } = await served.post({ ...asked, messages: [{ role: 'user', content: 'Anna' }], schema: ['person'] });
    expect(Object.keys(body).filter((field) => field.startsWith('pioneer'))).toEqual(['pioneer_inference_id']);
  });

  it.each([
    [{ tools: TOOLS }, 'tools'],
    [{ stop_sequences: ['x'] }, 'stop_sequences'],
    [{ output_config: { format: { type: 'json_schema', schema: {} } } }, 'output_config'],
    [{ container: { skills: [{ skill_id: 'pptx' }] } }, 'container'],
    [{ messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'u' } }] }] }, 'messages'],
  ])('an encoder refuses fields for decoders by name: %j', async (more, name) => {
    const { status, body } = await served.post({ ...ASKED, model: 'anneal/encoder-base-v1', schema: ['x'], ...more });
    expect([status, body.error.message]).toEqual([422, expect.stringMatching(new RegExp(`^${name}.*for decoders`))]);
  });

  it('a provider that breaks off ends the stream with an error event, and the record says so', async () => {
    served.acme.script(begins('Hel', 'cut'));
    const events = await served.stream(ASKED);
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'error',
    ]);
    expect(events.at(-1)).toEqual({
      type: 'error',
      error: {
        type: 'api_error',
        message: "the model's provider cannot be reached or broke the connection; try again",
      },
      request_id: expect.any(String),
    });
    const record = await served.api.call('GET', `/inferences/${events[0].message.pioneer_inference_id}`);
    expect(record.body).toMatchObject({ status: 'failed', output: { content: [{ type: 'text', text: 'Hel' }] } });
  });
});
