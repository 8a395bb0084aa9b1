import type { Word } from './words.js';

/** A word with the ids of its tokens. */
export interface TokenizedWord extends Word {
  readonly ids: readonly number[];
}

/** Words that the model reads in one pass. */
export interface Window {
  /** Index of its first word in the text. */
  readonly first: number;
  readonly words: readonly TokenizedWord[];
}

/**
 * The words of a text in windows that overlap, so that a span which ends one is whole in the next.
 * @param words each of at most `maxTokens` tokens
 * @param overlap words that two windows share, if there is room
 */
export function* windowsOf(
  words: Iterable<TokenizedWord>,
  { maxWords, maxTokens, overlap }: { readonly maxWords: number; readonly maxTokens: number; readonly overlap: number },
): Generator<Window> {
  let window: TokenizedWord[] = [];
  let first = 0;
  let tokens = 0;
  for (const word of words) {
    if (window.length === maxWords || tokens + word.ids.length > maxTokens) {
      yield { first, words: window };
      let shared = Math.min(overlap, Math.floor(window.length / 2));
      tokens = tokensIn(window.slice(window.length - shared));
      for (; tokens + word.ids.length > maxTokens; shared--) tokens -= window.at(-shared)!.ids.length;
      first += window.length - shared;
      window = window.slice(window.length - shared);
    }
    window.push(word);
    tokens += word.ids.length;
  }
  if (window.length > 0) yield { first, words: window };
}

const tokensIn = (words: readonly TokenizedWord[]): number => words.reduce((sum, { ids }) => sum + ids.length, 0);
