import { composed } from '#primitives/text/composed.js';
import { MAX_CHARACTERS } from './terms.js';

/** The words and numbers of the part of a text that is read, in lower case. */
export function wordsOf(text: string): string[] {
  return (
    composed(text.slice(0, MAX_CHARACTERS))
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}
