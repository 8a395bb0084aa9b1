import type { GlinerConfig } from '#models/imported/index.js';
import { RefusedSchemaError } from '../encoder-engine.js';
import { ArtifactError } from '../engine.js';
import { candidatesIn, MAX_CANDIDATES } from './scores.js';
import { windowsOf } from './windows.js';
import { wordsOf } from './words.js';

const config = (mode: GlinerConfig['mode'], maxWidth = 2): GlinerConfig => ({
  ...{ mode, maxWidth, maxWords: 384, entToken: '<<ENT>>', sepToken: '<<SEP>>', pooling: 'first' },
});

describe('words', () => {
  it.each<[string, string[]]>([
    ['Ada met Bob.', ['Ada', 'met', 'Bob', '.']],
    ['well-known x_y-z a--b -c', ['well-known', 'x_y-z', 'a', '-', '-', 'b', '-', 'c']],
    ['😀😀 東京 café e\u0301', ['😀', '😀', '東京', 'café', 'e', '\u0301']],
    ['a\u00a0b\u2028c\x1cd\x85e\ufefff', ['a', 'b', 'c', 'd', 'e', '\ufeff', 'f']],
    [' \n\t', []],
    ['٣½Ⅷ_', ['٣½Ⅷ_']],
  ])('of %j are those that Python finds', (text, words) => {
    expect([...wordsOf(text)].map(({ start, end }) => text.slice(start, end))).toEqual(words);
  });
});

describe('windows', () => {
  const words = (...tokens: number[]) =>
    tokens.map((count, at) => ({ start: at, end: at + 1, ids: Array.from({ length: count }, () => at) }));
  const windows = (maxWords: number, maxTokens: number, overlap: number, ...tokens: number[]) =>
    [...windowsOf(words(...tokens), { maxWords, maxTokens, overlap })].map(
      ({ first, words: { length } }) => [first, length] as const,
    );

  it.each<[string, readonly (readonly [number, number])[], [number, number, number, ...number[]]]>([
    ['one for a short text', [[0, 3]], [4, 9, 2, 1, 1, 1]],
    ['none for a text without words', [], [4, 9, 2]],
    [
      'two that share words',
      [
        [0, 4],
        [2, 3],
      ],
      [4, 9, 2, 1, 1, 1, 1, 1],
    ],
    [
      'by tokens',
      [
        [0, 3],
        [2, 2],
      ],
      [9, 6, 1, 2, 2, 2, 2],
    ],
    [
      'that share less where a long word needs the room',
      [
        [0, 2],
        [2, 1],
      ],
      [9, 6, 1, 3, 3, 6],
    ],
    [
      'that share half at most',
      [
        [0, 2],
        [1, 2],
        [2, 2],
      ],
      [2, 9, 5, 1, 1, 1, 1],
    ],
  ])('are %s', (_, expected, [maxWords, maxTokens, overlap, ...tokens]) => {
    expect(windows(maxWords, maxTokens, overlap, ...tokens)).toEqual(expected);
  });
});

describe('scores', () => {
  const logits = (...values: number[]) => Float32Array.from(values);

  it('of spans are taken within the text, from the threshold of their label on', () => {
    // Two words, widths 1 and 2, labels a and b; the last span would end after the text.
    const output = { data: logits(0, -1, 1, -9, 2, 9, 9, 9), dims: [1, 2, 2, 2] };
    expect(candidatesIn(output, 2, [0.5, 0.9], config('span'))).toEqual([
      { start: 0, end: 1, label: 0, confidence: 0.5 },
      { start: 0, end: 2, label: 0, confidence: expect.closeTo(0.731) },
      { start: 1, end: 2, label: 0, confidence: expect.closeTo(0.881) },
      { start: 1, end: 2, label: 1, confidence: expect.closeTo(0.9999) },
    ]);
  });

  it('of words are those of the least certain part, in either layout', () => {
    // Three words of one label, by start, end and inside.
    const rows = [
      [2, -5, 3],
      [-5, -5, 1],
      [-5, 4, 3],
    ];
    const expected = [{ start: 0, end: 3, label: 0, confidence: expect.closeTo(0.731) }];
    const byWord = { data: logits(...rows.flat()), dims: [1, 3, 1, 3] };
    const byKind = { data: logits(...[0, 1, 2].flatMap((kind) => rows.map((row) => row[kind]!))), dims: [3, 1, 3, 1] };
    for (const output of [byWord, byKind]) expect(candidatesIn(output, 3, [0.5], config('token'))).toEqual(expected);
  });

  it.each<[string, GlinerConfig['mode'], number[], number[], RegExp]>([
    ['another shape', 'span', [0, 0], [1, 1, 1, 2], /the shape 1 x 1 x 1 x 2, not 1 x 1 x 2 x 1/],
    ['another number of axes', 'token', [0, 0, 0], [1, 3], /the shape 1 x 3, not 1 x 1 x 1 x 3/],
    ['no numbers', 'token', [0, NaN, 0], [1, 1, 1, 3], /not numbers/],
  ])('are refused for %s', (_, mode, data, dims, message) => {
    const read = () => candidatesIn({ data: logits(...data), dims }, 1, [0.5], config(mode));
    expect(read).toThrow(ArtifactError);
    expect(read).toThrow(message);
  });

  it('are refused where too many reach the threshold', () => {
    const [words, labels] = [800, 2];
    const output = { data: new Float32Array(words * labels * 3), dims: [1, words, labels, 3] };
    expect((words * words * labels) / 2).toBeGreaterThan(MAX_CANDIDATES);
    const read = () => candidatesIn(output, words, [0, 0], config('token'));
    expect(read).toThrow(RefusedSchemaError);
    expect(read).toThrow(/`threshold` must be higher/);
  });
});
