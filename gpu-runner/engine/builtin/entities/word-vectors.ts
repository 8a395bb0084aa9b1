import { ArtifactError } from '../../engine.js';
import type { HeadState } from '../head.js';
import type { TextEncoder } from '../text-encoder.js';
import { segmentTokens } from '../text/segments.js';
import type { Token } from '#primitives/text/tokens.js';
import { numbersOf } from './states.js';

/** Tokens whose vectors a training may hold: 4 bytes for each of some hundred numbers, so some hundred megabytes. */
export const MAX_VECTOR_TOKENS = 150_000;

/** Whether training on these texts may hold the vectors of all their words. */
export function vectorsFit(texts: Iterable<string>, most = MAX_VECTOR_TOKENS): boolean {
  let count = 0;
  for (const text of texts) for (const tokens of segmentTokens(text)) if ((count += tokens.length) > most) return false;
  return true;
}

/**
 * An encoder's vectors of words, each number with mean 0 and deviation 1 over the words of the training: numbers of pretrained
 * encoders differ in size by some hundred times.
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

  /** @param vectors of the training's words as the encoder gives them: row-major [words, dimensions] */
  static fit(encoder: TextEncoder, vectors: Float32Array): WordVectors {
    const dimensions = encoder.wordDimensions;
    const count = Math.max(1, vectors.length / dimensions);
    const mean = new Float64Array(dimensions);
    for (let at = 0; at < vectors.length; at++) mean[at % dimensions]! += vectors[at]! / count;
    const square = new Float64Array(dimensions);
    for (let at = 0; at < vectors.length; at++)
      square[at % dimensions]! += (vectors[at]! - mean[at % dimensions]!) ** 2 / count;
    // A number that never changes tells nothing, and may not blow up where it does change.
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

  /** Row-major [tokens, dimensions], in an array of their own. */
  of(tokens: readonly Token[]): Float32Array {
    return this.scaled(this.encoder.words(tokens.map((token) => token.text)).slice());
  }

  /** In place. */
  scaled(vectors: Float32Array): Float32Array {
    const { mean, scale, dimensions } = this;
    for (let from = 0; from < vectors.length; from += dimensions)
      for (let d = 0; d < dimensions; d++) vectors[from + d] = (vectors[from + d]! - mean[d]!) * scale[d]!;
    return vectors;
  }

  state(): HeadState {
    const shape = [this.dimensions];
    return {
      config: { of: this.encoder.wordVectors },
      tensors: { mean: { shape, data: this.mean }, scale: { shape, data: this.scale } },
    };
  }
}
