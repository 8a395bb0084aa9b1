import { visitTerms } from '../classification/index.js';
import { unit } from '../word-table/word-table.js';

export const HASHED_DIMENSIONS = 256;

/**
 * The terms of a text, hashed into a vector of length 1 (Weinberger et al. 2009), or of zeros alone for a text without any. Texts in
 * whatever language are alike by it if they share words and parts of words.
 */
export function hashedTerms(text: string): Float32Array {
  const counted = new Map<number, { readonly place: number; readonly weight: number; count: number }>();
  visitTerms(text, (high, low, weight) => {
    const key = (high & 0x1fffff) * 2 ** 32 + low;
    const known = counted.get(key);
    if (known) known.count += 1;
    else counted.set(key, { place: low % HASHED_DIMENSIONS, weight: high & 1 ? weight : -weight, count: 1 });
  });
  const vector = new Float32Array(HASHED_DIMENSIONS);
  for (const { place, weight, count } of counted.values()) vector[place]! += weight * (1 + Math.log(count));
  return unit(vector);
}
