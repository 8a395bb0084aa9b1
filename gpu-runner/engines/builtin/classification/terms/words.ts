import { composed } from '#primitives/text/composed.js';
import { maxCharacters } from './terms.js';

/** The words and numbers of the part of a text that is read, in lower case. */
export function wordsOf(text: string): string[] {
  return (
    composed(text.slice(0, maxCharacters))
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}
