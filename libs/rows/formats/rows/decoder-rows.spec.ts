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
      'a call of a tool without content',
      { messages: [user, { role: 'assistant', tool_calls: [{ id: 'c' }] }] },
      'messages[1].tool_calls: is not learned',
    ],
    [
      'an image',
      { messages: [{ role: 'user', content: [...part('See'), { type: 'image_url' }] }, assistant] },
      'messages[0].content: has parts that are no text',
    ],
    [
      'messages that do not count',
      { messages: [user, { ...assistant, weight: 0 }] },
      'messages[1].weight: is not learned',
    ],
  ])('are refused for %s', async (_, row, reason) => {
    expect(await reasonOf(row)).toContain(reason);
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
