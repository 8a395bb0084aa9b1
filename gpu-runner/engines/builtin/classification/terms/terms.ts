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
export const termsVersion = 1;

/**
 * Texts are read up to here; the evidence for a class is early in the text, and a row of a megabyte must not stall a
 * server.
 */
export const maxCharacters = 20_000;

const pattern = /[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu;
const shortest = 3;
const longest = 5;

/** Whether a text contains more than white space after the part that is read. */
export const isBeyondReading = (text: string): boolean =>
  text.length > maxCharacters && /\S/u.test(text.slice(maxCharacters));

/** Called with the two halves of a term's hash and the weight of its kind. */
type TermVisitor = (high: number, low: number, weight: number) => void;

/** Character runs are many and overlap; at less than a word's weight they do not drown the words. */
const runWeight = 0.7;

/** Calls `visit` for each occurrence of each term. Without regard to case; NFC. */
export function visitTerms(text: string, visit: TermVisitor): void {
  const normal = composed(text.slice(0, maxCharacters)).toLowerCase();
  let previousHigh = 0;
  let previousLow = 0;
  let first = true;
  for (const [word] of normal.matchAll(pattern)) {
    let high = seedHigh;
    let low = seedLow;
    for (let i = 0; i < word.length; i++) {
      const unit = word.charCodeAt(i);
      high = Math.imul(high ^ unit, primeHigh);
      low = Math.imul(low ^ unit, primeLow);
    }
    visit(mix(high), mix(low), 1);
    if (!first) visit(mix(Math.imul(previousHigh, pairHigh) ^ high), mix(Math.imul(previousLow, pairLow) ^ low), 1);
    previousHigh = high;
    previousLow = low;
    first = false;
    visitCharacterRuns(word, visit);
    if (withoutBlanks.test(word)) visitShortRuns(word, visit);
  }
}

const withoutBlanks =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Single characters and pairs, without edges: there is no word to begin or end. */
function visitShortRuns(word: string, visit: TermVisitor): void {
  for (let i = 0; i < word.length; i++) {
    let high = seedHigh ^ shortKind;
    let low = seedLow ^ shortKind;
    for (let end = i; end < word.length && end < i + 2; end++) {
      const unit = word.charCodeAt(end);
      high = Math.imul(high ^ unit, primeHigh);
      low = Math.imul(low ^ unit, primeLow);
      visit(mix(high), mix(low), 1);
    }
  }
}

const edge = 0x20;

function visitCharacterRuns(word: string, visit: TermVisitor): void {
  const length = word.length + 2;
  const unitAt = (i: number) => (i === 0 || i === length - 1 ? edge : word.charCodeAt(i - 1));
  for (let start = 0; start + shortest <= length; start++) {
    let high = seedHigh ^ characterKind;
    let low = seedLow ^ characterKind;
    for (let end = start; end < length && end - start < longest; end++) {
      const unit = unitAt(end);
      high = Math.imul(high ^ unit, primeHigh);
      low = Math.imul(low ^ unit, primeLow);
      if (end - start + 1 >= shortest) visit(mix(high), mix(low), runWeight);
    }
  }
}

/** FNV-1a over UTF-16 units in two lanes with unlike primes; each lane is finished by the mixer of MurmurHash3. */
const seedHigh = 0x811c9dc5;
const seedLow = 0x2f0b4c47;
const primeHigh = 0x01000193;
const primeLow = 0x5bd1e995;
const pairHigh = 0x9e3779b1;
const pairLow = 0x85ebca6b;
const characterKind = 0x3c6ef372;
const shortKind = 0x5bd1e995;

function mix(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
