/** Endings of English inflection and their replacements, the longest first. */
const ENDINGS: readonly (readonly [ending: string, instead: string])[] = [
  ['iest', 'y'],
  ['ies', 'y'],
  ['ied', 'y'],
  ['ier', 'y'],
  ['ily', 'y'],
  ['sses', 'ss'],
  ['ings', ''],
  ['ing', ''],
  ['edly', ''],
  ['ed', ''],
  ['ers', ''],
  ['er', ''],
  ['est', ''],
  ['ly', ''],
  ['es', ''],
  ['s', ''],
  ['e', ''],
];
const SHORTEST = 3;

/**
 * Approximately the common part of a word's forms: English endings removed, doubled consonants single, no silent e.
 * Forms of one word get the same stem, which need not be a word. Words of other languages lose as much.
 * @param word in lower case
 */
export function stemOf(word: string): string {
  if (word.length <= SHORTEST || !/^[a-z]+$/.test(word)) return word;
  for (const [ending, instead] of ENDINGS) {
    const rest = word.length - ending.length;
    if (rest + instead.length < SHORTEST || !word.endsWith(ending)) continue;
    const stem = word.slice(0, rest);
    if (ending === 's' && /[su]$/.test(stem)) break;
    // "sing" and "red" are whole.
    if (!/[aeiouy]/.test(stem)) continue;
    return single(stem + instead).replace(/(.{3})e$/, '$1');
  }
  return word;
}

const single = (stem: string): string =>
  stem.length > SHORTEST && /([^aeiouylsz])\1$/.test(stem) ? stem.slice(0, -1) : stem;
