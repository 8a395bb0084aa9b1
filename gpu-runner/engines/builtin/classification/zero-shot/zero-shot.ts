import type { WordTable } from '../../word-table/word-table.js';
import { isDefault, meansNone } from './default-labels.js';
import { labelMeanings, type LabelWords } from './label-meanings.js';
import { MAX_DESCRIPTION_CHARACTERS, wordsOfLabel } from './label-names.js';
import { MAX_CHARACTERS } from '../terms/terms.js';
import { wordsOf } from '../terms/words.js';

/**
 * Classification without training: a label's confidence depends on how many of its own words, or of those of a concept
 * that it names, occur in the text, and on the similarity of its name and the text. Weak evidence, so no confidence
 * exceeds `MAX_CONFIDENCE`, and callers mark such answers.
 */

/**
 * Above a usual threshold of .5, so that plain evidence counts, and well below the confidence of a trained head that is
 * certain.
 */
const MAX_CONFIDENCE = 0.6;
/** Confidence of a single choice without any evidence. */
const GROUNDLESS = 0.1;
/**
 * Weight of a cosine of meanings, relative to 2 for a word of the label in the text. Chosen on training rows of
 * BANKING77 and SNIPS.
 */
const MEANING = 4;

/** Weight of words shared with a description, relative to those shared with a name. Chosen likewise. */
const DESCRIBED = 0.5;

/** Looks up the words for a label, in lower case; null when the label names no concept. */
type ConceptLookup = (label: string) => ReadonlySet<string> | null;

/**
 * @param multiLabel false: confidences share out one choice, without evidence the likely default ("other",
 *   "neutral") or, as there is no telling, any of them; true: each label for itself, by words only
 * @param table vectors of words; null if the base model has none
 * @param descriptions of some of the labels
 * @returns a function from a text to one confidence for each label, 0 to `MAX_CONFIDENCE`
 */
export function zeroShotClassifier(
  labels: readonly string[],
  multiLabel: boolean,
  conceptOf: ConceptLookup,
  table: WordTable | null,
  descriptions: ReadonlyMap<string, string> = new Map(),
): (text: string) => Float64Array {
  const names = labels.map(nameStems);
  const telling = distinctiveness(names);
  const concepts = labels.map((label) => (meansNone(label) ? null : conceptOf(label)));
  const unfounded = groundlessChoice(labels);
  const described = labels.map((label) =>
    wordsOf((descriptions.get(label) ?? '').slice(0, MAX_DESCRIPTION_CHARACTERS)),
  );
  const shared = sharedWith(described.map(contentStems));
  const meanings =
    multiLabel || table === null
      ? null
      : labelMeanings(
          labels.map((label, at) => meaningOf(label, described[at]!)),
          table,
        );
  return (text) => {
    const { stems, longStems, asserted, vector } = readingOf(text, table);
    const evidence = Float64Array.from(names, (name, index) => {
      const hits = countHits(asserted, concepts[index]!);
      // A concept found by one word of a longer label ("account" in "terminate account") is weaker evidence for it.
      const trust = name.length > 1 ? 0.5 : 1;
      const named = 1.5 * coverage(name, { stems, longStems }, telling) + trust * Math.log1p(hits);
      return named + DESCRIBED * shared(index, stems);
    });
    if (multiLabel) return evidence.map((strength) => MAX_CONFIDENCE * (1 - Math.exp(-1.5 * strength)));
    const near = vector && meanings?.(vector);
    if (!near && evidence.every((strength) => strength === 0)) return unfounded(text);
    const weights = evidence.map((strength, index) => Math.exp(2 * strength + MEANING * (near?.[index] ?? 0)));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => (MAX_CONFIDENCE * weight) / total);
  };
}

function countHits(words: ReadonlySet<string>, concept: ReadonlySet<string> | null): number {
  let hits = 0;
  if (concept !== null) for (const word of concept) if (words.has(word)) hits++;
  return hits;
}

/**
 * Share of a label's words that occur in the text, weighted by how well each distinguishes this label from the others.
 */
function coverage(name: readonly string[], stems: Stems, telling: ReadonlyMap<string, number>): number {
  let found = 0;
  let total = 0;
  for (const word of name) {
    const weight = telling.get(word)!;
    found += weight * bestMatch(word, stems);
    total += weight;
  }
  return total === 0 ? 0 : found / total;
}

/** Inverse frequency of the words among the labels: of 77 labels about cards, "card" is in many. */
function distinctiveness(names: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  const frequency = new Map<string, number>();
  for (const word of names.flatMap((name) => [...new Set(name)])) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  return new Map([...frequency].map(([word, count]) => [word, Math.log(1 + names.length / count)]));
}

/** The words of a label's name and its description; for a default label, those of the description alone. */
function meaningOf(label: string, description: readonly string[]): LabelWords {
  const name = isDefault(label) ? [] : wordsOf(wordsOfLabel(label).toLowerCase());
  return { words: [...name, ...description], isDefault: isDefault(label) };
}

/**
 * @param descriptions the stems of each
 * @returns a function from a label's index and the stems of a text to how much they share, as a cosine: 0 if nothing is
 */
function sharedWith(
  descriptions: readonly (readonly string[])[],
): (label: number, stems: ReadonlySet<string>) => number {
  const telling = distinctiveness(descriptions);
  const weighted = descriptions.map((stems) => {
    const weights = new Map(stems.map((each) => [each, telling.get(each)!]));
    return { weights, length: Math.hypot(...weights.values()) };
  });
  return (label, stems) => {
    const { weights, length } = weighted[label]!;
    let sum = 0;
    for (const [each, weight] of weights) if (stems.has(each)) sum += weight;
    return length === 0 ? 0 : sum / length;
  };
}

/** Empty for a label that means "none of these": "the other day" is no evidence for "other". */
const nameStems = (label: string): string[] => (meansNone(label) ? [] : contentStems(wordsOf(wordsOfLabel(label))));

function contentStems(words: readonly string[]): string[] {
  const content = words.filter((word) => !STOP_WORDS.has(word));
  return (content.length > 0 ? content : words).map(stem);
}

/** "not good", "never very helpful", "isn't good": such words speak for no concept. */
function isNegated(words: readonly string[], index: number): boolean {
  return words.slice(Math.max(0, index - 2), index).some((word) => NEGATIONS.has(word)) || isContracted(words, index);
}

/** "isn't" is cut into "isn" and "t". */
function isContracted(words: readonly string[], index: number): boolean {
  const before = words.slice(Math.max(0, index - 3), index);
  return before.some((word, at) => word === 't' && at > 0 && before[at - 1]!.endsWith('n'));
}

/** 1 for the same stem, less for a shared beginning of at least five letters ("refund", "refundable"). */
function bestMatch(word: string, { stems, longStems }: Stems): number {
  if (stems.has(word)) return 1;
  if (word.length < MIN_BEGINNING) return 0;
  if (longStems[placeOf(word, longStems)]?.startsWith(word)) return 0.7;
  for (let length = MIN_BEGINNING; length < word.length; length++) if (stems.has(word.slice(0, length))) return 0.7;
  return 0;
}

/** Number of words that come before one, in order. */
function placeOf(word: string, sorted: readonly string[]): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < word) low = middle + 1;
    else high = middle;
  }
  return low;
}

const MIN_BEGINNING = 5;

/**
 * Confidences for a text without evidence for any label: the likely default ("other"), or one by the text's hash.
 * Choosing always the first label would be wrong in the same way for every text, and worse than chance if that label is
 * rare.
 */
function groundlessChoice(labels: readonly string[]): (text: string) => Float64Array {
  const confidence = Math.min(GROUNDLESS, 1 / labels.length);
  const fallback = labels.findIndex(isDefault);
  const sorted = labels.toSorted();
  return (text) => {
    const chosen = fallback >= 0 ? fallback : labels.indexOf(sorted[hashOf(text) % sorted.length]!);
    return Float64Array.from(labels, (_, index) => (index === chosen ? confidence : confidence / 2));
  };
}

/** FNV-1a over UTF-16 units, its high bits mixed into the low ones. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < Math.min(text.length, MAX_CHARACTERS); at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

const NEGATIONS = new Set(['not', 'no', 'never', 'without', 'hardly', 'cannot']);
const STOP_WORDS = new Set(['a', 'an', 'the', 'of', 'and', 'or', 'to', 'in', 'on', 'for', 'is', 'my', 'about', 'with']);

interface Stems {
  readonly stems: ReadonlySet<string>;
  /** Stems of at least `MIN_BEGINNING` letters, sorted. */
  readonly longStems: readonly string[];
}

interface Reading extends Stems {
  readonly text: string;
  readonly table: WordTable | null;
  /** Null if the table knows none of the words. */
  readonly vector: Float32Array | null;
  /** The words that are not negated. */
  readonly asserted: ReadonlySet<string>;
}

/** Reading of the last text, kept because a request may have a thousand tasks. */
let lastReading: Reading | undefined;

function readingOf(text: string, table: WordTable | null): Reading {
  if (lastReading?.text === text && lastReading.table === table) return lastReading;
  const words = wordsOf(text);
  const stems = new Set(words.map(stem));
  const longStems = [...stems].filter(({ length }) => length >= MIN_BEGINNING).sort();
  const asserted = new Set(words.filter((_, index) => !isNegated(words, index)));
  return (lastReading = { text, table, stems, longStems, asserted, vector: table && table.textVector(words) });
}

/** A word without a common English ending: crude, but the same for label and text. */
export function stem(word: string): string {
  for (const ending of ENDINGS)
    if (word.length - ending.length >= MIN_STEM && word.endsWith(ending)) return word.slice(0, -ending.length);
  return word;
}

/** Longest first. */
const ENDINGS = ['ings', 'ing', 'ies', 'ed', 'es', 'ly', 's', 'y', 'e'];
const MIN_STEM = 3;
