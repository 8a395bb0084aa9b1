import type { InvalidError } from '#domain/errors.js';
import type { GenerationRequest } from '#calls/hosted/port.js';
import { decodeChat } from './decode.js';

const BODY = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };

/** Decodes a body and drops the body itself from the result. */
function asked(more: object): Omit<GenerationRequest, 'verbatim'> {
  const { verbatim: _, ...generation } = decodeChat({ ...BODY, ...more }).generation;
  return generation;
}
const parts = (content: unknown) => asked({ messages: [{ role: 'user', content }] }).messages[0]!.content;
const carried = (more: object) => decodeChat({ ...BODY, ...more }).generation.verbatim!;
const assistant = (more: object) => asked({ messages: [{ role: 'assistant', ...more }] }).messages[0]!.content;
const refused = (more: object): readonly string[] => {
  try {
    decodeChat({ ...BODY, ...more });
  } catch (error) {
    return (error as InvalidError).fields.map(({ path }) => path.slice(1).join('.'));
  }
  return [];
};

describe('a chat completion', () => {
  it.each<[string, object, object]>([
    ['max_tokens', { max_tokens: 7 }, { maxTokens: 7 }],
    ['max_completion_tokens', { max_completion_tokens: 7 }, { maxTokens: 7 }],
    ['the lower of two limits', { max_completion_tokens: 9, max_tokens: 7 }, { maxTokens: 7 }],
    ['temperature', { temperature: 0 }, { temperature: 0 }],
    ['top_p', { top_p: 0.5 }, { topP: 0.5 }],
    ['stop', { stop: 'end' }, { stop: ['end'] }],
    ['seed', { seed: -7 }, { seed: -7 }],
    ['n', { n: 2 }, { choices: 2 }],
    ['n of one', { n: 1 }, {}],
    ['logprobs', { logprobs: true }, { logprobs: { top: 0 } }],
    ['top_logprobs', { logprobs: true, top_logprobs: 3 }, { logprobs: { top: 3 } }],
    ['no logprobs', { logprobs: false, top_logprobs: 0 }, {}],
    ['frequency_penalty', { frequency_penalty: -2 }, { frequencyPenalty: -2 }],
    ['presence_penalty', { presence_penalty: 2 }, { presencePenalty: 2 }],
    ['logit_bias', { logit_bias: { 50256: -100 } }, { logitBias: { 50256: -100 } }],
    ['user', { user: 'u' }, { endUser: 'u' }],
    ['safety_identifier', { safety_identifier: 'u' }, { endUser: 'u' }],
    ['reasoning_effort', { reasoning_effort: 'high' }, { thinking: { effort: 'high' } }],
    ['text', { response_format: { type: 'text' } }, {}],
    ['json_object', { response_format: { type: 'json_object' } }, { responseFormat: { type: 'json_object' } }],
    [
      'json_schema',
      {
        response_format: { type: 'json_schema', json_schema: { name: 's', schema: { type: 'object' }, strict: true } },
      },
      { responseFormat: { type: 'json_schema', name: 's', schema: { type: 'object' }, strict: true } },
    ],
    ['parallel_tool_calls', { parallel_tool_calls: false }, { parallelToolCalls: false }],
    ['tool_choice', { tool_choice: 'required' }, { toolChoice: 'required' }],
    ['a tool', { tool_choice: { type: 'function', function: { name: 'f' } } }, { toolChoice: { name: 'f' } }],
    ['function_call', { function_call: { name: 'f' } }, { toolChoice: { name: 'f' } }],
    ['fields that nobody knows', { top_k: 5, min_p: {} }, { unknownFields: { top_k: 5, min_p: {} } }],
    ['thinking without a budget', { thinking: { type: 'enabled' } }, { thinking: { mode: 'adaptive' } }],
    [
      'thinking with a budget, and an effort',
      { thinking: { type: 'enabled', budget_tokens: 2_048 }, reasoning_effort: 'low' },
      { thinking: { mode: 'enabled', budgetTokens: 2_048, effort: 'low' } },
    ],
    ['no thinking', { thinking: { type: 'disabled' } }, { thinking: { mode: 'disabled' } }],
    ['null', { stop: null, n: null, tools: null, response_format: null, user: null, seed: null }, {}],
  ])('asks for %s', (_, more, expected) => {
    expect(asked(more)).toEqual({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      ...expected,
    });
  });

  it("keeps tools with their cache markers, and the provider's own kinds of tool", () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const cache_control = { type: 'ephemeral' };
    const tools = [
      { type: 'function', function: { name: 'f', description: 'd', parameters, strict: true }, cache_control },
      { type: 'function', function: { name: 'g' } },
      {
        type: 'custom',
        custom: { name: 'h', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } },
      },
      { type: 'hologram' },
    ];
    expect(asked({ tools }).tools).toEqual([
      { name: 'f', description: 'd', parameters, strict: true, cacheControl: cache_control },
      { name: 'g', parameters: { type: 'object', properties: {} } },
      {
        ...{ name: 'h', description: 'The input is a text of this grammar (lark):\nx' },
        parameters: expect.objectContaining({ required: ['input'] }),
      },
      { foreign: 'openai', name: 'hologram' },
    ]);
  });

  it('takes functions, the older form of tools', () => {
    const { generation, hasFunctions } = decodeChat({ ...BODY, functions: [{ name: 'f', parameters: {} }] });
    expect([generation.tools, hasFunctions]).toEqual([[{ name: 'f', parameters: {} }], true]);
    expect(generation.parallelToolCalls).toBe(false);
  });
});

describe('messages', () => {
  it('keep all roles', () => {
    const messages = [
      { role: 'system', content: 'Be brief' },
      { role: 'developer', content: 'Be brief', name: 'ops' },
      { role: 'user', content: '', name: 'ada' },
      { role: 'assistant', content: 'Hello' },
      { role: 'tool', tool_call_id: 'c', content: '22' },
    ];
    const text = (said: string) => [{ type: 'text', text: said }];
    expect(asked({ messages }).messages).toEqual([
      { role: 'system', content: text('Be brief') },
      { role: 'system', content: text('Be brief'), name: 'ops' },
      { role: 'user', content: text(''), name: 'ada' },
      { role: 'assistant', content: text('Hello') },
      { role: 'tool', content: [{ type: 'tool-result', id: 'c', content: text('22') }] },
    ]);
  });

  it.each<[string, object, object]>([
    ['text', { type: 'text', text: 'Hi' }, { type: 'text', text: 'Hi' }],
    [
      'a cache marker',
      { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'text', text: 'Hi', cacheControl: { type: 'ephemeral', ttl: '1h' } },
    ],
    [
      'the address of an image',
      { type: 'image_url', image_url: { url: 'https://x.example/a.png', detail: 'low' } },
      { type: 'image', source: { kind: 'url', url: 'https://x.example/a.png' }, detail: 'low' },
    ],
    [
      'an image',
      { type: 'image_url', image_url: { url: 'data:image/PNG;base64,AAAA' } },
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } },
    ],
    [
      'audio',
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'audio', data: 'AAAA', format: 'wav' },
    ],
    [
      'a file',
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } },
      { type: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data: 'AAAA' }, title: 'a.pdf' },
    ],
    [
      'the id of a file',
      { type: 'file', file: { file_id: 'f' } },
      { type: 'document', source: { kind: 'file', id: 'f' } },
    ],
    ['a refusal', { type: 'refusal', refusal: 'No' }, { type: 'refusal', text: 'No' }],
    ['a text that repeats its role', { type: 'text', text: 'Hi', role: 'user' }, { type: 'text', text: 'Hi' }],
    ['an unknown part', { type: 'video', video: {} }, { type: 'foreign', style: 'openai', name: 'video' }],
  ])('keep %s', (_, part, expected) => {
    expect(parts([part])).toEqual([expected]);
  });

  it("keep a model's thinking, text and calls", () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
    const said = assistant({ content: null, reasoning_content: 'Hm', refusal: null, tool_calls: [call] });
    expect(said).toEqual([
      { type: 'thinking', text: 'Hm' },
      { type: 'tool-call', id: 'c', name: 'f', input: '{"a":1}' },
    ]);
  });

  it('keep a signed thinking block once', () => {
    const thinking_blocks = [
      { type: 'thinking', thinking: 'Hm', signature: 's' },
      { type: 'redacted_thinking', data: 'xyz' },
    ];
    expect(assistant({ content: 'Hello', reasoning_content: 'Hm', thinking_blocks })).toEqual([
      { type: 'thinking', text: 'Hm', signature: 's' },
      { type: 'thinking', text: '', redacted: true, signature: 'xyz' },
      { type: 'text', text: 'Hello' },
    ]);
  });

  it('give function calls and their results the same ids', () => {
    const { messages } = asked({
      messages: [
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: '1' },
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: null },
      ],
    });
    const ids = messages.flatMap(({ content }) => content.map((part) => ('id' in part ? part.id : '')));
    expect([ids[0], ids[2]]).toEqual([ids[1], ids[3]]);
    expect(new Set(ids).size).toBe(2);
  });

  it('move a cache marker on a message to its last part', () => {
    const cache_control = { type: 'ephemeral' };
    const messages = [
      {
        role: 'user',
        cache_control,
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ];
    expect(asked({ messages }).messages[0]!.content).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', cacheControl: cache_control },
    ]);
  });
});

describe('a provider of the same style', () => {
  it('receives the body unchanged, without the fields of this installation', () => {
    const more = { temperature: null, prediction: { type: 'content', content: 'x' }, strange: [1] };
    const ours = {
      store: true,
      project_id: 'p',
      metadata: { run: '7' },
      include_spans: false,
      threshold: 0.5,
      schema: ['a'],
    };
    expect(carried({ ...more, ...ours })).toEqual({
      style: 'openai',
      body: { ...BODY, ...more },
      only: ['prediction'],
    });
  });

  it.each<[string, object, readonly string[] | undefined]>([
    ['audio', { audio: { voice: 'v' } }, ['audio']],
    ['modalities', { modalities: ['text', 'audio'] }, ['modalities']],
    ['text alone', { modalities: ['text'] }, undefined],
    ['service_tier', { service_tier: 'flex' }, ['service_tier']],
    ['the usual service tier', { service_tier: 'auto' }, undefined],
    ['web_search_options', { web_search_options: {} }, ['web_search_options']],
    ['prompt_cache_key', { prompt_cache_key: 'k' }, ['prompt_cache_key']],
    ['verbosity', { verbosity: 'low' }, ['verbosity']],
    ['null', { verbosity: null, prediction: null }, undefined],
    ['two names for one user', { user: 'a', safety_identifier: 'b' }, ['safety_identifier']],
    ['allowed tools', { tool_choice: { type: 'allowed_tools', allowed_tools: {} } }, ['tool_choice']],
    ['padding', { stream_options: { include_obfuscation: true } }, ['stream_options.include_obfuscation']],
    ['another option of streams', { stream_options: { include_usage: true, often: true } }, ['stream_options.often']],
    ['another format', { response_format: { type: 'grammar', grammar: 'g' } }, ['response_format']],
    [
      'a field of a part',
      {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } }] },
        ],
      },
      ['messages.0.content.0.prompt_cache_breakpoint'],
    ],
    [
      'extra fields of a message',
      { messages: [{ role: 'assistant', content: 'a', annotations: [{}], audio: null, extra: [] }] },
      ['messages.0.annotations'],
    ],
  ])('is the only one to receive %s', (_, more, only) => {
    expect(carried(more).only).toEqual(only);
  });
});

describe('an invalid body of POST /v1/chat/completions', () => {
  it.each<[string, object]>([
    ['max_completion_tokens', { max_completion_tokens: 0 }],
    ['top_logprobs', { top_logprobs: 3 }],
    ['n', { n: 129 }],
    ['logit_bias.a', { logit_bias: { a: 101 } }],
    ['metadata', { metadata: 'run' }],
    ['messages', { messages: [] }],
    ['messages', { messages: undefined }],
    ['messages.0.role', { messages: [{ role: 'critic', content: 'a' }] }],
    ['messages.0.content', { messages: [{ role: 'user' }] }],
    ['messages.0.tool_call_id', { messages: [{ role: 'tool', content: 'a' }] }],
    ['messages.0.content.0.type', { messages: [{ role: 'user', content: [{}] }] }],
    ['messages.0.content.0.file', { messages: [{ role: 'user', content: [{ type: 'file', file: {} }] }] }],
    [
      'messages.0.content.0.image_url.url',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png,AAAA' } }] }] },
    ],
    ['tools.0.function.name', { tools: [{ type: 'function', function: {} }] }],
    ['response_format.json_schema.name', { response_format: { type: 'json_schema', json_schema: {} } }],
    ['reasoning_effort', { reasoning_effort: 'x'.repeat(65) }],
    ['reasoning_effort', { reasoning_effort: 0.5 }],
  ])('is refused by name: %s %#', (field, more) => {
    expect(refused(more)).toEqual([field]);
  });
});
