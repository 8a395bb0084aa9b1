/** A word of a text; offsets are UTF-16 code units, end exclusive. */
export interface Word {
  readonly start: number;
  readonly end: number;
  /** In lower case, as the model reads it. */
  readonly lower: string;
}

/** Python's `\w`, and marks and joiners. */
const LETTER = String.raw`[\p{L}\p{N}\p{M}_\u200c\u200d]`;
/** Python's `\s`. */
const SPACE = String.raw`\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
/** As Python ignores case: the letters whose other case is one of these are of them too. */
const LATIN = 'a-zıİſ\u212a';
const WORDS = new RegExp(
  [
    String.raw`https?:\/\/[^${SPACE}]+|www\.[^${SPACE}]+`,
    String.raw`[${LATIN}0-9._%+\-]+@[${LATIN}0-9.\-]+\.[${LATIN}]{2,}`,
    `@[${LATIN}0-9_]+`,
    `${LETTER}+(?:[-_]${LETTER}+)*`,
    `[^${SPACE}]`,
  ].join('|'),
  'giu',
);

/** The words of a text, as the whitespace splitter of the `gliner2` package finds them. */
export function* wordsOf(text: string): Generator<Word> {
  for (const { 0: word, index } of text.matchAll(WORDS))
    yield { start: index, end: index + word.length, lower: word.toLowerCase() };
}
