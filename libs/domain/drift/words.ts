/** The words of a text beyond this are not read. UTF-16 units. */
export const READ_CHARACTERS = 1_000;
/** Buckets that words are hashed into. Several words share one, so a bucket does not reveal its word. */
export const WORD_BUCKETS = 2 ** 18;

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const NUMBER = /\p{N}+/gu;

/** The bucket of each word of a text, of any case. Numbers of any value are one word. */
export const bucketsOf = (text: string): readonly number[] =>
  (text.slice(0, READ_CHARACTERS).toLowerCase().match(WORD) ?? []).map(
    (word) => hashOf(word.replaceAll(NUMBER, '0')) % WORD_BUCKETS,
  );

/** FNV-1a, 32 bits, over the UTF-16 units of a text. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  // FNV leaves the low bits of short texts alike.
  return (hash ^ (hash >>> 15)) >>> 0;
}
