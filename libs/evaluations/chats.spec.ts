import { answerOf, answerText, chatOf, promptOf } from './chats.js';

describe('the chat of a stored row', () => {
  it('ends with the chosen answer of a pair, even beside an empty column of messages', () => {
    const prompt = [{ role: 'user', content: 'Where is it?' }];
    const pair = { prompt, chosen: 'In Ghent', rejected: 'Lost' };
    const chat = { messages: [...prompt, { role: 'assistant', content: 'In Ghent' }] };
    expect([chatOf(pair), chatOf({ ...pair, messages: null })]).toEqual([chat, chat]);
  });

  it('ends with the last answer that is learned, and has the tools that may be called', () => {
    const call = {
      id: 'c1',
      type: 'function',
      function: { name: 'find', arguments: '{"b": 1, "a": {"d": 2, "c": 3}}' },
    };
    const chat = chatOf({
      messages: [
        { role: 'user', content: 'Where is it?', name: 'ada' },
        { role: 'assistant', content: 'Lost', weight: 0 },
        { role: 'user', content: 'Look again' },
        { role: 'assistant', content: null, tool_calls: [call], reasoning_content: 'I look' },
        { role: 'tool', content: 'Ghent', tool_call_id: 'c1' },
        { role: 'assistant', content: 'Perhaps in Ghent', weight: 0 },
      ],
      tools: [{ type: 'function', function: { name: 'find' } }],
    });
    expect(chat.tools).toEqual([{ name: 'find', parameters: { type: 'object', properties: {} } }]);
    expect(chat.messages).toHaveLength(4);
    expect(promptOf(chat)).toMatchObject([{ name: 'ada' }, { content: 'Lost', isContext: true }, { role: 'user' }]);
    expect(chat.messages[3]).toMatchObject({
      content: '',
      reasoning: 'I look',
      toolCalls: [{ id: 'c1', name: 'find' }],
    });
    expect(answerOf(chat)).toBe('{"tool_calls":[{"name":"find","arguments":{"a":{"c":3,"d":2},"b":1}}]}');
  });
});

describe('an answer with calls', () => {
  it('is compared by their names and arguments', () => {
    const text = (input: string) => answerText('Wait.', [{ name: 'find', input }]);
    expect(text('{"a":1,"b":[2]}')).toBe(text('{ "b": [2], "a": 1 }'));
    expect(text('{"a":1}')).not.toBe(text('{"a":2}'));
    expect([text('no JSON'), answerText('Wait.', [])]).toEqual([
      '{"tool_calls":[{"name":"find","arguments":"no JSON"}]}',
      'Wait.',
    ]);
  });
});
