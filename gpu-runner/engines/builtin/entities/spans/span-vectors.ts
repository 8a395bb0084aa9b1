import { ArtifactError } from '../../../engine.js';
import type { HeadState } from '../../head.js';
import type { ScoredSpan } from '../lattice/segments.js';
import { joinStates, numbersOf, partOfState } from '../states.js';
import { loadVectorScorer, vectorState } from '../weights/vector-scorer.js';
import { addVectorProducts } from '../weights/vector-weights.js';
import { candidatesOf, type SpanCandidate } from './candidates.js';

/** Vectors in a span's vector: the mean of its tokens' vectors, that of the token before, and that of the token after. */
export const SPAN_PARTS = 3;

/**
 * Weights of the vectors of spans, which correct what the lattice says of a span as a whole: its tags are scored token by token, so that
 * they often find the right span under a wrong label. The probabilities of the labels, and of none, become
 * softmax(slope * log of the lattice's + scores of the span's vector + bias), a stack of two models (Wolpert 1992).
 */
export class SpanVectors {
  private sums = new Float64Array(0);

  /** @param bias [labels + 1] @param weights [(labels + 1) * parts, dimensions] */
  constructor(
    readonly slope: number,
    readonly bias: Float32Array,
    readonly weights: Float32Array,
    readonly dimensions: number,
  ) {}

  /**
   * The likely segments of a lattice, with one label for each span and corrected probabilities.
   * @param vectors [n, dimensions] of the tokens
   */
  rescore(segments: readonly ScoredSpan[], vectors: Float32Array, n: number): ScoredSpan[] {
    if (segments.length === 0) return [];
    const labels = this.bias.length - 1;
    this.read(vectors, n);
    return candidatesOf(segments, labels).map((candidate) => {
      const scores = this.scores(candidate, n);
      for (let k = 0; k <= labels; k++) scores[k]! += this.slope * candidate.logs[k]!;
      softmax(scores);
      return likeliest(candidate, scores);
    });
  }

  /** Multiplies the vectors of a segment's tokens with all weights, once for all of its spans. */
  read(vectors: Float32Array, n: number): void {
    const { weights, dimensions } = this;
    const size = (n * weights.length) / dimensions;
    if (this.sums.length < size) this.sums = new Float64Array(2 * size);
    addVectorProducts(vectors, weights, dimensions, n, this.sums.fill(0, 0, size));
  }

  /** Scores of the vector of a span of the segment read last, and the bias: [labels + 1]. */
  scores({ first, end }: Pick<SpanCandidate, 'first' | 'end'>, n: number): Float64Array {
    const { sums, bias } = this;
    const width = SPAN_PARTS * bias.length;
    return Float64Array.from(bias, (value, k) => {
      let mean = 0;
      for (let token = first; token < end; token++) mean += sums[token * width + SPAN_PARTS * k]!;
      const before = first > 0 ? sums[(first - 1) * width + SPAN_PARTS * k + 1]! : 0;
      const after = end < n ? sums[end * width + SPAN_PARTS * k + 2]! : 0;
      return value + mean / (end - first) + before + after;
    });
  }

  /**
   * The same weights under the labels of a later job, which include these. New labels count as none does, so that their odds against
   * none are the lattice's.
   */
  under(labels: readonly string[], own: readonly string[]): SpanVectors {
    const size = SPAN_PARTS * this.dimensions;
    const none = own.length;
    const sources = [...labels.map((label) => (own.includes(label) ? own.indexOf(label) : none)), none];
    const weights = new Float32Array(sources.length * size);
    sources.forEach((from, to) => weights.set(this.weights.subarray(from * size, (from + 1) * size), to * size));
    return new SpanVectors(
      this.slope,
      Float32Array.from(sources, (from) => this.bias[from]!),
      weights,
      this.dimensions,
    );
  }

  state(): HeadState {
    const { slope, bias, weights, dimensions } = this;
    const vectors = joinStates({ vectors: vectorState(dimensions, weights, null) });
    return {
      config: { slope, ...vectors.config },
      tensors: { bias: { shape: [bias.length], data: bias }, ...vectors.tensors },
    };
  }
}

/** A span under its most probable label. @param probabilities [labels + 1], of none the last */
export function likeliest({ first, end }: SpanCandidate, probabilities: Float64Array): ScoredSpan {
  const labels = probabilities.subarray(0, -1);
  const probability = labels.reduce((most, each) => Math.max(most, each), 0);
  return { first, end, label: labels.indexOf(probability), probability };
}

/** In place. */
export function softmax(scores: Float64Array): void {
  const best = scores.reduce((most, each) => Math.max(most, each), -Infinity);
  let sum = 0;
  for (let k = 0; k < scores.length; k++) sum += scores[k] = Math.exp(scores[k]! - best);
  for (let k = 0; k < scores.length; k++) scores[k]! /= sum;
}

/** @throws ArtifactError when a part is missing or of another size */
export function loadSpanVectors(state: HeadState, dimensions: number, labels: number): SpanVectors {
  const slope = state.config['slope'];
  const bias = numbersOf(state, 'bias', Float32Array);
  const vectors = partOfState(state, 'vectors');
  if (typeof slope !== 'number' || bias.length !== labels + 1 || vectors === null)
    throw new ArtifactError('The weights of spans do not fit the labels.');
  const { weights, out } = loadVectorScorer(vectors, dimensions, SPAN_PARTS * bias.length);
  if (out !== null) throw new ArtifactError('The weights of spans do not fit the labels.');
  return new SpanVectors(slope, bias, weights, dimensions);
}
