import { pythonLiteral } from './python-literal.js';

describe('a list printed by Python', () => {
  it.each<[string, unknown]>([
    [`['a', "b's", 'c\\'d', 'e\\n']`, ['a', "b's", "c'd", 'e\n']],
    [
      `[(0, 3, 'person'), (4, 8.5, 'x')]`,
      [
        [0, 3, 'person'],
        [4, 8.5, 'x'],
      ],
    ],
    [`{'a': None, 'b': [True, False], "c": nan}`, { a: null, b: [true, false], c: null }],
    ["['EU' 'rejects'\n 'German']", ['EU', 'rejects', 'German']],
    ['[3 0\n 7]', [3, 0, 7]],
    [`['\\xe9\\u00e9']`, ['éé']],
    ['[]', []],
    [`('a',)`, ['a']],
  ])('is read: %s', (text, value) => {
    expect(pythonLiteral(text, 10)).toEqual(value);
  });

  it.each(['[sic] he said', "['a'", "['a']x", '[3 0 ... 7]', "{'a'}", '[1, array([2])]', "['\\q']", '[', '[[[]]]'])(
    'stays text if it is not a list, or nests too deeply: %s',
    (text) => {
      expect(pythonLiteral(text, 2)).toBeUndefined();
    },
  );
});
