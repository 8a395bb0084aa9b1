import { wordsOfLabel } from './label-names.js';
import { maxCharacters } from './terms.js';

/**
 * Classification without training: a label is believed as far as its own words, or those of a concept that it names, stand in
 * the text. Surface evidence only, so no confidence exceeds `highest`, and callers mark such answers.
 */

/** Above a usual threshold of .5, so that plain evidence counts, and well below what a trained head says when it is sure. */
const highest = 0.6;
/** Confidence of a single choice without any evidence. */
const groundless = 0.1;

/** Looks up the words that stand for a label, in lower case; null when the label names no concept. */
export type ConceptLookup = (label: string) => ReadonlySet<string> | null;

/**
 * @param multiLabel false: confidences share out one choice, the best first of equals being the likely default ("other",
 *   "neutral"); true: each label for itself
 * @returns one confidence for each label, 0 to `highest`
 */
export function zeroShotConfidences(
  text: string,
  labels: readonly string[],
  multiLabel: boolean,
  conceptOf: ConceptLookup,
): Float64Array {
  const words = wordsOf(text);
  const evidence = Float64Array.from(labels, (label) => evidenceFor(label, words, words.map(stem), conceptOf));
  if (multiLabel) return evidence.map((strength) => highest * (1 - Math.exp(-1.5 * strength)));
  if (evidence.every((strength) => strength === 0)) return groundlessChoice(labels);
  const weights = evidence.map((strength) => Math.exp(2 * strength));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => (highest * weight) / total);
}

/** Share of the label's words found, and the logarithm of how many of its concept's. */
function evidenceFor(
  label: string,
  words: readonly string[],
  stems: readonly string[],
  conceptOf: ConceptLookup,
): number {
  const named = wordsOf(wordsOfLabel(label)).filter((word) => !stopWords.has(word));
  const found = named.reduce((sum, word) => sum + bestMatch(stem(word), stems), 0);
  const coverage = named.length === 0 ? 0 : found / named.length;
  const concept = conceptOf(label);
  let hits = 0;
  if (concept !== null) for (const word of new Set(words)) if (concept.has(word)) hits++;
  return 1.5 * coverage + Math.log1p(hits);
}

/** 1 for the same stem, less for a shared beginning of at least five letters ("refund", "refundable"). */
function bestMatch(word: string, words: readonly string[]): number {
  if (words.includes(word)) return 1;
  const near = words.some(
    (other) => word.length >= 5 && other.length >= 5 && (other.startsWith(word) || word.startsWith(other)),
  );
  return near ? 0.7 : 0;
}

function groundlessChoice(labels: readonly string[]): Float64Array {
  const confidence = Math.min(groundless, 1 / labels.length);
  const fallback = labels.findIndex((label) => defaultLabels.has(wordsOfLabel(label).toLowerCase()));
  return Float64Array.from(labels, (_, index) => (index === Math.max(0, fallback) ? confidence : confidence / 2));
}

const defaultLabels = new Set([
  'other',
  'others',
  'none',
  'neutral',
  'misc',
  'miscellaneous',
  'general',
  'unknown',
  'no',
]);
const stopWords = new Set(['a', 'an', 'the', 'of', 'and', 'or', 'to', 'in', 'on', 'for', 'is', 'my', 'about', 'with']);

function wordsOf(text: string): string[] {
  return (
    text
      .slice(0, maxCharacters)
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

/** A word without a common English ending: crude, but the same for label and text. */
export function stem(word: string): string {
  for (const ending of endings)
    if (word.length - ending.length >= shortestStem && word.endsWith(ending)) return word.slice(0, -ending.length);
  return word;
}

/** Longest first. */
const endings = ['ings', 'ing', 'ies', 'ed', 'es', 'ly', 's', 'y', 'e'];
const shortestStem = 3;
