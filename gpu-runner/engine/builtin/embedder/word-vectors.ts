import { addFeature, DIMENSIONS, normalize } from './projection.js';

export interface WordVector {
  /** Of length 1. */
  readonly direction: Float32Array;
  readonly weight: number;
}

const MOST_CACHED = 20_000;
/** Of a longer word only so many characters are looked at. */
const MOST_CHARACTERS = 48;

/** What single words come to. */
export class WordVectors {
  private readonly known = new Map<string, WordVector>();

  /** @param word in lower case, NFKC */
  of(word: string): WordVector {
    let vector = this.known.get(word);
    if (!vector) {
      if (this.known.size >= MOST_CACHED) this.known.clear();
      this.known.set(word, (vector = made(word.slice(0, MOST_CHARACTERS))));
    }
    return vector;
  }
}

function made(word: string): WordVector {
  const direction = new Float32Array(DIMENSIONS);
  addFeature(direction, `w ${word}`, 1);
  const runs = runsOf(word);
  for (const run of runs) addFeature(direction, `c ${run}`, 1 / Math.sqrt(runs.length));
  normalize(direction);
  return { direction, weight: 1 };
}

/** Runs of 3 to 5 characters of a word between its edges. */
function runsOf(word: string): string[] {
  const edged = `<${word}>`;
  const runs: string[] = [];
  for (let length = 3; length <= 5; length++)
    for (let at = 0; at + length <= edged.length; at++) runs.push(edged.slice(at, at + length));
  return runs;
}
