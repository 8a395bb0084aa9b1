import { detached } from '../features/word.js';
import { readLexicon, type Lexicon } from './lexicon.js';
import { addFeature, addSparseFeature, DIMENSIONS, normalize } from './projection.js';
import { stemOf } from './stem.js';

interface WordVector {
  /** Direction of the vector, of length 1. */
  readonly direction: Float32Array;
  /** Weight of the word in the topic of a text, 0 to 1. */
  readonly weight: number;
}

/** Lengths of a word's features and weights of words: chosen on the development part of test/quality/sentence-pairs.json. */
const MEANING = 2;
const STEM = 0.5;
const CHARACTERS = 0.5;
const COMMON_WORD = 0.6;
const FUNCTION_WORD = 0.15;
const SIGN = 0.05;

/** 20 MB. */
const MAX_CACHED = 20_000;
/** Characters of a word that are read; the rest is ignored. */
const MAX_CHARACTERS = 48;
const MIN_RUN = 3;
const MAX_RUN = 5;

/** Vectors of single words. */
export class CompactWordVectors {
  private readonly known = new Map<string, WordVector>();
  private readonly lexicon = readLexicon();

  /** @param word in lower case, NFKC */
  of(word: string): WordVector {
    const cut = word.slice(0, MAX_CHARACTERS);
    let vector = this.known.get(cut);
    if (!vector) {
      if (this.known.size >= MAX_CACHED) this.known.clear();
      vector = { direction: directionOf(cut, this.lexicon), weight: weightOf(cut, this.lexicon) };
      this.known.set(detached(cut), vector);
    }
    return vector;
  }
}

/** The words that mean about the same, the word's stem, and its runs of characters, which forms and misspellings share. */
function directionOf(word: string, { synonyms }: Lexicon): Float32Array {
  const direction = new Float32Array(DIMENSIONS);
  const stem = stemOf(word);
  const groups = synonyms.get(stem) ?? [];
  for (const group of groups) addFeature(direction, `g ${group}`, MEANING / Math.sqrt(groups.length));
  addFeature(direction, `s ${stem}`, STEM);
  const runs = runsOf(word);
  for (const run of runs) addSparseFeature(direction, `c ${run}`, CHARACTERS / Math.sqrt(runs.length));
  normalize(direction);
  return direction;
}

function weightOf(word: string, { functionWords, commonWords }: Lexicon): number {
  if (functionWords.has(word)) return FUNCTION_WORD;
  if (commonWords.has(word)) return COMMON_WORD;
  return /[\p{L}\p{N}]/u.test(word) ? 1 : SIGN;
}

/** Runs of characters of a word between its edges. */
function runsOf(word: string): string[] {
  const edged = `<${word}>`;
  const runs: string[] = [];
  for (let length = MIN_RUN; length <= MAX_RUN; length++)
    for (let at = 0; at + length <= edged.length; at++) runs.push(edged.slice(at, at + length));
  return runs;
}
