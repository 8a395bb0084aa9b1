import { isPrintable, printable, printableLines } from './printable.js';

const ACTED_ON = [
  '\u0000',
  '\u001b',
  '\n',
  '\t',
  '\u007f',
  '\u009b',
  '\u2028',
  '\u2029',
  '\u202e',
  '\u2066',
  '\u200f',
  '\ud800',
];

describe('printable text', () => {
  it.each(ACTED_ON)('shows %j as an escape', (character) => {
    expect(isPrintable(`a${character}b`)).toBe(false);
    expect(printable(`a${character}b`)).toMatch(/^a\\u[0-9a-f]{4}b$/);
  });

  it.each(['Zoë’s model', '模型', 'नमस्ते', '👩🏽‍💻 team', 'a b', 'مرحبا'])('leaves %s unchanged', (text) => {
    expect([isPrintable(text), printable(text)]).toEqual([true, text]);
  });

  it('keeps the value of JSON', () => {
    const value = { text: ACTED_ON.join('') };
    expect(JSON.parse(printable(JSON.stringify(value)))).toEqual(value);
  });

  it('keeps line breaks', () => {
    expect(printableLines('one\u001b\ntwo')).toBe('one\\u001b\ntwo');
  });
});
