import fc from 'fast-check';
import { batchesOf, data, delta, stop, STREAM, streamed, USAGE } from '#test/support/openai-answers.js';

describe('a streamed answer in the style of OpenAI', () => {
  it('gives everything that a network chunk completes as one batch, without delay', async () => {
    const first = data(delta({ role: 'assistant', content: '' }), delta({ content: 'a' }), delta({ content: 'b' }));
    const last = data(delta({ content: 'c' }), stop, { choices: [], usage: USAGE }, '[DONE]');
    expect(await batchesOf(STREAM, [first, ': ping\n\ndata:\n\n', last])).toEqual([
      [
        { type: 'text', part: 0, text: 'a' },
        { type: 'text', part: 0, text: 'b' },
      ],
      [
        { type: 'text', part: 0, text: 'c' },
        { type: 'usage', usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 } },
        { type: 'finish', reason: 'stop' },
      ],
    ]);
  });

  it('numbers its parts: thinking, text, a refusal, and text after calls', async () => {
    const events = await streamed(
      delta({ reasoning_content: 'H', reasoning: 'H' }),
      delta({ reasoning_content: '', reasoning: 'm' }),
      delta({ content: 'Well' }),
      delta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'now', arguments: '' } }] }),
      delta({ content: 'then' }),
      delta({ refusal: 'No' }, 'content_filter'),
    );
    expect(events).toEqual([
      { type: 'thinking', part: 0, text: 'H' },
      { type: 'thinking', part: 0, text: 'm' },
      { type: 'text', part: 1, text: 'Well' },
      { type: 'tool-call', part: 2, id: 'c', name: 'now' },
      { type: 'text', part: 3, text: 'then' },
      { type: 'refusal', part: 4, text: 'No' },
      { type: 'finish', reason: 'content_filter' },
    ]);
  });

  it('accepts signed thinking from gateways, which send its text twice', async () => {
    const events = await streamed(
      delta({ reasoning_content: 'Hm', thinking_blocks: [{ type: 'thinking', thinking: 'Hm' }] }),
      delta({ reasoning_content: '', thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'sig' }] }),
      delta({ thinking_blocks: [{ type: 'redacted_thinking', data: 'opaque' }] }),
      delta({ content: 'Hi' }, 'stop'),
    );
    expect(events).toEqual([
      { type: 'thinking', part: 0, text: 'Hm' },
      { type: 'thinking', part: 0, text: '', signature: 'sig' },
      { type: 'thinking', part: 1, text: '', redacted: true, signature: 'opaque' },
      { type: 'text', part: 2, text: 'Hi' },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  it('gives parallel calls, whose pieces are interleaved', async () => {
    const call = (index: number, more: object) => delta({ tool_calls: [{ index, ...more }] });
    const events = await streamed(
      call(0, { id: 'a', type: 'function', function: { name: 'add', arguments: '' } }),
      call(1, { id: 'b', type: 'function', function: { name: 'sub', arguments: '{"x"' } }),
      call(0, { function: { arguments: '{"y":1}' } }),
      // Some providers repeat the id and the name.
      call(1, { id: 'b', function: { name: 'sub', arguments: ':2}' } }),
      delta({}, 'tool_calls'),
    );
    expect(events).toEqual([
      { type: 'tool-call', part: 0, id: 'a', name: 'add' },
      { type: 'tool-call', part: 1, id: 'b', name: 'sub' },
      { type: 'tool-input', part: 1, json: '{"x"' },
      { type: 'tool-input', part: 0, json: '{"y":1}' },
      { type: 'tool-input', part: 1, json: ':2}' },
      { type: 'finish', reason: 'tool_calls' },
    ]);
  });

  it('understands calls with equal or missing indexes, or late names', async () => {
    const called = (entries: readonly object[]) => delta({ tool_calls: entries });
    const events = await streamed(
      called([{ index: 0, id: 'a', function: { name: 'add', arguments: { x: 1 } } }]),
      called([{ index: 0, id: 'b', function: { name: 'add', arguments: '{}' } }]),
      called([{ function: { name: 'sub', arguments: '{' } }]),
      called([{ function: { arguments: '}' } }]),
      called([{ id: 'e', function: { name: 'div', arguments: '{' } }]),
      called([{ id: 'e', function: { name: 'div', arguments: '}' } }]),
      called([{ index: 7, id: 'd', function: { arguments: '{"z"' } }]),
      called([{ index: 7, function: { name: 'mul', arguments: ':1}' } }]),
      stop,
    );
    const id = expect.stringMatching(/^call_[\w-]{32}$/) as string;
    expect(events).toEqual([
      { type: 'tool-call', part: 0, id: 'a', name: 'add' },
      { type: 'tool-input', part: 0, json: '{"x":1}' },
      { type: 'tool-call', part: 1, id: 'b', name: 'add' },
      { type: 'tool-input', part: 1, json: '{}' },
      { type: 'tool-call', part: 2, id, name: 'sub' },
      { type: 'tool-input', part: 2, json: '{' },
      { type: 'tool-input', part: 2, json: '}' },
      { type: 'tool-call', part: 3, id: 'e', name: 'div' },
      { type: 'tool-input', part: 3, json: '{' },
      { type: 'tool-input', part: 3, json: '}' },
      { type: 'tool-call', part: 4, id: 'd', name: 'mul' },
      { type: 'tool-input', part: 4, json: '{"z":1}' },
      // A call that was forced ends with `stop` at some.
      { type: 'finish', reason: 'tool_calls' },
    ]);
  });

  it('gives a call of the older function style an id', async () => {
    const events = await streamed(
      delta({ function_call: { name: 'now', arguments: '' } }),
      delta({ function_call: { arguments: '{}' } }, 'function_call'),
    );
    expect(events).toEqual([
      { type: 'tool-call', part: 0, id: expect.stringMatching(/^call_\w{32}$/), name: 'now' },
      { type: 'tool-input', part: 0, json: '{}' },
      { type: 'finish', reason: 'tool_calls' },
    ]);
  });

  it('has choices, numbered as they come, each with its own parts and end', async () => {
    const events = await streamed(
      delta({ content: 'a' }, null, 1),
      delta({ content: 'b' }),
      delta({}, 'length', 1),
      delta({ content: 'c' }, 'stop'),
    );
    expect(events).toEqual([
      { type: 'text', part: 0, text: 'a' },
      { type: 'text', part: 0, text: 'b', choice: 1 },
      { type: 'text', part: 0, text: 'c', choice: 1 },
      { type: 'finish', reason: 'length' },
      { type: 'finish', reason: 'stop', choice: 1 },
    ]);
  });

  it('has log probabilities beside their tokens', async () => {
    const row = { token: 'a', logprob: -0.1, bytes: [97], top_logprobs: [] };
    const said = (fields: object, logprobs: object) => ({ choices: [{ index: 0, delta: fields, logprobs }] });
    const events = await streamed(
      said({ content: 'a' }, { content: [row], refusal: null }),
      said({ refusal: 'b' }, { content: null, refusal: [row] }),
      // A token of no text.
      said({ content: '' }, { content: [row] }),
      stop,
    );
    expect(events.slice(0, 3)).toEqual([
      { type: 'text', part: 0, text: 'a', logprobs: [row] },
      { type: 'refusal', part: 1, text: 'b', logprobs: [row] },
      { type: 'text', part: 2, text: '', logprobs: [row] },
    ]);
  });

  it('passes parts that only callers of its style know unchanged, and details once', async () => {
    const custom = { index: 0, id: 'c', type: 'custom', custom: { name: 'sql', input: '' } };
    const more = { index: 0, custom: { input: 'select' } };
    const head = { system_fingerprint: 'fp', service_tier: null, id: 'x', object: 'y', created: 1, model: 'z' };
    const events = await streamed(
      { ...head, ...delta({ content: 'a', audio: { id: 'au' } }) },
      { ...head, ...delta({ content: 'b', audio: { data: 'AA' } }), obfuscation: 'xyz' },
      { ...head, ...delta({ tool_calls: [custom] }), service_tier: 'flex' },
      { ...head, ...delta({ tool_calls: [more], annotations: [] }) },
      stop,
    );
    expect(events).toEqual([
      { type: 'text', part: 0, text: 'a' },
      { type: 'foreign', style: 'openai', part: 1, value: { audio: { id: 'au' } }, isDelta: false },
      { type: 'details', style: 'openai', fields: { system_fingerprint: 'fp' } },
      { type: 'text', part: 0, text: 'b' },
      { type: 'foreign', style: 'openai', part: 1, value: { audio: { data: 'AA' } }, isDelta: true },
      { type: 'foreign', style: 'openai', part: 2, value: { tool_calls: [custom] }, isDelta: false },
      { type: 'details', style: 'openai', fields: { service_tier: 'flex' } },
      { type: 'foreign', style: 'openai', part: 2, value: { tool_calls: [more] }, isDelta: true },
      { type: 'finish', reason: 'tool_calls' },
    ]);
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['model_length', 'length'],
    ['content_filter', 'content_filter'],
    ['eos', 'stop'],
    ['__proto__', 'stop'],
  ])('that finishes with %s ends with %s', async (said, reason) => {
    expect(await streamed(delta({}, said))).toEqual([{ type: 'finish', reason }]);
  });

  it('may name the stop sequence that it met', async () => {
    const met = { choices: [{ index: 0, delta: {}, finish_reason: 'stop', stop_reason: '\n' }] };
    expect(await streamed(met)).toEqual([{ type: 'finish', reason: 'stop_sequence', stopSequence: '\n' }]);
  });

  it('is the same however it is split', async () => {
    const bytes = Buffer.from(
      data(
        delta({ content: 'Grüße 😀\u2028' }),
        delta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'now', arguments: '{"a":"é"}' } }] }),
        delta({}, 'tool_calls'),
        { choices: [], usage: USAGE },
        '[DONE]',
      ).replaceAll('\n\n', '\r\n\r\n'),
    );
    const uncut = (await batchesOf(STREAM, [bytes])).flat();
    expect(uncut).toHaveLength(5);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect((await batchesOf(STREAM, chunks)).flat()).toEqual(uncut);
      }),
    );
  });
});
