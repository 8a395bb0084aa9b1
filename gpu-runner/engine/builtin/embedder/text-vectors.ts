import { DIMENSIONS } from './projection.js';
import { WordVectors } from './word-vectors.js';

/** Words, numbers, and signs by themselves. Of a script without spaces each character is a word. */
const TOKEN = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}])[\p{L}\p{M}\p{N}])+|[^\s\p{L}\p{M}\p{N}]/gu; // prettier-ignore

/** A text as the weighted sum of the vectors of its words (Arora, Liang and Ma 2017, without their common component). */
export class TextVectors {
  private readonly words = new WordVectors();

  /** @returns its tokens, counted no further than one beyond the most; the vector is not scaled */
  of(text: string, mostTokens: number): { readonly vector: Float32Array; readonly tokens: number } {
    const vector = new Float32Array(DIMENSIONS);
    const counts = new Map<string, number>();
    let tokens = 0;
    for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(TOKEN)) {
      tokens += 1;
      if (tokens > mostTokens) return { vector, tokens };
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    for (const [word, count] of counts) {
      const { direction, weight } = this.words.of(word);
      const factor = weight * (1 + Math.log(count));
      for (let at = 0; at < DIMENSIONS; at++) vector[at]! += factor * direction[at]!;
    }
    return { vector, tokens: Math.max(1, tokens) };
  }
}
