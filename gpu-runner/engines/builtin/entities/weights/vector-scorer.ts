import { ArtifactError } from '../../../engine.js';
import type { HeadState } from '../../head.js';
import { numbersOf } from '../states.js';
import { addVectorProducts } from './vector-weights.js';

/** Weights of word vectors as served: a row for each tag, or factors. */
export class VectorScorer {
  private hidden = new Float64Array(0);

  /** @param weights [width, dimensions] @param out [width, tags], or null if `width` is the tags */
  constructor(
    readonly dimensions: number,
    readonly weights: Float32Array,
    readonly out: Float32Array | null,
  ) {}

  /** Adds to `scores` [n, tags]. @param vectors [n, dimensions] */
  add(vectors: Float32Array, n: number, tags: number, scores: Float64Array): void {
    const { dimensions, weights, out } = this;
    if (out === null) {
      addVectorProducts(vectors, weights, dimensions, n, scores);
      return;
    }
    const width = weights.length / dimensions;
    if (this.hidden.length < n * width) this.hidden = new Float64Array(n * width);
    const hidden = this.hidden.fill(0, 0, n * width);
    addVectorProducts(vectors, weights, dimensions, n, hidden);
    for (let i = 0; i < n; i++)
      for (let k = 0; k < width; k++) {
        const h = hidden[i * width + k]!;
        for (let tag = 0; tag < tags; tag++) scores[i * tags + tag]! += h * out[k * tags + tag]!;
      }
  }

  /** The weight of a number of the vector for a tag. */
  weight(tag: number, dimension: number, tags: number): number {
    const { dimensions, weights, out } = this;
    if (out === null) return weights[tag * dimensions + dimension]!;
    let sum = 0;
    for (let k = 0; k * dimensions < weights.length; k++)
      sum += weights[k * dimensions + dimension]! * out[k * tags + tag]!;
    return sum;
  }
}

export function vectorState(dimensions: number, weights: Float32Array, out: Float32Array | null): HeadState {
  const width = weights.length / dimensions;
  return {
    config: { factors: out !== null },
    tensors: {
      weights: { shape: [width, dimensions], data: weights.slice() },
      ...(out && { out: { shape: [width, out.length / width], data: out } }),
    },
  };
}

/** @throws ArtifactError when a tensor is missing or of another size */
export function loadVectorScorer(state: HeadState, dimensions: number, tags: number): VectorScorer {
  const weights = numbersOf(state, 'weights', Float32Array);
  const out = state.config['factors'] === true ? numbersOf(state, 'out', Float32Array) : null;
  const width = weights.length / dimensions;
  if (out === null ? width !== tags : out.length !== width * tags)
    throw new ArtifactError('The weights of word vectors do not fit the tags.');
  return new VectorScorer(dimensions, weights, out);
}
