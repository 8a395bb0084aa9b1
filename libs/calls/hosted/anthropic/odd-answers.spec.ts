import { Dropped } from '../dropped.js';
import { checkProviders } from '../providers.js';
import { ResponseIdentity } from '../response-identity.js';
import { MessageReading } from './reading.js';

const claude = { style: 'anthropic', base_url: 'https://models.example/v1' };
const provider = checkProviders({ providers: { claude } }, {}).get('claude')!;

const started = (index: number | undefined, content_block: unknown) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (index: number | undefined, said: unknown) => ({ type: 'content_block_delta', index, delta: said });
const stopped = (index?: number) => ({ type: 'content_block_stop', index });
const ended = (reason: string) => ({ type: 'message_delta', delta: { stop_reason: reason } });
const hello = [started(0, { type: 'text', text: '' }), delta(0, { type: 'text_delta', text: 'Hi' }), stopped(0)];
const use = { type: 'tool_use', id: 't', name: 'now' };
const json = { type: 'input_json_delta', partial_json: '{"a":1}' };

const reading = () => {
  const dropped = new Dropped(false);
  return { reading: new MessageReading(provider, dropped, new ResponseIdentity()), dropped };
};
/** Texts, inputs and the end of a stream, and what was left out of it. */
function read(...values: readonly object[]) {
  const { reading: one, dropped } = reading();
  const stream = [...values, { type: 'message_stop' }].map((value) => `data: ${JSON.stringify(value)}\n\n`).join('');
  return { said: saidBy(one.chunk(Buffer.from(stream))), leftOut: dropped.names };
}
const saidBy = (events: ReturnType<MessageReading['chunk']>) =>
  events.flatMap((event) =>
    event.type === 'text' && event.text !== ''
      ? [event.text]
      : event.type === 'tool-input'
        ? [event.json]
        : event.type === 'finish'
          ? [event.reason]
          : [],
  );

describe('an answer of a provider of this style that writes it otherwise', () => {
  it.each<[string, readonly object[]]>([
    ['no message at the start', [{ type: 'message_start' }, ...hello, ended('end_turn')]],
    ['no delta at the end', [...hello, { type: 'message_delta', usage: { output_tokens: 1 } }]],
    ['null for what it leaves out', [...hello, { type: 'message_delta', delta: null, usage: null }]],
    [
      'blocks without numbers',
      [started(undefined, { type: 'text' }), delta(undefined, { type: 'text_delta', text: 'Hi' }), stopped()],
    ],
    ['null for a block', [started(0, null), delta(0, { type: 'text_delta', text: 'Hi' }), stopped(0)]],
    [
      'numbers as texts',
      [
        { ...started(0, { type: 'text' }), index: '0' },
        { ...delta(0, { type: 'text_delta', text: 'Hi' }), index: '0' },
      ],
    ],
    ['a number below 0', [started(-1, { type: 'text' }), delta(-1, { type: 'text_delta', text: 'Hi' })]],
    ['a delta without a type', [started(0, { type: 'text', text: '' }), delta(0, { text: 'Hi' }), stopped(0)]],
  ])('is read with %s', (_, values) => {
    expect(read(...values)).toEqual({ said: ['Hi', 'stop'], leftOut: [] });
  });

  it('is read without a delta that is none, which is named', () => {
    expect(read(...hello.slice(0, 2), delta(0, 'x'), stopped(0))).toEqual({
      said: ['Hi', 'stop'],
      leftOut: ['answer.delta'],
    });
  });

  it.each([undefined, null, '', 5])('is read without a call of the tool %j, which is named', (name) => {
    const nameless = [started(1, { ...use, name, input: {} }), delta(1, json), stopped(1)];
    const leftOut = ['answer.content.tool_use'];
    expect(read(...hello, ...nameless, ended('tool_use'))).toEqual({ said: ['Hi', 'stop'], leftOut });
    const named = [started(2, { ...use, input: { b: 2 } }), stopped(2)];
    expect(read(...nameless, ...named, ended('tool_use'))).toEqual({ said: ['{"b":2}', 'tool_calls'], leftOut });
  });

  it('is read without a text that is none, which is named', () => {
    const listed = delta(0, { type: 'text_delta', text: ['x'] });
    expect(read(...hello.slice(0, 2), listed, stopped(0))).toEqual({
      ...{ said: ['Hi', 'stop'], leftOut: ['answer.content'] },
    });
  });

  it.each<[string, readonly object[]]>([
    ['in pieces', [started(0, { ...use, input: {} }), delta(0, json), stopped(0)]],
    ['as an object', [started(0, { ...use, input: { a: 1 } }), stopped(0)]],
    ['as a text', [started(0, { ...use, input: '{"a":1}' }), stopped(0)]],
    ['whole and in pieces', [started(0, { ...use, input: { a: 1 } }), delta(0, json), stopped(0)]],
    [
      'as an object for a piece',
      [started(0, { ...use, input: {} }), delta(0, { ...json, partial_json: { a: 1 } }), stopped(0)],
    ],
    ['without the end of its block', [started(0, { ...use, input: { a: 1 } })]],
  ])('is read with the input of a call %s', (_, values) => {
    expect(read(...values, ended('end_turn'))).toEqual({ said: ['{"a":1}', 'tool_calls'], leftOut: [] });
  });

  it.each<[string, unknown]>([
    ['a text', 'Hi'],
    ['one block', { type: 'text', text: 'Hi' }],
    ['texts', ['Hi']],
    ['null among its blocks', [null, { type: 'text', text: 'Hi' }]],
  ])('is read whole with %s for its content', (_, content) => {
    const events = reading().reading.whole(JSON.stringify({ content, stop_reason: 'end_turn' }));
    expect(saidBy(events)).toEqual(['Hi', 'stop']);
  });

  it("fails with an error in OpenAI's shape", () => {
    const error = { error: { message: 'boom', type: 'overloaded_error' } };
    expect(() => reading().reading.whole(JSON.stringify(error))).toThrow(/takes no more requests/);
    expect(() => read(error)).toThrow(/takes no more requests/);
  });
});
