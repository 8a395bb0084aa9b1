import { ArtifactError, type Example } from '../../engine.js';
import type { Steps } from '../../steps.js';
import { MAX_VECTOR_TOKENS } from '../limits.js';
import type { HeadState } from '../head.js';
import type { TextEncoder } from '../text-encoder.js';
import { segmentTokens } from '../text/segments.js';
import type { Token } from '#primitives/text/tokens.js';
import { numbersOf } from './states.js';

/** Tokens from which mean and deviation are computed. */
const MAX_FITTED_TOKENS = 20_000;
/** Stored steps per deviation: the range is four deviations, and larger numbers add no information. */
const STEPS = 32;
const MAX_STEPS = 127;

/**
 * The rows whose words are read by their vectors: all of them, or an even spread of as many as memory allows.
 * @returns for each row whether it is one
 */
export function rowsWithVectors(rows: readonly Example[], most = MAX_VECTOR_TOKENS): readonly boolean[] {
  const tokens = rows.map(({ text }) => [...segmentTokens(text)].reduce((sum, segment) => sum + segment.length, 0));
  const total = tokens.reduce((sum, count) => sum + count, 0);
  if (total <= most) return rows.map(() => true);
  let [seen, taken] = [0, 0];
  return tokens.map((count) => {
    seen += count;
    // A row is taken if the tokens taken so far stay within their share of those seen.
    const fits = taken + count <= (seen * most) / total;
    if (fits) taken += count;
    return fits;
  });
}

/**
 * An encoder's vectors of words, each number with mean 0 and deviation 1 over words of the training, in 8 bits: numbers of
 * pretrained encoders differ in size by some hundred times.
 */
export class WordVectors {
  /** @param mean [dimensions] @param scale [dimensions]: one through the deviation */
  private constructor(
    private readonly encoder: TextEncoder,
    private readonly mean: Float32Array,
    private readonly scale: Float32Array,
  ) {}

  get dimensions(): number {
    return this.encoder.wordDimensions;
  }

  /** @param segments of the training; the first 20,000 tokens count */
  static *fit(encoder: TextEncoder, segments: Iterable<readonly Token[]>): Steps<WordVectors> {
    const dimensions = encoder.wordDimensions;
    const read: Float32Array[] = [];
    let count = 0;
    for (const tokens of segments) {
      if (count >= MAX_FITTED_TOKENS) break;
      read.push(encoder.words(textsOf(tokens)));
      count += tokens.length;
      yield;
    }
    const meanOf = (numberOf: (value: number, d: number) => number): Float64Array => {
      const mean = new Float64Array(dimensions);
      for (const vectors of read)
        for (let at = 0; at < vectors.length; at++) {
          const d = at % dimensions;
          mean[d]! += numberOf(vectors[at]!, d) / count;
        }
      return mean;
    };
    const mean = meanOf((value) => value);
    const square = meanOf((value, d) => (value - mean[d]!) ** 2);
    // A number that is constant in training carries no information, and must stay bounded when it changes later.
    const scale = square.map((value) => (value < 1e-12 ? 0 : 1 / Math.sqrt(value)));
    return new WordVectors(encoder, Float32Array.from(mean), Float32Array.from(scale));
  }

  /** @throws ArtifactError when the state was made with other vectors than the encoder's */
  static load(state: HeadState, encoder: TextEncoder | null): WordVectors {
    const of = state.config['of'];
    if (encoder === null || of !== encoder.wordVectors)
      throw new ArtifactError(
        `The adapter reads vectors of words (${JSON.stringify(of)}); the base model has ${encoder?.wordVectors ?? 'none'}.`,
      );
    const mean = numbersOf(state, 'mean', Float32Array);
    const scale = numbersOf(state, 'scale', Float32Array);
    if (mean.length !== encoder.wordDimensions || scale.length !== encoder.wordDimensions)
      throw new ArtifactError('The adapter has vectors of words of another length.');
    return new WordVectors(encoder, mean, scale);
  }

  /** Row-major [tokens, dimensions], to be read by `readVectors`. */
  of(tokens: readonly Token[]): Int8Array {
    const { mean, scale, dimensions } = this;
    const vectors = this.encoder.words(textsOf(tokens));
    const steps = new Int8Array(vectors.length);
    for (let at = 0; at < vectors.length; at++) {
      const d = at % dimensions;
      const value = Math.round(STEPS * (vectors[at]! - mean[d]!) * scale[d]!);
      steps[at] = Math.max(-MAX_STEPS, Math.min(MAX_STEPS, value));
    }
    return steps;
  }

  state(): HeadState {
    const shape = [this.dimensions];
    return {
      config: { of: this.encoder.wordVectors },
      tensors: { mean: { shape, data: this.mean }, scale: { shape, data: this.scale } },
    };
  }
}

/**
 * Decodes stored numbers.
 * @param to receives them; at least as long
 */
export function readVectors(stored: Int8Array, from: number, length: number, to: Float32Array): void {
  for (let at = 0; at < length; at++) to[at] = stored[from + at]! / STEPS;
}

/** Adds `factor` times a token's stored vector to `to`, from `at` on. */
export function addVector(
  stored: Int8Array,
  token: number,
  dimensions: number,
  factor: number,
  to: Float32Array,
  at: number,
): void {
  const step = factor / STEPS;
  const from = token * dimensions;
  for (let d = 0; d < dimensions; d++) to[at + d]! += step * stored[from + d]!;
}

const textsOf = (tokens: readonly Token[]): string[] => tokens.map((token) => token.text);
