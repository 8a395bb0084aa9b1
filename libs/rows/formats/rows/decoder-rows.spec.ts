import { processed } from '../reading.fixture.js';

const decoder = { datasetType: 'decoder' as const };
const read = (...rows: readonly object[]) => processed(rows.map((row) => JSON.stringify(row)).join('\n'), decoder);
const rowOf = async (row: object) => {
  const { rows, errors } = await read(row);
  expect(errors).toEqual([]);
  return rows[0];
};
const reasonOf = async (row: object) =>
  (await read(row)).errors.map(({ field, reason }) => `${field}: ${reason}`).join('; ');

const user = { role: 'user', content: 'How far?' };
const assistant = { role: 'assistant', content: 'Near.' };
const system = { role: 'system', content: 'Be brief.' };
const part = (text: string) => [{ type: 'text', text }];

describe('rows of chats', () => {
  it.each<[string, object]>([
    ['Anthropic, with the system text beside the messages', { system: 'Be brief.', messages: [user, assistant] }],
    [
      'Anthropic, with parts of text',
      {
        system: part('Be brief.'),
        messages: [
          { role: 'user', content: part('How far?') },
          { role: 'assistant', content: part('Near.') },
        ],
      },
    ],
    [
      'Amazon Bedrock',
      {
        system: [{ text: 'Be brief.' }],
        messages: [
          { role: 'user', content: [{ text: 'How far?' }] },
          { role: 'assistant', content: [{ text: 'Near.' }] },
        ],
      },
    ],
    [
      'Gemini',
      {
        systemInstruction: { role: 'system', parts: [{ text: 'Be brief.' }] },
        contents: [
          { role: 'user', parts: [{ text: 'How far?' }] },
          { role: 'model', parts: [{ text: 'Near.' }] },
        ],
      },
    ],
    [
      'OpenAI, with a developer and a weight of one',
      {
        messages: [{ role: 'developer', content: 'Be brief.' }, user, { ...assistant, weight: 1 }],
      },
    ],
    [
      'Cohere',
      {
        messages: [
          { role: 'System', content: 'Be brief.' },
          { role: 'User', content: 'How far?' },
          { role: 'Chatbot', content: 'Near.' },
        ],
      },
    ],
  ])('of %s have their system text, roles and texts', async (_, row) => {
    expect(await rowOf(row)).toEqual({ messages: [system, user, assistant] });
  });

  it.each([
    [['prompt', 'response']],
    [['instruction', 'response']],
    [['question', 'answer']],
    [['input', 'output']],
    [['input_text', 'output_text']],
  ])('take question and answer from %j', async ([asked, answered]) => {
    expect(await rowOf({ [asked!]: 'How far?', [answered!]: 'Near.' })).toEqual({ messages: [user, assistant] });
  });

  it('put the context after the question', async () => {
    const row = { instruction: 'Name it.', context: 'It is Ghent.', response: 'Ghent', category: 'qa' };
    const messages = [
      { role: 'user', content: 'Name it.\n\nIt is Ghent.' },
      { role: 'assistant', content: 'Ghent' },
    ];
    expect(await rowOf(row)).toEqual({ messages, category: 'qa' });
    expect(await rowOf({ ...row, context: '' })).toMatchObject({ messages: [{ content: 'Name it.' }, {}] });
  });

  it("keep the earlier turns from LLaMA-Factory's history", async () => {
    const row = { instruction: 'How far?', output: 'Near.', history: [['Hi', 'Hello']] };
    expect(await rowOf(row)).toEqual({
      messages: [{ role: 'user', content: 'Hi' }, { role: 'assistant', content: 'Hello' }, user, assistant],
    });
  });

  it.each<[string, object, string]>([
    ['an answer that KTO marks as bad', { prompt: 'a', completion: 'b', label: false }, 'label: says that the answer'],
    [
      'an image',
      { messages: [{ role: 'user', content: [...part('See'), { type: 'image_url' }] }, assistant] },
      'messages[0].content: has parts that are no text',
    ],
    [
      'answers that do not count',
      { messages: [user, { ...assistant, weight: 0 }] },
      'messages: has answers of weight 0 alone',
    ],
    ['another weight', { messages: [user, { ...assistant, weight: 0.5 }] }, 'messages[1].weight: must be 0 or 1'],
    ['a name that is none', { messages: [{ ...user, name: 4 }, assistant] }, 'messages[0].name: must be a string'],
  ])('are refused for %s', async (_, row, reason) => {
    expect(await reasonOf(row)).toContain(reason);
  });
});

describe('rows with tools', () => {
  const parameters = { type: 'object', properties: { place: { type: 'string' } } };
  const tool = { type: 'function', function: { name: 'distance', parameters } };
  const call = (args: unknown, name = 'distance', id = 'c1') => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  });
  const calling = { role: 'assistant', tool_calls: [call('{"place":"Ghent"}')] };
  const result = { role: 'tool', content: '7 km', tool_call_id: 'c1' };

  it('are stored as OpenAI has them, with weights of 0, names and thoughts', async () => {
    const row = {
      messages: [
        { ...user, name: 'ada' },
        { ...assistant, weight: 0 },
        user,
        { ...calling, content: null, reasoning_content: 'I must look.' },
        result,
        assistant,
      ],
      tools: [tool],
      parallel_tool_calls: false,
    };
    const { rows, contents } = await read(row, { messages: [user, assistant], tools: null });
    expect(rows).toEqual([row, { messages: [user, assistant] }]);
    expect(contents).toMatchObject({ hasTools: true, heads: ['messages'] });
    expect((await read({ messages: [user, assistant], tools: [] })).contents).not.toHaveProperty('hasTools');
  });

  it.each<[string, object]>([
    [
      'the older form of OpenAI',
      {
        messages: [
          user,
          { role: 'assistant', content: null, function_call: { name: 'distance', arguments: '{"place":"Ghent"}' } },
          { role: 'function', name: 'distance', content: '7 km' },
          assistant,
        ],
        functions: [tool.function],
      },
    ],
    [
      'LLaMA-Factory',
      {
        conversations: [
          { from: 'human', value: 'How far?' },
          { from: 'function_call', value: '{"name":"distance","arguments":{"place":"Ghent"}}' },
          { from: 'observation', value: '7 km' },
          { from: 'gpt', value: 'Near.' },
        ],
        tools: JSON.stringify([tool.function]),
      },
    ],
    [
      'TRL, whose arguments are objects',
      { messages: [user, { ...calling, tool_calls: [call({ place: 'Ghent' })] }, result, assistant], tools: [tool] },
    ],
  ])('of %s have calls of one form', async (_, row) => {
    const { messages, tools } = (await rowOf(row)) as { messages: object[]; tools: object[] };
    const { id } = (messages[1] as typeof calling).tool_calls[0]!;
    expect(messages).toMatchObject([
      user,
      { role: 'assistant', tool_calls: [call('{"place":"Ghent"}', 'distance', id)] },
      { role: 'tool', content: '7 km' },
      assistant,
    ]);
    expect(messages[1]).not.toHaveProperty('function_call');
    if (!('conversations' in row)) expect(messages[2]).toMatchObject({ tool_call_id: id });
    expect(tools).toEqual([tool]);
  });

  it.each<[string, object, string]>([
    ['a call of no tool', { messages: [user, calling] }, 'tool_calls[0].function.name: must be the name of one of'],
    [
      'arguments that are no object',
      { messages: [user, { ...calling, tool_calls: [call('[1')] }], tools: [tool] },
      'tool_calls[0].function.arguments: must be the JSON of an object',
    ],
    [
      'a call of the user',
      { messages: [{ ...user, ...calling, role: 'user' }, assistant], tools: [tool] },
      'messages[0].tool_calls: are for messages of the assistant',
    ],
    [
      'another kind of tool',
      { messages: [user, assistant], tools: [{ type: 'web_search' }] },
      'tools[0]: must be {"type": "function"',
    ],
    [
      'the same tool twice',
      { messages: [user, assistant], tools: [tool, tool] },
      'tools[1].function.name: "distance" is there twice',
    ],
    [
      'a schema that is none',
      { messages: [user, assistant], tools: [{ name: 'a', parameters: [] }] },
      'tools[0].function.parameters: must be a JSON schema',
    ],
    [
      'tools that are no list',
      { messages: [user, assistant], tools: 'distance' },
      'tools: must be a list, is a string',
    ],
    [
      'several calls where the row allows one',
      { messages: [user, { ...calling, tool_calls: [call({}), call({})] }], tools: [tool], parallel_tool_calls: false },
      'messages[1].tool_calls: are several',
    ],
    [
      'half of a character in an argument',
      { messages: [user, { ...calling, tool_calls: [call('{"place":"\\ud800"}')] }], tools: [tool] },
      'messages[1].tool_calls[0]: has half of a surrogate pair',
    ],
  ])('are refused for %s', async (_, row, reason) => {
    expect(await reasonOf(row)).toContain(reason);
  });

  it('may be pairs of answers to a prompt with tools', async () => {
    const prompt = [user, calling, result];
    const input = { messages: prompt, tools: [tool], parallel_tool_calls: true };
    const answers = { preferred_output: [assistant], non_preferred_output: [{ ...assistant, content: 'Far.' }] };
    expect(await rowOf({ input, ...answers })).toEqual({
      ...{ prompt, tools: [tool], parallel_tool_calls: true, chosen: 'Near.', rejected: 'Far.' },
    });
  });
});

describe('rows with a chosen and a rejected answer', () => {
  const pair = { prompt: [user], chosen: 'Near.', rejected: 'Far.' };
  const far = { role: 'assistant', content: 'Far.' };

  it.each<[string, object]>([
    [
      'hh-rlhf',
      { chosen: '\n\nHuman: How far?\n\nAssistant: Near.', rejected: '\n\nHuman: How far?\n\nAssistant: Far.' },
    ],
    [
      'UltraFeedback',
      { prompt: 'How far?', chosen: [user, assistant], rejected: [user, far], messages: [user, assistant] },
    ],
    ['Orca', { question: 'How far?', chosen: 'Near.', rejected: 'Far.' }],
    ['Alpaca', { instruction: 'How far?', input: '', chosen: 'Near.', rejected: 'Far.' }],
    [
      'LLaMA-Factory',
      {
        conversations: [{ from: 'human', value: 'How far?' }],
        chosen: { from: 'gpt', value: 'Near.' },
        rejected: { from: 'gpt', value: 'Far.' },
      },
    ],
  ])('of %s are pairs', async (_, row) => {
    expect(await rowOf(row)).toEqual(pair);
  });

  it('of hh-rlhf are refused if the answers belong to different questions', async () => {
    const chosen = '\n\nHuman: How far?\n\nAssistant: Near.';
    const rejected = '\n\nHuman: How long?\n\nAssistant: Far.';
    expect(await reasonOf({ chosen, rejected })).toContain(
      'or a list with one {role, content} of the assistant, alone',
    );
  });

  it('are refused if they also have messages that are not the chosen answer', async () => {
    expect(await reasonOf({ ...pair, messages: [user, far] })).toContain('messages: stands beside chosen');
  });
});
