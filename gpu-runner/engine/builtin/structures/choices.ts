import { composed } from '#primitives/text/composed.js';

/** A choice, and how like the text it is: 0 to 1. */
export interface NearestChoice {
  readonly choice: string;
  readonly likeness: number;
}

/**
 * The choice of a closed vocabulary that a value in a text stands for: by shared words ("business" for "business class") and
 * runs of three characters ("Buisness"); the first of equals.
 */
export function nearestChoice(value: string, choices: readonly string[]): NearestChoice | null {
  const written = plain(value);
  let best: NearestChoice | null = null;
  for (const choice of choices) {
    const likeness = likenessOf(written, plain(choice));
    if (likeness > (best?.likeness ?? 0)) best = { choice, likeness };
  }
  return best;
}

const plain = (text: string): string =>
  composed(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

function likenessOf(a: string, b: string): number {
  if (a === b) return 1;
  const contained = dice(new Set(a.split(' ')), new Set(b.split(' ')));
  return Math.max(contained, dice(runsOf(a), runsOf(b)));
}

/** Runs of three characters, with a blank at either end. */
function runsOf(text: string): Set<string> {
  const padded = ` ${text} `;
  return new Set(Array.from({ length: Math.max(1, padded.length - 2) }, (_, at) => padded.slice(at, at + 3)));
}

/** Dice's coefficient: twice what both have, of what each has. */
function dice(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const each of a) if (b.has(each)) shared += 1;
  return (2 * shared) / (a.size + b.size);
}
