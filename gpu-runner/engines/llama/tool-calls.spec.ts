import { CallReader, type ReadFamily } from './tool-calls.js';

const NAMES = new Set(['f', 'g']);
/** What a reader makes of a text that comes in pieces of some size. */
function read(family: ReadFamily, text: string, size: number) {
  const reader = new CallReader(family, NAMES);
  let shown = '';
  for (let at = 0; at < text.length; at += size) shown += reader.add(text.slice(at, at + size));
  const { text: rest, calls } = reader.end();
  return [shown + rest, calls.map(({ name, arguments: input }) => [name, input])];
}
const SIZES = [1, 3, 7, 1000];
const CALLS =
  '<tool_call>\n{"name": "f", "arguments": {"a": "ä, }"}}\n</tool_call>\n<tool_call>{"name": "g", "arguments": {}}</tool_call>';

describe('calls of tools in the text of an answer', () => {
  it.each<[ReadFamily, string, string]>([
    ['hermes', `Wait.${CALLS}`, 'Wait.'],
    ['hermes', `${CALLS}\nThat was all.`, 'That was all.'],
    ['llama', '{"name": "f", "parameters": {"a": "ä, }"}}; {"name": "g", "parameters": {}}', ''],
    [
      'mistral',
      'Wait.[TOOL_CALLS] [{"name": "f", "arguments": {"a": "ä, }"}, "id": "x"}, {"name": "g", "arguments": {}}]',
      'Wait.',
    ],
    ['mistral', 'Wait.[TOOL_CALLS]f[CALL_ID]abcdefghi[ARGS]{"a": "ä, }"}[TOOL_CALLS]g[ARGS]{}', 'Wait.'],
    ['mistral', 'Wait.[TOOL_CALLS]f{"a": "ä, }"}[TOOL_CALLS]g {}', 'Wait.'],
  ])('are read from pieces of any size (%s, %j)', (family, text, shown) => {
    for (const size of SIZES)
      expect(read(family, text, size)).toEqual([
        shown,
        [
          ['f', '{"a": "ä, }"}'],
          ['g', '{}'],
        ],
      ]);
  });

  it('keep every digit of their arguments', () => {
    const input = '{"id": 12345678901234567890, "of": [1.0, {"x": "\\"}"}]}';
    expect(read('hermes', `<tool_call>{"arguments": ${input}, "name": "f"}</tool_call>`, 5)).toEqual([
      '',
      [['f', input]],
    ]);
  });

  it.each<[ReadFamily, string]>([
    ['hermes', 'a < b <tool'],
    ['hermes', '<tool_call>{broken</tool_call>'],
    ['hermes', '<tool_call>{"name": "h", "arguments": {}}</tool_call>'],
    ['hermes', '<tool_call>{"name": "f"}</tool_call>'],
    ['hermes', '<tool_call>{"name": "f", "arguments": "{}"}</tool_call>'],
    ['hermes', '<tool_call>{"name": "f", "arguments": {}} and more</tool_call>'],
    ['llama', '{"colour": "red"}'],
    ['llama', ' no {'],
    ['llama', '{"name": "f", "age": 3}'],
    ['llama', '{"name": "h", "parameters": {}}'],
    ['llama', '{"name": "f", "parameters": {a: 1}}'],
    ['mistral', '[TOOL_CALLS] [{"name": "h", "arguments": {}}]'],
    ['mistral', '[TOOL_CALLS] [broken'],
    ['mistral', '[TOOL_CALLS] []'],
    ['mistral', '[TOOL_CALLS]f[ARGS]{"a": 1'],
    ['mistral', '[TOOL_CALLS]f[ARGS][1]'],
  ])('are text where they do not parse or name no tool (%s, %j)', (family, text) => {
    for (const size of SIZES) expect(read(family, text, size)).toEqual([text, []]);
  });
});
