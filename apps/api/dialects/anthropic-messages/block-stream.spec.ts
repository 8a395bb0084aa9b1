import fc from 'fast-check';
import type { GenerationEvent } from '#calls/hosted/port.js';
import { BlockStream } from './block-stream.js';

type PartEvent = Extract<GenerationEvent, { readonly part: number }>;

const text = (part: number, said: string): PartEvent => ({ type: 'text', part, text: said });
const call = (part: number, name: string): PartEvent => ({ type: 'tool-call', part, id: `call_${name}`, name });
const input = (part: number, json: string): PartEvent => ({ type: 'tool-input', part, json });
const foreign = (part: number, value: object, isDelta: boolean): PartEvent => ({
  ...{ type: 'foreign', part, style: 'anthropic', value: value as never, isDelta },
});

/** Summarises events in one word each, and assembles the blocks as a client would. Fails where a client would. */
function read(stream: string) {
  const blocks: { type: string; content: string; deltas: unknown[] }[] = [];
  let open: number | null = null;
  const order: string[] = [];
  for (const each of stream.split('\n\n').slice(0, -1)) {
    const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(each)!;
    const event = JSON.parse(data!);
    expect(event.type).toBe(name);
    if (name === 'content_block_start') {
      expect([open, event.index]).toEqual([null, blocks.length]);
      open = event.index;
      blocks.push({ type: event.content_block.type, content: '', deltas: [] });
      order.push(`<${event.index}`);
    } else {
      expect(event.index).toBe(open);
      if (name === 'content_block_stop') {
        open = null;
        order.push(`${event.index}>`);
      } else {
        const { type, ...fields } = event.delta;
        const piece = type === 'signature_delta' ? '' : (fields.text ?? fields.partial_json ?? fields.thinking ?? '');
        blocks.at(-1)!.content += piece;
        if (piece === '') blocks.at(-1)!.deltas.push(event.delta);
        order.push('.');
      }
    }
  }
  expect(open).toBeNull();
  return { blocks: blocks.map(({ type, content }) => [type, content]), order: order.join(''), raw: blocks };
}

function written(events: readonly PartEvent[]) {
  const stream = new BlockStream();
  return read(events.map((event) => stream.write(event)).join('') + stream.end());
}

describe('the stream of content blocks', () => {
  it('closes each block when the next begins', () => {
    const { blocks, order } = written([
      { type: 'thinking', part: 0, text: 'Hm' },
      { type: 'thinking', part: 0, text: '', signature: 'sig' },
      text(1, 'Let me '),
      text(1, 'see.'),
      call(2, 'look'),
      input(2, '{"at":'),
      input(2, '"sky"}'),
    ]);
    expect(blocks).toEqual([
      ['thinking', 'Hm'],
      ['text', 'Let me see.'],
      ['tool_use', '{"at":"sky"}'],
    ]);
    expect(order).toBe('<0..0><1..1><2..2>');
  });

  it('sends consecutive tool calls as they arrive', () => {
    const stream = new BlockStream();
    stream.write(call(0, 'a'));
    stream.write(input(0, '{"x":"}"}'));
    expect(stream.write(call(1, 'b'))).toMatch(/content_block_stop[^]*content_block_start/);
    expect(stream.write(input(1, '{'))).toContain('partial_json');
  });

  it('puts interleaved tool calls in order, loses nothing, and sends each once those before it have ended', () => {
    const stream = new BlockStream();
    let sent = '';
    for (const event of [call(0, 'a'), call(1, 'b'), input(0, '{"x"'), input(1, '{"y":[1'), input(0, ':"\\"}"')])
      sent += stream.write(event);
    expect(sent).not.toContain('call_b');
    sent += stream.write(input(0, '}'));
    expect(sent).toContain('call_b');
    for (const event of [input(1, ']'), input(1, '}'), input(0, ' ')]) sent += stream.write(event);
    const { blocks, order } = read(sent + stream.end());
    expect(blocks).toEqual([
      ['tool_use', '{"x":"\\"}"}'],
      ['tool_use', '{"y":[1]}'],
    ]);
    expect(order).toBe('<0...0><1...1>');
  });

  it('keeps interleaved blocks whole, in the order in which they began', () => {
    const pieces = fc.array(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 5 }).map((parts) => {
      const json = JSON.stringify(parts.map((part) => `{"[}]\\\\${part}`));
      return json.match(/[^]{1,4}/g)!;
    });
    const turns = fc.array(fc.nat(9), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 4 }), turns, (inputs, order) => {
        const left = inputs.map((all, part) => [call(part, `f${part}`), ...all.map((json) => input(part, json))]);
        const events: PartEvent[] = [];
        const begun: number[] = [];
        for (let turn = 0; left.some(({ length }) => length > 0); turn += 1) {
          const open = [...left.keys()].filter((part) => left[part]!.length > 0);
          const part = open[order[turn % order.length]! % open.length]!;
          if (!begun.includes(part)) begun.push(part);
          events.push(left[part]!.shift()!);
        }
        expect(written(events).blocks).toEqual(begun.map((part) => ['tool_use', inputs[part]!.join('')]));
      }),
    );
  });

  it('closes inputs that were cut off or never came when the answer ends', () => {
    const { blocks } = written([
      call(0, 'a'),
      call(1, 'b'),
      call(2, 'c'),
      input(2, '{"z":'),
      input(1, '{}'),
      text(3, 'so'),
      input(0, '{"x":1'),
    ]);
    expect(blocks).toEqual([
      ['tool_use', '{"x":1'],
      ['tool_use', '{}'],
      ['tool_use', '{"z":'],
      ['text', 'so'],
    ]);
  });

  it('starts another block for text that continues after a call', () => {
    const { blocks } = written([text(0, 'a'), call(1, 'f'), input(1, '{}'), text(0, 'b')]);
    expect(blocks).toEqual([
      ['text', 'a'],
      ['tool_use', '{}'],
      ['text', 'b'],
    ]);
  });

  it('starts another block for sources that come after a call', () => {
    const page = { url: 'https://a.example', title: 'A' };
    const sources: PartEvent = {
      ...{ type: 'foreign', part: 0, style: 'openai', isDelta: true },
      value: { annotations: [{ type: 'url_citation', url_citation: page }] },
    };
    const citation = {
      type: 'citations_delta',
      citation: { type: 'web_search_result_location', ...page, encrypted_index: '', cited_text: '' },
    };
    const cited = { type: 'text', content: '', deltas: [citation] };
    const called = { type: 'tool_use', content: '{}', deltas: [] };
    const said = { type: 'text', content: 'a', deltas: [] };
    expect(written([text(0, 'a'), call(1, 'f'), input(1, '{}'), sources]).raw).toEqual([said, called, cited]);
    expect(written([text(0, 'a'), call(1, 'f'), sources, input(1, '{}')]).raw).toEqual([said, called, cited]);
  });

  it('passes parts that only this style has unchanged', () => {
    const use = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} };
    const citation = { type: 'citations_delta', citation: { cited_text: 'x' } };
    const { raw } = written([
      foreign(0, use, false),
      foreign(0, { type: 'input_json_delta', partial_json: '{}' }, true),
      foreign(1, citation, true),
      text(1, 'Cited'),
      foreign(1, citation, true),
      { type: 'foreign', part: 2, style: 'openai', value: { audio: {} }, isDelta: false },
    ]);
    expect(raw).toEqual([
      { type: 'server_tool_use', content: '{}', deltas: [] },
      { type: 'text', content: 'Cited', deltas: [citation, citation] },
    ]);
  });

  it('sends redacted thinking as data and refusals as text, and starts no block for empty pieces', () => {
    const stream = new BlockStream();
    const sent = [
      stream.write(text(0, '')),
      stream.write({ type: 'thinking', part: 0, text: '' }),
      stream.write({ type: 'thinking', part: 1, text: '', redacted: true, signature: 'opaque' }),
      stream.write({ type: 'refusal', part: 2, text: 'No.' }),
      stream.write({ type: 'text', part: 3, text: 'of another choice', choice: 1 }),
      stream.end(),
    ].join('');
    expect(sent).toContain('"content_block":{"type":"redacted_thinking","data":"opaque"}');
    expect(read(sent).blocks).toEqual([
      ['redacted_thinking', ''],
      ['text', 'No.'],
    ]);
  });

  it('has no block for an empty answer', () => {
    expect(new BlockStream().end()).toBe('');
  });
});
