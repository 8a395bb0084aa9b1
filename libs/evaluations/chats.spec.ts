import { chatOf } from './chats.js';

describe('the chat of a stored row', () => {
  it('ends with the chosen answer of a pair, even beside an empty column of messages', () => {
    const prompt = [{ role: 'user', content: 'Where is it?' }];
    const pair = { prompt, chosen: 'In Ghent', rejected: 'Lost' };
    const chat = { messages: [...prompt, { role: 'assistant', content: 'In Ghent' }] };
    expect([chatOf(pair), chatOf({ ...pair, messages: null })]).toEqual([chat, chat]);
  });
});
