import type { JsonObject } from '#domain/json.js';
import { writeCsv } from '../index.js';
import { processed } from '../reading.fixture.js';

const user = { role: 'user', content: 'How far?' };
const system = { role: 'system', content: 'Be brief.' };
const [near, far] = [
  { role: 'assistant', content: 'Near.' },
  { role: 'assistant', content: 'Far.' },
];
const pair = { prompt: [user], chosen: 'Near.', rejected: 'Far.' };
const decoder = { datasetType: 'decoder' as const };

const read = (...rows: object[]) => processed(rows.map((row) => JSON.stringify(row)).join('\n'), decoder);

async function* each(rows: readonly JsonObject[]) {
  yield* rows;
}

describe('pairs of answers', () => {
  it.each([
    ['a text as the prompt', { ...pair, prompt: 'How far?' }],
    ['messages as the prompt', pair],
    ['OpenAI’s fine-tuning', { input: { messages: [user] }, preferred_output: [near], non_preferred_output: [far] }],
    ['answers that are messages', { ...pair, chosen: [near], rejected: [far] }],
    ['answers behind the prompt', { prompt: 'How far?', chosen: [user, near], rejected: [user, far] }],
    ['the prompt in the answers alone', { chosen: [user, near], rejected: [user, far] }],
    ['a message without a name, as tables have it', { ...pair, chosen: [{ ...near, name: null }], rejected: 'Far.' }],
  ])('are stored in one form: %s', async (_, row) => {
    const { rows, contents } = await read(row);
    expect(rows).toEqual([pair]);
    expect(contents).toMatchObject({ heads: ['preferences'], labels: [], rows: 1 });
  });

  it('put the system message before the prompt, and keep unrelated keys', async () => {
    const { rows } = await read({ system: 'Be brief.', ...pair, score: 3 });
    expect(rows).toEqual([{ ...pair, prompt: [system, user], score: 3 }]);
  });

  it.each([
    [{ chosen: 'a', rejected: 'b' }, 'prompt: is missing'],
    [{ ...pair, prompt: 5 }, 'prompt: must be a string or a list of messages, is a number'],
    [{ ...pair, prompt: [] }, 'prompt: must end with what the assistant is to answer'],
    [{ ...pair, prompt: [user, near] }, 'prompt: must end with what the assistant is to answer'],
    [{ ...pair, prompt: [{ role: 'robot', content: 'x' }] }, 'prompt[0].role: must be one of system, user'],
    [{ ...pair, prompt: 'a\ud83d' }, 'prompt[0].content: has half of a surrogate pair'],
    [{ prompt: 'a', chosen: 'b' }, 'rejected: must be a string or a list of messages, is missing'],
    [{ prompt: 'a', chosen: 'b', rejected: 7 }, 'rejected: must be a string or a list of messages, is a number'],
    [{ ...pair, rejected: 'a\ud83d' }, 'rejected: has half of a surrogate pair'],
    [{ ...pair, rejected: [system, far] }, 'rejected: must be a string, or a list with one {role, content}'],
    [{ ...pair, rejected: [user] }, 'rejected: must be a string, or a list with one {role, content}'],
    [{ ...pair, rejected: [{ ...far, weight: 0 }] }, 'rejected: must be a string, or a list with one {role, content}'],
    [{ ...pair, rejected: 'Near.' }, 'rejected: is the same as chosen'],
    [{ ...pair, messages: [user, near] }, 'messages: stands beside chosen and rejected'],
  ])('are refused: %j', async (row, reason) => {
    const { errors } = await read(row);
    expect(errors.map(({ field, reason: why }) => `${field}: ${why}`)).toEqual([expect.stringContaining(reason)]);
  });

  it('cannot be mixed with chats in one dataset', async () => {
    const { errors } = await read(pair, pair, { messages: [user, near] });
    const reason = 'row 1 has a pair of answers; the rows of a dataset are all chats, or all pairs of answers';
    expect(errors).toEqual([{ row: 3, field: 'messages', reason }]);
  });

  it('do not include a chat with a key of the same name', async () => {
    const chat = { messages: [user, near], rejected: true };
    const { rows, contents } = await read(chat);
    expect([rows, contents!.heads]).toEqual([[chat], ['messages']]);
  });

  it('return from CSV unchanged', async () => {
    const rows: JsonObject[] = [
      { ...pair, prompt: [system, user] },
      { prompt: [{ role: 'user', content: '[1]' }], chosen: '{"a": [1]}', rejected: '"x"' },
    ];
    const columns = ['prompt', 'chosen', 'rejected'];
    const csv = Buffer.concat(await Array.fromAsync(writeCsv(each(rows), columns, 'decoder')));
    expect((await processed(csv, { ...decoder, format: 'csv' })).rows).toEqual(rows);
  });

  it('may have texts that look like JSON in CSV cells', async () => {
    const csv = 'question,chosen,rejected\n[1],"[2]","{""a"":3}"';
    const { rows } = await processed(csv, { ...decoder, columnMapping: { prompt: 'question' } });
    expect(rows).toEqual([{ prompt: [{ role: 'user', content: '[1]' }], chosen: '[2]', rejected: '{"a":3}' }]);
  });
});
