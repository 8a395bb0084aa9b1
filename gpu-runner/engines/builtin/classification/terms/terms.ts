/**
 * The terms of a text: single words, word pairs, and character runs of 3 to 5 within a word and its edges, as 64-bit hashes.
 * Words carry the meaning; character runs stand in for stemming and survive misspelling (Joulin et al. 2017 use the same mix).
 * Scripts that set no blanks between words have a whole clause for a word; their words are runs of one and two characters.
 */

import { composed } from '#primitives/text/composed.js';

/**
 * Raised with any change to the hashes of the terms of a text, or to their kinds' weights. Terms of a new kind do not
 * change it: an earlier vocabulary has none of them.
 */
export const TERMS_VERSION = 1;

/**
 * Texts are read up to here; the evidence for a class is early in the text, and a row of a megabyte must not stall a
 * server.
 */
export const MAX_CHARACTERS = 20_000;

const PATTERN = /[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu;
const MIN_RUN = 3;
const MAX_RUN = 5;

/** Whether a text contains more than white space after the part that is read. */
export const isBeyondReading = (text: string): boolean =>
  text.length > MAX_CHARACTERS && /\S/u.test(text.slice(MAX_CHARACTERS));

/** Called with the two halves of a term's hash and the weight of its kind. */
type TermVisitor = (high: number, low: number, weight: number) => void;

/** Character runs are many and overlap; at less than a word's weight they do not drown the words. */
const RUN_WEIGHT = 0.7;

/** Calls `visit` for each occurrence of each term. Without regard to case; NFC. */
export function visitTerms(text: string, visit: TermVisitor): void {
  const normal = composed(text.slice(0, MAX_CHARACTERS)).toLowerCase();
  let previousHigh = 0;
  let previousLow = 0;
  let first = true;
  for (const [word] of normal.matchAll(PATTERN)) {
    let high = SEED_HIGH;
    let low = SEED_LOW;
    for (let i = 0; i < word.length; i++) {
      const unit = word.charCodeAt(i);
      high = Math.imul(high ^ unit, PRIME_HIGH);
      low = Math.imul(low ^ unit, PRIME_LOW);
    }
    visit(mix(high), mix(low), 1);
    if (!first) visit(mix(Math.imul(previousHigh, PAIR_HIGH) ^ high), mix(Math.imul(previousLow, PAIR_LOW) ^ low), 1);
    previousHigh = high;
    previousLow = low;
    first = false;
    visitCharacterRuns(word, visit);
    if (WITHOUT_BLANKS.test(word)) visitShortRuns(word, visit);
  }
}

const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Single characters and pairs, without edges: there is no word to begin or end. */
function visitShortRuns(word: string, visit: TermVisitor): void {
  for (let i = 0; i < word.length; i++) {
    let high = SEED_HIGH ^ SHORT_KIND;
    let low = SEED_LOW ^ SHORT_KIND;
    for (let end = i; end < word.length && end < i + 2; end++) {
      const unit = word.charCodeAt(end);
      high = Math.imul(high ^ unit, PRIME_HIGH);
      low = Math.imul(low ^ unit, PRIME_LOW);
      visit(mix(high), mix(low), 1);
    }
  }
}

const EDGE = 0x20;

function visitCharacterRuns(word: string, visit: TermVisitor): void {
  const length = word.length + 2;
  const unitAt = (i: number) => (i === 0 || i === length - 1 ? EDGE : word.charCodeAt(i - 1));
  for (let start = 0; start + MIN_RUN <= length; start++) {
    let high = SEED_HIGH ^ CHARACTER_KIND;
    let low = SEED_LOW ^ CHARACTER_KIND;
    for (let end = start; end < length && end - start < MAX_RUN; end++) {
      const unit = unitAt(end);
      high = Math.imul(high ^ unit, PRIME_HIGH);
      low = Math.imul(low ^ unit, PRIME_LOW);
      if (end - start + 1 >= MIN_RUN) visit(mix(high), mix(low), RUN_WEIGHT);
    }
  }
}

/** FNV-1a over UTF-16 units in two lanes with unlike primes; each lane is finished by the mixer of MurmurHash3. */
const SEED_HIGH = 0x811c9dc5;
const SEED_LOW = 0x2f0b4c47;
const PRIME_HIGH = 0x01000193;
const PRIME_LOW = 0x5bd1e995;
const PAIR_HIGH = 0x9e3779b1;
const PAIR_LOW = 0x85ebca6b;
const CHARACTER_KIND = 0x3c6ef372;
const SHORT_KIND = 0x5bd1e995;

function mix(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
