import type { TextEncoder } from './text-encoder.js';

const OTHER_WORDS = 8;

/**
 * An encoder for tests: words of one group mean the same, and each other word means something like some others.
 * @param read the texts that were encoded, in order, once asked
 */
export function groupEncoder(groups: readonly (readonly string[])[], read: string[] = []): TextEncoder {
  const dimensions = groups.length + OTHER_WORDS;
  const placeOf = (word: string): number => {
    const group = groups.findIndex((words) => words.includes(word));
    if (group >= 0) return group;
    let hash = 7;
    for (let at = 0; at < word.length; at++) hash = (31 * hash + word.charCodeAt(at)) % 10_007;
    return groups.length + (hash % OTHER_WORDS);
  };
  const wordRows = (tokens: readonly string[]): Float32Array => {
    const rows = new Float32Array(tokens.length * dimensions);
    tokens.forEach((token, row) => (rows[row * dimensions + placeOf(token.toLowerCase())] = 1));
    return rows;
  };
  return {
    wordVectors: `groups ${groups.length}`,
    wordDimensions: dimensions,
    sentenceVectors: `groups ${groups.length}`,
    sentenceDimensions: dimensions,
    usefulRows: null,
    inner: null,
    sentence(text) {
      read.push(text);
      const sum = new Float32Array(dimensions).fill(0.01);
      for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) sum[placeOf(word)]! += 1;
      const length = Math.hypot(...sum);
      return sum.map((value) => value / length);
    },
    unknownShare: (text) => (text.match(/\p{Script=Han}/gu) ?? []).length / Math.max(1, text.length),
    isTooLong: (text) => text.split(' ').length > 50,
    words: wordRows,
    meaning(tokens) {
      const rows = wordRows(tokens);
      const text = new Float32Array(dimensions).fill(0.01);
      rows.forEach((value, at) => (text[at % dimensions]! += value));
      return { text, tokens: rows };
    },
  };
}
