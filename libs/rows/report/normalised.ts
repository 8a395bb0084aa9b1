import { composed } from '#primitives/text/composed.js';

/** Longer texts are compared unchanged. UTF-16 units. */
const MAX_CHARACTERS = 100_000;
const ASCII = /^[\u0000-\u007f]*$/;
const EDGE = /[\s\p{P}]/u;

/**
 * The form for comparing texts: Unicode's NFKC, in lower case, a blank for each run of white space, and no punctuation
 * at either end.
 */
export function normalised(text: string): string {
  if (text.length > MAX_CHARACTERS) return text;
  const even = (ASCII.test(text) ? text : composed(text, 'NFKC')).toLowerCase().replaceAll(/\s+/g, ' ');
  let [start, end] = [0, even.length];
  while (start < end && EDGE.test(even[start]!)) start += 1;
  while (end > start && EDGE.test(even[end - 1]!)) end -= 1;
  // A text of punctuation only is compared by it.
  return start === end ? even.trim() : even.slice(start, end);
}
