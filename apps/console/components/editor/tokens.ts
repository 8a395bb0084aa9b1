import type { Stretch } from './annotation.js';

const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Words and single signs, in order; white space is between them. Follows UAX 29, with dictionaries for scripts without spaces. */
export const tokensOf = (text: string): readonly Stretch[] =>
  Array.from(WORDS.segment(text))
    .filter(({ segment }) => segment.trim() !== '')
    .map(({ segment, index }) => ({ start: index, end: index + segment.length }));

/** The first and the last token that a stretch touches; null if it touches none. */
export function touched(tokens: readonly Stretch[], { start, end }: Stretch): readonly [number, number] | null {
  const first = tokens.findIndex((token) => token.end > start && (token.start < end || start === end));
  if (first < 0) return null;
  const last = tokens.findLastIndex((token) => token.start < Math.max(end, start + 1));
  return last < first ? null : [first, last];
}
