/** Texts as vectors of length 1. */
export type Embed = (texts: readonly string[]) => readonly Float32Array[];

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** Vectors of word sets: the cosine is the share of common words, |A and B| / sqrt(|A| |B|). */
export const wordOverlap: Embed = (texts) => {
  const index = new Map<string, number>();
  const sets = texts.map((text) => new Set(wordsOf(text)));
  for (const set of sets) for (const word of set) if (!index.has(word)) index.set(word, index.size);
  return sets.map((set) => {
    const vector = new Float32Array(index.size);
    for (const word of set) vector[index.get(word)!] = 1;
    return scaled(vector);
  });
};

/** Vectors of word counts, hashed into buckets with signs (Weinberger et al. 2009). */
export const hashedWords =
  (buckets: number): Embed =>
  (texts) =>
    texts.map((text) => {
      const vector = new Float32Array(buckets);
      for (const word of wordsOf(text)) {
        const hash = fnv(word);
        vector[(hash >>> 1) % buckets]! += hash & 1 ? 1 : -1;
      }
      return scaled(vector);
    });

function scaled(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

function fnv(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
