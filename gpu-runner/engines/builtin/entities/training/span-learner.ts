import type { Random } from '../../random.js';
import type { SpanCandidate } from '../spans/candidates.js';
import { SPAN_PARTS, softmax, SpanVectors } from '../spans/span-vectors.js';
import { addVectorProducts, VectorWeights } from '../weights/vector-weights.js';
import { addVector } from '../word-vectors.js';

/** A candidate in a labelled row. */
export interface LabelledCandidate extends SpanCandidate {
  /** Its label, or the number of labels if it is no entity. */
  readonly gold: number;
  /** Whether the lattice proposed it; false: it is here for its label alone. */
  readonly isLikely: boolean;
}

/** A run of tokens with the spans in it. */
export interface LabelledSegment {
  /** Row-major [tokens, dimensions], as `WordVectors` stores them. */
  readonly vectors: Int8Array;
  readonly tokens: number;
  readonly candidates: readonly LabelledCandidate[];
}

const BATCH = 16;
/** Times that every span is seen, or more if that would be fewer steps. */
const MIN_PASSES = 8;
const MIN_STEPS = 500;
/** Relative to the rate of the vectors of single tokens: the vector of a span has three times their numbers. */
const RATE = 0.35;
/** Errors below this are taken as zero: most labels of most spans are soon out of the question. */
const MIN_ERROR = 1e-3;

/**
 * Learns which label the vector of a span means, whatever the lattice thinks of it: a multinomial logistic regression over the labels
 * and none.
 * @returns vectors that score a span by themselves, with the logarithms of the shares of the classes as bias
 */
export function learnSpans(
  segments: readonly LabelledSegment[],
  dimensions: number,
  labels: number,
  random: Random,
): SpanVectors {
  const spans = segments.flatMap((segment) => segment.candidates.map((candidate) => ({ segment, candidate })));
  const width = SPAN_PARTS * dimensions;
  const learned = new VectorWeights(labels + 1, width, 0);
  const counts = new Float32Array(labels + 1).fill(1);
  for (const { candidate } of spans) counts[candidate.gold]! += 1;
  const bias = counts.map((count) => Math.log(count / (spans.length + labels + 1)));
  const order = Uint32Array.from(spans.keys());
  const vector = new Float32Array(width);
  const scores = new Float64Array(labels + 1);
  const steps = Math.max(MIN_STEPS, MIN_PASSES * Math.ceil(order.length / BATCH));
  for (
    let step = 0, from = 0;
    step < steps && order.length > 0;
    step++, from = from + BATCH < order.length ? from + BATCH : 0
  ) {
    if (from === 0) random.shuffle(order);
    for (const index of order.subarray(from, from + BATCH)) {
      const { segment, candidate } = spans[index]!;
      readSpanVector(segment, candidate, dimensions, vector);
      scores.set(bias);
      addVectorProducts(vector, learned.weights, width, 1, scores);
      softmax(scores);
      for (let k = 0; k <= labels; k++) {
        const error = (k === candidate.gold ? 1 : 0) - scores[k]!;
        scores[k] = Math.abs(error) < MIN_ERROR ? 0 : error;
      }
      learned.accumulate(vector, 0, scores, 0, 1);
    }
    learned.apply(RATE * (1 - step / steps));
  }
  return new SpanVectors(0, bias, learned.weights, dimensions);
}

/** Writes the vector of a span, [parts * dimensions]; zeros beyond the edges of the segment. */
function readSpanVector(
  { vectors, tokens }: LabelledSegment,
  { first, end }: LabelledCandidate,
  dimensions: number,
  to: Float32Array,
): void {
  to.fill(0);
  for (let token = first; token < end; token++) addVector(vectors, token, dimensions, 1 / (end - first), to, 0);
  if (first > 0) addVector(vectors, first - 1, dimensions, 1, to, dimensions);
  if (end < tokens) addVector(vectors, end, dimensions, 1, to, 2 * dimensions);
}
