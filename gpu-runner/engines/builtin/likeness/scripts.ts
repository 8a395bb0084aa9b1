/** The scripts that most texts of the world are written in; letters of others are of one more script. */
const SCRIPTS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Arabic',
  'Hebrew',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Thai',
  'Lao',
  'Khmer',
  'Myanmar',
  'Georgian',
  'Armenian',
  'Ethiopic',
  'Hangul',
  'Han',
  'Hiragana',
  'Katakana',
].map((name) => [name, new RegExp(String.raw`[\p{Script=${name}}&&\p{L}]`, 'gv')] as const);
const OTHER = 'other';
const ONLY_LATIN = /^[\p{Script=Latin}\P{L}]*$/u;
const LETTER = /\p{L}/gu;
/** Letters are counted in the first part of a text. UTF-16 units. */
const MAX_CHARACTERS = 20_000;

/** The share of each script among the letters of a text; empty if it has none. */
export function scriptsOf(text: string): ReadonlyMap<string, number> {
  const read = text.slice(0, MAX_CHARACTERS);
  const letters = count(read, LETTER);
  if (letters === 0) return new Map();
  if (ONLY_LATIN.test(read)) return new Map([['Latin', 1]]);
  const shares = new Map<string, number>();
  let rest = letters;
  for (const [name, pattern] of SCRIPTS) {
    const own = count(read, pattern);
    if (own === 0) continue;
    shares.set(name, own / letters);
    rest -= own;
  }
  if (rest > 0) shares.set(OTHER, rest / letters);
  return shares;
}

function count(text: string, pattern: RegExp): number {
  let found = 0;
  for (const _ of text.matchAll(pattern)) found += 1;
  return found;
}
