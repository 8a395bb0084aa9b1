import type { Steps } from '../../steps.js';
import { composed } from '#primitives/text/composed.js';
import { DIMENSIONS } from './projection.js';
import { CompactWordVectors } from './word-vectors.js';

const SPACELESS = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]`;
/** A character of a script without spaces, a word or a number, or another sign. */
const TOKEN = new RegExp(
  String.raw`${SPACELESS}|(?:(?!${SPACELESS})[\p{L}\p{M}\p{N}]){1,100000}|[^\s\p{L}\p{M}\p{N}]`,
  'gu',
);

/** A word that was not met before takes some 20 us. */
const WORDS_A_STEP = 64;

interface TextVector {
  /** Not scaled. */
  readonly vector: Float32Array;
  /** Number of tokens read; the maximum plus one for a longer text. */
  readonly tokens: number;
}

/** A text as the weighted sum of the vectors of its words, in any order (as Arora, Liang and Ma 2017 do). */
export class TextVectors {
  private readonly words = new CompactWordVectors();

  *of(text: string, maxTokens: number): Steps<TextVector> {
    const vector = new Float32Array(DIMENSIONS);
    const counts = new Map<string, number>();
    let tokens = 0;
    for (const [token] of text.matchAll(TOKEN)) {
      // Token by token: the expansion of a character (NFKC makes eight letters of some) is still one token.
      const word = composed(token, 'NFKC').toLowerCase();
      tokens += 1;
      if (tokens > maxTokens) return { vector, tokens };
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    let words = 0;
    for (const [word, count] of counts) {
      if (++words % WORDS_A_STEP === 0) yield;
      const { direction, weight } = this.words.of(word);
      const factor = weight * (1 + Math.log(count));
      for (let at = 0; at < DIMENSIONS; at++) vector[at]! += factor * direction[at]!;
    }
    return { vector, tokens: Math.max(1, tokens) };
  }
}
