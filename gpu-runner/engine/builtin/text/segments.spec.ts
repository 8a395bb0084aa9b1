import { alignSpans } from './alignment.js';
import { maximumSegmentLength, segmentTokens } from './segments.js';

const segmentsOf = (...of: Parameters<typeof segmentTokens>) => [...segmentTokens(...of)];
const sentence = (length: number) => `${'word '.repeat(length - 1)}.`;

describe('segments', () => {
  it('are lines; blank ones give nothing; offsets are of the whole text', () => {
    const text = 'One two\n\n  three\r\nfour';
    const segments = segmentsOf(text);
    expect(segments.map((tokens) => tokens.map((token) => token.text))).toEqual([['One', 'two'], ['three'], ['four']]);
    expect(segments.flat().every(({ start, end, text: word }) => text.slice(start, end) === word)).toBe(true);
  });

  it('cut long lines at the last sentence end within the limit', () => {
    const text = [sentence(120), sentence(120), sentence(120)].join(' ');
    expect(segmentsOf(text).map((tokens) => tokens.length)).toEqual([240, 120]);
  });

  it('cut at the limit where no sentence ends, losing no token', () => {
    const segments = segmentsOf('word '.repeat(1000));
    expect(Math.max(...segments.map((tokens) => tokens.length))).toBe(maximumSegmentLength);
    expect(segments.flat()).toHaveLength(1000);
  });

  it('keep a stretch whole that goes over a line break or over the limit', () => {
    expect(segmentsOf('New\nYork\nis', [{ start: 0, end: 8 }]).map((tokens) => tokens.length)).toEqual([2, 1]);
    const text = 'word '.repeat(310);
    expect(segmentsOf(text, [{ start: 0, end: text.length - 1 }]).map((tokens) => tokens.length)).toEqual([310]);
  });
});

describe('gold spans on tokens', () => {
  const label = 'x';
  const spelled = (text: string, spans: readonly (readonly [number, number])[]) => {
    const aligned = alignSpans(
      text,
      spans.map(([start, end]) => ({ start, end, label })),
    );
    const texts = aligned.segments.flatMap(({ tokens, spans: found }) =>
      found.map(({ first, end }) => text.slice(tokens[first]!.start, tokens[end - 1]!.end)),
    );
    return { ...aligned, texts };
  };

  it('cut the tokens they begin or end in', () => {
    const { texts, cutTokens } = spelled('a London-based firm', [[2, 8]]);
    expect(texts).toEqual(['London']);
    expect(cutTokens).toBe(1);
  });

  it('keep the longest of those that overlap and count the others', () => {
    const { texts, flattened } = spelled('University of New York', [
      [14, 22],
      [0, 22],
      [0, 10],
    ]);
    expect(texts).toEqual(['University of New York']);
    expect(flattened).toBe(2);
  });

  it('are trimmed of spaces; those with nothing left or outside the text are counted', () => {
    const { texts, empty } = spelled('a  b', [
      [0, 3],
      [1, 3],
      [2, 9],
    ]);
    expect(texts).toEqual(['a']);
    expect(empty).toBe(2);
  });

  it('hold their lines together', () => {
    const { texts, segments } = spelled('in New\nYork now', [[3, 11]]);
    expect(texts).toEqual(['New\nYork']);
    expect(segments).toHaveLength(1);
  });
});
