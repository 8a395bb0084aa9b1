import { isRecord } from '#primitives/values.js';
import type { HostedApi } from '#test/support/hosted-api.js';
import { says } from '#test/support/scripted-anthropic.js';
import { answers } from '#test/support/scripted-answers.js';
import { sharedHostedApi } from '#test/support/shared-api.js';
import { refusals as refusedByAnthropic } from '#test/support/strict-anthropic.js';
import { refusals as refusedByOpenAi, strictly } from '#test/support/strict-openai.js';

const data = 'iVBORw0KGgo=';
const url = `data:image/png;base64,${data}`;
const pdf = 'JVBERi0=';
const pdfUrl = `data:application/pdf;base64,${pdf}`;
const parameters = { type: 'object', properties: { path: { type: 'string' } } };

/** What clients write for one thing: in the shapes of the three APIs, and in those of libraries. */
const PARTS: Readonly<Record<string, readonly unknown[]>> = {
  text: [{ type: 'text', text: 'Hi' }, { type: 'input_text', text: 'Hi' }, { text: 'Hi' }, 'Hi'],
  picture: [
    { type: 'image_url', image_url: { url } },
    { type: 'image_url', image_url: url },
    { type: 'input_image', image_url: url, detail: null },
    { type: 'input_image', image_url: { url } },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
    { type: 'image', source_type: 'base64', mime_type: 'image/png', data },
    { type: 'image', mimeType: 'image/png', base64: data },
    { type: 'image', image: url },
    { type: 'image', image: data, mediaType: 'image/png' },
    { type: 'file', data: url, mediaType: 'image/png' },
  ],
  'linked picture': [
    { type: 'image_url', image_url: { url: 'https://a.example/a.png' } },
    { type: 'input_image', image_url: 'https://a.example/a.png' },
    { type: 'image', source: { type: 'url', url: 'https://a.example/a.png' } },
    { type: 'image', image: 'https://a.example/a.png' },
  ],
  document: [
    { type: 'file', file: { filename: 'a.pdf', file_data: pdfUrl } },
    { type: 'input_file', filename: 'a.pdf', file_data: pdfUrl },
    { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: pdf } },
    { type: 'file', source_type: 'base64', mime_type: 'application/pdf', data: pdf, filename: 'a.pdf' },
    { type: 'file', mediaType: 'application/pdf', data: pdf, filename: 'a.pdf' },
  ],
};

const TOOLS: readonly object[] = [
  { type: 'function', function: { name: 'read', description: 'Reads', parameters } },
  { type: 'function', name: 'read', description: 'Reads', parameters },
  { name: 'read', description: 'Reads', input_schema: parameters },
  { type: 'custom', name: 'read', description: 'Reads', input_schema: parameters },
  { name: 'read', description: 'Reads', inputSchema: parameters },
  { name: 'read', description: 'Reads', parameters },
  { function: { name: 'read', description: 'Reads', parameters } },
];

const grammar = { syntax: 'lark', definition: 'start: "a"' };
const CUSTOM_TOOLS: readonly object[] = [
  { type: 'custom', custom: { name: 'run', description: 'Runs', format: { type: 'grammar', grammar } } },
  { type: 'custom', name: 'run', description: 'Runs', format: { type: 'grammar', ...grammar } },
];

/** Each of a list means the same. */
const CHOICES: readonly (readonly unknown[])[] = [
  ['auto', { type: 'auto' }],
  ['none', { type: 'none' }],
  ['any', 'required', { type: 'any' }, { type: 'required' }],
  [
    'read',
    { type: 'tool', name: 'read' },
    { type: 'function', name: 'read' },
    { type: 'function', function: { name: 'read' } },
  ],
];

const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } };
const use = { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a' } };
const text = (said: string) => ({ type: 'text', text: said });
const user = { role: 'user', content: 'Go' };
const CONVERSATIONS: Readonly<Record<string, readonly (readonly object[])[]>> = {
  'a call of a tool': [
    [
      user,
      { role: 'assistant', content: 'I look', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
    ],
    [
      user,
      { role: 'assistant', content: [text('I look'), use] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'x' }] },
    ],
    [
      user,
      { role: 'assistant', content: 'I look', tool_calls: [{ ...call, id: 7 }] },
      { role: 'tool', tool_call_id: 7, content: 'x' },
    ],
  ],
  'a result that is JSON': [
    [
      user,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: { ok: true } },
    ],
    [user, { role: 'assistant', content: [use] }, { role: 'tool', tool_call_id: 'c1', content: '{"ok":true}' }],
  ],
  'a call of a function': [
    [
      user,
      { role: 'assistant', content: null, function_call: { name: 'read', arguments: '{"path":"a"}' } },
      { role: 'function', name: 'read', content: 'x' },
    ],
  ],
  'thoughts and a refusal': [
    [user, { role: 'assistant', content: null, refusal: 'No', reasoning_content: 'hm' }, user],
    [user, { role: 'assistant', content: null, refusal: 'No', reasoning: 'hm' }, user],
    [
      user,
      { role: 'assistant', content: '', refusal: 'No', thinking_blocks: [{ type: 'thinking', thinking: 'hm' }] },
      user,
    ],
  ],
  instructions: [
    [{ role: 'system', content: 'Be brief' }, user],
    [{ role: 'developer', content: 'Be brief' }, user],
    [{ role: 'developer', content: [text('Be brief')] }, user],
    [{ role: 'system', content: text('Be brief') }, user],
  ],
};

const ROUTES = [
  { path: '/v1/chat/completions', field: 'messages', least: {} },
  { path: '/v1/responses', field: 'input', least: {} },
  { path: '/v1/messages', field: 'messages', least: { max_tokens: 9 } },
];
const MODELS = ['acme/chat', 'acme/claude'] as const;
const CASES = ROUTES.flatMap((route) => MODELS.map((model) => ({ ...route, model })));

const SAME: Readonly<Record<string, string>> = { developer: 'system' };

/** Without what means the same to the provider: names, and ids of calls, which are made where there are none. */
function meaning(name: string, value: unknown): unknown {
  if (/^(?:id|tool_use_id|tool_call_id)$/.test(name)) return 'c';
  if (name === 'role') return SAME[String(value)] ?? value;
  if (name === 'type' && value === 'custom') return undefined;
  const [only, ...others] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  if (isRecord(only) && others.length === 0 && only['type'] === 'text') return only['text'];
  if (!isRecord(value) || value['role'] !== 'assistant') return value;
  const { reasoning, thinking_blocks: blocks, reasoning_content = reasoning ?? textOf(blocks), ...rest } = value;
  return { ...rest, reasoning_content };
}

const textOf = (blocks: unknown): unknown =>
  Array.isArray(blocks) && isRecord(blocks[0]) ? blocks[0]['thinking'] : undefined;

describe.each(CASES)('$path for $model', ({ path, field, least, model }) => {
  let hosted: HostedApi;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
    hosted.openai.script(strictly(refusedByOpenAi, answers('Yes')));
    hosted.claude.script(strictly(refusedByAnthropic, says('Yes')));
  });
  afterAll(() => hosted.close());

  /** What the provider was sent. Ids of calls differ where there were none, or numbers. */
  const sent = async (turns: readonly unknown[], more: object = {}): Promise<unknown> => {
    const body = { model, ...least, ...more, [field]: turns };
    const { status, body: answer } = await hosted.api.call('POST', path, body);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(answer)} for ${JSON.stringify(body)}`);
    const seen = (model === 'acme/chat' ? hosted.openai : hosted.claude).seen.at(-1)!.body;
    return JSON.parse(JSON.stringify({ ...seen, stream: null }), meaning);
  };
  /** Whether all of them say the same to the provider. */
  const alike = async (each: readonly (() => Promise<unknown>)[]) => {
    const said: unknown[] = [];
    for (const one of each) said.push(await one());
    for (const other of said) expect(other).toEqual(said[0]);
  };

  it.each(Object.entries(PARTS))('takes a %s in the shape of any API', async (_, parts) => {
    const turns = parts.map((part) => [{ role: 'user', content: [{ type: 'text', text: 'See' }, part] }]);
    await alike(turns.map((each) => () => sent(each)));
  });

  it('takes tools in the shape of any API', async () => {
    await alike(TOOLS.map((tool) => () => sent([user], { tools: [tool] })));
  });

  it('takes tools that are called with a text in the shape of either API, and their choice', async () => {
    const choices = [
      { type: 'custom', custom: { name: 'run' } },
      { type: 'custom', name: 'run' },
    ];
    const bodies = CUSTOM_TOOLS.flatMap((tool) => choices.map((tool_choice) => ({ tools: [tool], tool_choice })));
    await alike(bodies.map((body) => () => sent([user], body)));
  });

  it.each(CHOICES)('takes the choice %j of a tool in the shape of any API', async (...choices) => {
    await alike(choices.map((choice) => () => sent([user], { tools: [TOOLS[0]], tool_choice: choice })));
  });

  it('takes the wish for one call at a time in the shape of any API', async () => {
    const wishes = [
      { parallel_tool_calls: false, tool_choice: 'auto' },
      { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    ];
    await alike(wishes.map((wish) => () => sent([user], { tools: [TOOLS[0]], ...wish })));
  });

  it.each(Object.entries(CONVERSATIONS))('takes %s in the shape of any API', async (_, conversations) => {
    await alike(conversations.map((turns) => () => sent(turns)));
  });
});
