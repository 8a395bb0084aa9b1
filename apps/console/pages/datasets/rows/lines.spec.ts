import { replaceLine } from './lines.js';

describe('one line of several', () => {
  it('becomes another, or none', () => {
    expect(replaceLine('a\nb\nc\n', 2, 'x')).toBe('a\nx\nc\n');
    expect(replaceLine('a\nb\nc\n', 1, null)).toBe('b\nc\n');
    expect(replaceLine('a\nb\nc\n', 3, 'x')).toBe('a\nb\nx\n');
  });
});
