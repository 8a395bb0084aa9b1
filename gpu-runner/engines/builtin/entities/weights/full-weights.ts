import { stepWeight } from '../../adagrad.js';
import type { HeadState } from '../../head.js';
import { joinStates, partOfState } from '../states.js';
import { addVectorProducts, VectorWeights } from './vector-weights.js';
import { SparseRows, type ActiveFeatures, type EmissionWeights } from './weights.js';

/** Rate at the default learning rate. */
const TUNED_RATE = 0.1;

/** A weight for each feature and tag, learned with AdaGrad. */
export class FullWeights implements EmissionWeights {
  /** [features, tags]; @internal to this folder */
  readonly weights: Float32Array;
  private readonly squares: Float32Array;
  private readonly rows: SparseRows;
  private readonly live: Int32Array;

  /** @param decay decoupled weight decay per unit of rate, on the weights a step touches */
  constructor(
    readonly features: number,
    readonly tags: number,
    private readonly decay: number,
    private readonly initialSquare: number,
    readonly vectors: VectorWeights | null = null,
  ) {
    this.weights = new Float32Array(features * tags);
    this.squares = new Float32Array(features * tags);
    this.rows = new SparseRows(features, tags);
    this.live = new Int32Array(tags);
  }

  /** The means of the weights of equal features, tags and dimensions, to score with. */
  static mean(all: readonly FullWeights[]): FullWeights {
    const { features, tags, vectors } = all[0]!;
    const mean = new FullWeights(features, tags, 0, 0, vectors && new VectorWeights(tags, vectors.dimensions, 0));
    for (const { weights, vectors: own } of all) {
      weights.forEach((weight, at) => (mean.weights[at]! += weight / all.length));
      own?.weights.forEach((weight, at) => (mean.vectors!.weights[at]! += weight / all.length));
    }
    return mean;
  }

  score({ offsets, features, value, vectors }: ActiveFeatures, n: number, scores: Float64Array): void {
    const { tags, weights } = this;
    for (let i = 0; i < n; i++) {
      const row = i * tags;
      scores.fill(0, row, row + tags);
      for (let k = offsets[i]!; k < offsets[i + 1]!; k++) {
        const from = features[k]! * tags;
        for (let tag = 0; tag < tags; tag++) scores[row + tag]! += weights[from + tag]!;
      }
      if (value !== 1) for (let tag = 0; tag < tags; tag++) scores[row + tag]! *= value;
    }
    if (this.vectors) addVectorProducts(vectors!, this.vectors.weights, this.vectors.dimensions, n, scores);
  }

  accumulate({ offsets, features, value, vectors }: ActiveFeatures, n: number, gradient: Float64Array): void {
    const { tags } = this;
    const live = this.live;
    for (let i = 0; i < n; i++) {
      const row = i * tags;
      let lives = 0;
      for (let tag = 0; tag < tags; tag++) if (gradient[row + tag] !== 0) live[lives++] = tag;
      if (lives === 0) continue;
      this.vectors?.accumulate(vectors!, i, gradient, row, 1);
      for (let k = offsets[i]!; k < offsets[i + 1]!; k++) {
        const at = this.rows.slot(features[k]!);
        const gradients = this.rows.gradients;
        for (let l = 0; l < lives; l++) gradients[at + live[l]!]! += value * gradient[row + live[l]!]!;
      }
    }
  }

  apply(rate: number): void {
    const { tags, weights, initialSquare } = this;
    const squares = this.squares;
    const gradients = this.rows.gradients;
    const step = TUNED_RATE * rate;
    const shrink = 1 - step * this.decay;
    this.rows.drain((row, at) => {
      const to = row * tags;
      for (let tag = 0; tag < tags; tag++) {
        const g = gradients[at + tag]!;
        if (g !== 0) stepWeight(weights, squares, to + tag, g, step, shrink, initialSquare);
      }
    });
    this.vectors?.apply(rate);
  }

  /** Weights and optimiser sums of the entries that are not at rest. */
  saveState(): HeadState {
    let touched = 0;
    for (let i = 0; i < this.weights.length; i++) if (this.squares[i] !== 0 || this.weights[i] !== 0) touched++;
    const index = new Uint32Array(touched);
    const weight = new Float32Array(touched);
    const square = new Float32Array(touched);
    let k = 0;
    for (let i = 0; i < this.weights.length; i++) {
      if (this.squares[i] === 0 && this.weights[i] === 0) continue;
      index[k] = i;
      weight[k] = this.weights[i]!;
      square[k++] = this.squares[i]!;
    }
    const shape = [touched];
    const vectors = joinStates(this.vectors ? { vectors: this.vectors.saveState() } : {});
    return {
      config: vectors.config,
      tensors: {
        index: { shape, data: index },
        weight: { shape, data: weight },
        square: { shape, data: square },
        ...vectors.tensors,
      },
    };
  }

  restoreState(state: HeadState): void {
    const { tensors } = state;
    this.vectors?.restoreState(partOfState(state, 'vectors')!);
    const index = tensors['index']!.data as Uint32Array;
    this.weights.fill(0);
    this.squares.fill(0);
    for (let k = 0; k < index.length; k++) {
      this.weights[index[k]!] = tensors['weight']!.data[k] as number;
      this.squares[index[k]!] = tensors['square']!.data[k] as number;
    }
  }
}
