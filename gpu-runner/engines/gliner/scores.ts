import type { GlinerConfig } from '#models/imported/index.js';
import { RefusedSchemaError } from '../encoder-engine.js';
import { ArtifactError } from '../engine.js';
import type { Output } from '../packs/session.js';

/** A span that may be an entity. */
export interface Candidate {
  /** Words, end exclusive. */
  readonly start: number;
  readonly end: number;
  /** Index of its label. */
  readonly label: number;
  /** 0 to 1. */
  readonly confidence: number;
}

/** Candidates of a call's text at most: they are sorted, and each is compared with the chosen ones. */
export const MAX_CANDIDATES = 100_000;

/**
 * The spans of one window whose confidence reaches the threshold of their label.
 * @param words number of words in the window
 * @param thresholds one for each label
 * @throws ArtifactError when the output has another shape, or is no numbers
 * @throws RefusedSchemaError when there are too many
 */
export function candidatesIn(
  output: Output,
  words: number,
  thresholds: readonly number[],
  { mode, maxWidth }: GlinerConfig,
): readonly Candidate[] {
  if (output.data.some(Number.isNaN)) throw new ArtifactError('the graph gives scores that are not numbers');
  const found: Candidate[] = [];
  const add = (candidate: Candidate) => {
    found.push(candidate);
    requireFew(found.length);
  };
  if (mode === 'span') addSpans(output, words, thresholds, maxWidth, add);
  else addTokenSpans(output, words, thresholds, add);
  return found;
}

/** @throws RefusedSchemaError */
export function requireFew(candidates: number): void {
  if (candidates > MAX_CANDIDATES)
    throw new RefusedSchemaError(
      `\`threshold\` must be higher for these labels and texts: more than ${MAX_CANDIDATES} spans of a text reach it`,
    );
}

type Add = (candidate: Candidate) => void;

/** @param output [1, words, widths, labels] */
function addSpans(
  { data, dims }: Output,
  words: number,
  thresholds: readonly number[],
  widths: number,
  add: Add,
): void {
  requireShape(dims, [1, words, widths, thresholds.length]);
  let at = 0;
  for (let start = 0; start < words; start++)
    for (let width = 1; width <= widths; width++)
      for (const [label, threshold] of thresholds.entries()) {
        const confidence = sigmoid(data[at++]!);
        const end = start + width;
        if (confidence >= threshold && end <= words) add({ start, end, label, confidence });
      }
}

/**
 * A span is as certain as the least certain of its start, its end and all words in it.
 * @param output [1, words, labels, 3], or [3, 1, words, labels] as older versions of the package export it
 */
function addTokenSpans({ data, dims }: Output, words: number, thresholds: readonly number[], add: Add): void {
  const labels = thresholds.length;
  const isOld = dims[0] === 3;
  requireShape(dims, isOld ? [3, 1, words, labels] : [1, words, labels, 3]);
  const scoreOf = (kind: number, word: number, label: number): number =>
    sigmoid(data[isOld ? (kind * words + word) * labels + label : (word * labels + label) * 3 + kind]!);
  for (const [label, threshold] of thresholds.entries()) {
    const scores = (kind: number) => Float64Array.from({ length: words }, (_, word) => scoreOf(kind, word, label));
    const [starts, ends, insides] = [scores(0), scores(1), scores(2)];
    for (let start = 0; start < words; start++) {
      let least = starts[start]!;
      for (let last = start; last < words && least >= threshold; last++) {
        least = Math.min(least, insides[last]!);
        const confidence = Math.min(least, ends[last]!);
        if (confidence >= threshold) add({ start, end: last + 1, label, confidence });
      }
    }
  }
}

function requireShape(dims: readonly number[], expected: readonly number[]): void {
  if (dims.length !== expected.length || dims.some((size, axis) => size !== expected[axis]))
    throw new ArtifactError(`the graph gives scores of the shape ${dims.join(' x ')}, not ${expected.join(' x ')}`);
}

const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));
