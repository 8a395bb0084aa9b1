/** A word of a text; offsets are UTF-16 code units, end exclusive. */
export interface Word {
  readonly start: number;
  readonly end: number;
}

/**
 * Python's `\w+(?:[-_]\w+)*|\S`: words with hyphens inside, and single signs. What is a letter, a digit or white space is as in
 * Python, where marks are no part of words.
 */
const WORDS = /[\p{L}\p{N}_]+(?:-[\p{L}\p{N}_]+)*|[^\s\x1c-\x1f\x85]|\ufeff/gu;

/** The words of a text, as the whitespace splitter of the `gliner` package finds them. */
export function* wordsOf(text: string): Generator<Word> {
  for (const { 0: word, index } of text.matchAll(WORDS)) yield { start: index, end: index + word.length };
}
