import { Collected, type AnswerStream } from '#calls/index.js';
import type { JsonObject } from '#domain/json.js';
import { NO_USAGE, type GenerationEvent } from '#calls/hosted/port.js';
import { eventsIn } from '#test/support/hosted-api.js';
import { mergedDeltas } from './deltas.js';
import { chatCompletion } from './encode.js';
import { ChatStream } from './stream.js';

/** An answer of these events, whole, and the deltas of its first choice put together as callers do it. */
function answered(
  events: readonly GenerationEvent[],
  hasFunctions = false,
  customTools: ReadonlySet<string> = new Set(),
) {
  const produced = new Collected();
  const run: AnswerStream = {
    ...{ inferenceId: 'i', latencyMs: 0, usage: NO_USAGE, dropped: [], produced },
    ...{ events: (async function* () {})(), leave: () => Promise.resolve() },
  };
  const started = { run, inferenceId: null, modelId: 'm', notes: {} };
  const stream = new ChatStream(started, { hasFunctions, customTools, includeUsage: false });
  let text = stream.begin();
  for (const event of events) {
    produced.add(event);
    text += stream.batch([event]);
  }
  const { chunks } = eventsIn(text + stream.end());
  const deltas = chunks.map((chunk) => chunk.choices[0].delta as JsonObject);
  const [choice] = chatCompletion(started, { hasFunctions, customTools })['choices'] as [{ message: JsonObject }];
  return { message: choice.message, deltas, together: mergedDeltas(deltas) };
}

const finish: GenerationEvent = { type: 'finish', reason: 'stop' };
const foreign = (part: number, value: JsonObject, isDelta = false): GenerationEvent => ({
  ...{ type: 'foreign', style: 'openai', part, value, isDelta },
});

describe('a streamed answer, assembled, equals the whole one and', () => {
  it('has annotations and audio as its provider sends them', () => {
    const { message, together } = answered([
      { type: 'text', part: 0, text: 'Rome' },
      foreign(1, { annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example' } }] }),
      foreign(1, { annotations: [{ type: 'url_citation', url_citation: { url: 'https://b.example' } }] }, true),
      foreign(2, { audio: { id: 'a', transcript: 'Ro' } }),
      foreign(2, { audio: { transcript: 'me', expires_at: 7 } }, true),
      finish,
    ]);
    expect(together).toEqual(message);
    expect(message['annotations']).toHaveLength(2);
    expect(message['audio']).toEqual({ id: 'a', transcript: 'Rome', expires_at: 7 });
  });

  it('has the texts that custom tools are called with, which other models give as an argument', () => {
    const events: GenerationEvent[] = [
      { type: 'tool-call', part: 0, id: 'call_1', name: 'run' },
      { type: 'tool-input', part: 0, json: '{"input"' },
      { type: 'tool-call', part: 1, id: 'call_2', name: 'weather' },
      { type: 'tool-input', part: 0, json: ':"ls -l"}' },
      { type: 'tool-input', part: 1, json: '{}' },
      { type: 'finish', reason: 'tool_calls' },
    ];
    const { message, together } = answered(events, false, new Set(['run']));
    const calls = together['tool_calls'] as readonly JsonObject[];
    const inOrder = calls.toSorted((one, other) => Number(one['index']) - Number(other['index']));
    expect(inOrder.map(({ index: _, ...call }) => call)).toEqual(message['tool_calls']);
    expect(message['tool_calls']).toMatchObject([
      { id: 'call_1', type: 'custom', custom: { name: 'run', input: 'ls -l' } },
      { id: 'call_2', type: 'function', function: { name: 'weather', arguments: '{}' } },
    ]);
  });

  it("has the provider's own tool calls among function calls", () => {
    const { message, together, deltas } = answered([
      { type: 'tool-call', part: 0, id: 'call_1', name: 'weather' },
      { type: 'tool-input', part: 0, json: '{"city"' },
      foreign(1, { tool_calls: [{ index: 5, id: 'call_2', type: 'custom', custom: { name: 'grep', input: '' } }] }),
      { type: 'tool-input', part: 0, json: ':"Rome"}' },
      foreign(1, { tool_calls: [{ index: 5, custom: { input: 'a.*b' } }] }, true),
      { type: 'tool-call', part: 2, id: 'call_3', name: 'time' },
      finish,
    ]);
    const calls = together['tool_calls'] as readonly JsonObject[];
    expect(calls.map(({ index, id }) => [index, id])).toEqual([
      [0, 'call_1'],
      [1, 'call_2'],
      [2, 'call_3'],
    ]);
    expect(calls.map(({ index: _, ...call }) => call)).toEqual(message['tool_calls']);
    expect(deltas[0]).toEqual({ role: 'assistant', content: null, refusal: null });
  });

  it('has thinking and its signature', () => {
    const { message, together } = answered([
      { type: 'thinking', part: 0, text: 'Let me ' },
      { type: 'thinking', part: 0, text: 'see' },
      { type: 'thinking', part: 0, text: '', signature: 's' },
      { type: 'thinking', part: 1, text: '', signature: 'xyz', redacted: true },
      { type: 'text', part: 2, text: 'Rome' },
      finish,
    ]);
    expect(together).toEqual(message);
    expect(message).toEqual({
      ...{ role: 'assistant', content: 'Rome', refusal: null, reasoning_content: 'Let me see' },
      thinking_blocks: [
        { type: 'thinking', thinking: 'Let me see', signature: 's' },
        { type: 'redacted_thinking', data: 'xyz' },
      ],
    });
  });

  it('has the single function call of the older format', () => {
    const { message, together } = answered(
      [
        { type: 'tool-call', part: 0, id: 'a', name: 'weather' },
        { type: 'tool-input', part: 0, json: '{"city":"Rome"}' },
        { type: 'tool-call', part: 1, id: 'b', name: 'time' },
        { type: 'tool-input', part: 1, json: '{"city":"Oslo"}' },
        finish,
      ],
      true,
    );
    expect(together).toEqual(message);
    expect(message['function_call']).toEqual({ name: 'weather', arguments: '{"city":"Rome"}' });
  });

  it('may be empty', () => {
    const { message, together } = answered([finish]);
    expect(together).toEqual(message);
    expect(message).toEqual({ role: 'assistant', content: '', refusal: null });
  });

  it('omits parts that only other styles have', () => {
    const { deltas } = answered([{ type: 'foreign', style: 'anthropic', part: 0, value: {}, isDelta: false }, finish]);
    expect(deltas).toHaveLength(2);
  });
});
