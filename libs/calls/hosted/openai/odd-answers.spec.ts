import { batchesOf, data, delta, stop, STREAM } from '#test/support/openai-answers.js';
import { Dropped } from '../dropped.js';

const text = (said: string) => ({ type: 'text', part: 0, text: said });
const end = { type: 'finish', reason: 'stop' };
const called = (json: string) => [
  { type: 'tool-call', part: 0, id: expect.any(String), name: 'now' },
  { type: 'tool-input', part: 0, json },
  { type: 'finish', reason: 'tool_calls' },
];
const calls = (...tool_calls: unknown[]) => delta({ tool_calls });

/** The events of a stream, and the names of what was left out of it. */
async function read(chunks: string) {
  const dropped = new Dropped(false);
  const batches = await batchesOf(STREAM, [chunks], {}, true, dropped);
  return { events: batches.flat(), leftOut: dropped.names };
}

describe('a streamed answer of a provider that writes it otherwise', () => {
  it.each<[string, unknown, readonly object[]]>([
    ['thoughts as `thinking`', delta({ thinking: 'Hm' }), [{ type: 'thinking', part: 0, text: 'Hm' }]],
    ['thoughts as `reasoning_text`', delta({ reasoning_text: 'Hm' }), [{ type: 'thinking', part: 0, text: 'Hm' }]],
    [
      'thoughts under two names',
      delta({ reasoning: 'Hm', thinking: 'Hm' }),
      [{ type: 'thinking', part: 0, text: 'Hm' }],
    ],
    ['the text of a text completion', { choices: [{ index: 0, text: 'a' }] }, [text('a')]],
    ['a bare text for a delta', { choices: [{ index: 0, delta: 'a' }] }, [text('a')]],
    ['texts without a type', delta({ content: ['a', 'b'] }), [text('a'), text('b')]],
    ['one part for a list', delta({ content: { type: 'text', text: 'a' } }), [text('a')]],
    ['a number for a text', delta({ content: 5 }), [text('5')]],
    ['the index as a text', { choices: [{ index: '0', delta: { content: 'a' } }] }, [text('a')]],
    ['a number below 0', { choices: [{ index: -1, delta: { content: 'a' } }] }, [text('a')]],
    ['a huge number', { choices: [{ index: 1e9, delta: { content: 'a' } }] }, [text('a')]],
    ['a number that is none', { choices: [{ index: 'a', delta: { content: 'a' } }] }, [text('a')]],
    ['thoughts that are none', delta({ content: [{ type: 'thinking', thinking: 5 }, 'a'] }), [text('a')]],
    ['no choice', { choices: [null] }, []],
  ])('is read with %s', async (_, value, expected) => {
    expect(await read(data(value, stop, '[DONE]'))).toEqual({ events: [...expected, end], leftOut: [] });
  });

  it.each<[string, readonly unknown[], string]>([
    [
      'one call for a list',
      [delta({ tool_calls: { id: 'c', function: { name: 'now', arguments: '{"a":1}' } } })],
      '{"a":1}',
    ],
    ['the name beside the id', [calls({ id: 'c', name: 'now', arguments: { a: 1 } })], '{"a":1}'],
    [
      'a call that says nothing',
      [
        calls({ index: 0, id: 'c', function: { name: 'now', arguments: '{}' } }),
        calls({ index: 1, function: { arguments: '' } }),
      ],
      '{}',
    ],
  ])('is read with %s', async (_, values, json) => {
    expect(await read(data(...values, stop, '[DONE]'))).toEqual({ events: called(json), leftOut: [] });
  });

  it.each<[string, unknown]>([
    ['input of no tool', calls({ index: 0, id: 'c', function: { arguments: '{"a":1}' } })],
    ['calls that are none', calls('now', 5)],
  ])('is read without %s, which is named', async (_, value) => {
    const { events, leftOut } = await read(data(delta({ content: 'a' }), value, delta({}, 'tool_calls'), '[DONE]'));
    expect([events, leftOut]).toEqual([[text('a'), end], ['answer.tool_calls']]);
  });

  it.each<[string, unknown, string]>([
    ['choices', { choices: [3] }, 'answer.choices'],
    ['deltas', { choices: [{ delta: [] }] }, 'answer.delta'],
    ['calls of functions', delta({ function_call: 'now' }), 'answer.function_call'],
    ['blocks of thoughts', delta({ thinking_blocks: [3] }), 'answer.thinking_blocks'],
  ])('is read without %s that are none, which are named', async (_, value, name) => {
    const { events, leftOut } = await read(data(delta({ content: 'a' }), value, stop, '[DONE]'));
    expect([events, leftOut]).toEqual([[text('a'), end], [name]]);
  });

  it('is read where its only choice has the number 1, also in one piece', async () => {
    const choice = { index: 1, finish_reason: 'stop' };
    const streamed = data({ choices: [{ ...choice, delta: { content: 'a' } }] }, '[DONE]');
    expect(await read(streamed)).toEqual({ events: [text('a'), end], leftOut: [] });
    const whole = JSON.stringify({ choices: [{ ...choice, message: { content: 'a' } }] });
    expect((await batchesOf('application/json', [whole], {}, false)).flat()).toEqual([text('a'), end]);
  });

  it.each(['MAX_TOKENS', 'Length'])('ends as cut off at %s', async (reason) => {
    const { events } = await read(data(delta({ content: 'a' }, reason), '[DONE]'));
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'length' });
  });

  it('is read without blank lines between or after its events', async () => {
    const lines = [delta({ content: 'a' }), stop].map((value) => `data: ${JSON.stringify(value)}`);
    for (const stream of [`${lines.join('\n')}\ndata: [DONE]\n`, lines.join('\n\n'), `${lines.join('\n\n')}\n`])
      expect(await read(stream)).toEqual({ events: [text('a'), end], leftOut: [] });
  });

  it("fails with the reason of an error in vLLM's older shape", async () => {
    const error = { object: 'error', message: 'too long', type: 'BadRequestError', code: 400 };
    await expect(read(data(error))).rejects.toMatchObject({ kind: 'rejected', message: 'too long' });
  });
});
