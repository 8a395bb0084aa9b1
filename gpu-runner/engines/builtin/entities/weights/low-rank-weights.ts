import { stepWeight } from '../../adagrad.js';
import type { HeadState } from '../../head.js';
import type { Random } from '../../random.js';
import { Adam } from './adam.js';
import { joinStates, partOfState } from '../states.js';
import { addVectorProducts, type VectorWeights } from './vector-weights.js';
import { SparseRows, type ActiveFeatures, type EmissionWeights } from './weights.js';

/** Rates at the default learning rate. */
const TUNED_RATE_A = 0.05;
const TUNED_RATE_B = 0.01;
/** Keeps the first AdaGrad steps of a row short. */
const INITIAL_SQUARE = 0.1;

/**
 * Scores as scale * (sum of the active features' rows of A) times B, with A [features, rank] and B [rank, tags]: the low-rank
 * delta of LoRA (Hu et al. 2021) for sparse binary inputs. A learns with AdaGrad, B with Adam.
 */
export class LowRankWeights implements EmissionWeights {
  readonly a: Float32Array;
  readonly b: Float32Array;
  private readonly squares: Float32Array;
  private readonly rows: SparseRows;
  private readonly adam: Adam;
  private readonly gradientB: Float64Array;
  /** [n, rank]: sums over A of the tokens last scored. */
  private hidden = new Float64Array(0);
  private readonly back: Float64Array;

  /**
   * @param vectors [rank, dimensions]: the contribution of a word's vector to the sums over A
   * @param scale loraAlpha / loraR over the default ratio, so that it is 1 at the defaults
   */
  constructor(
    readonly features: number,
    readonly tags: number,
    readonly rank: number,
    readonly scale: number,
    private readonly decay: number,
    random: Random,
    readonly vectors: VectorWeights | null = null,
  ) {
    this.a = new Float32Array(features * rank);
    this.b = new Float32Array(rank * tags);
    for (let k = 0; k < this.a.length; k++) this.a[k] = 0.01 * (2 * random.next() - 1);
    const spread = Math.sqrt(3 / rank);
    for (let k = 0; k < this.b.length; k++) this.b[k] = spread * (2 * random.next() - 1);
    this.squares = new Float32Array(this.a.length);
    this.rows = new SparseRows(features, rank);
    this.adam = new Adam(this.b, TUNED_RATE_B, decay);
    this.gradientB = new Float64Array(this.b.length);
    this.back = new Float64Array(rank);
  }

  score({ offsets, features, value, vectors }: ActiveFeatures, n: number, scores: Float64Array): void {
    const { tags, rank, a, b } = this;
    if (this.hidden.length < n * rank) this.hidden = new Float64Array(2 * n * rank);
    const hidden = this.hidden.fill(0, 0, n * rank);
    const own = this.vectors;
    // The factor below is for features, some of which are left out; vectors are always complete.
    if (own) addVectorProducts(vectors!, own.weights, own.dimensions, n, hidden, 1 / value);
    const factor = this.scale * value;
    for (let i = 0; i < n; i++) {
      const sums = i * rank;
      for (let k = offsets[i]!; k < offsets[i + 1]!; k++) {
        const from = features[k]! * rank;
        for (let j = 0; j < rank; j++) hidden[sums + j]! += a[from + j]!;
      }
      const row = i * tags;
      scores.fill(0, row, row + tags);
      for (let j = 0; j < rank; j++) {
        const h = (hidden[sums + j]! *= factor);
        for (let tag = 0; tag < tags; tag++) scores[row + tag]! += h * b[j * tags + tag]!;
      }
    }
  }

  /** To be called right after `score` for the same tokens. */
  accumulate({ offsets, features, value, vectors }: ActiveFeatures, n: number, gradient: Float64Array): void {
    const { tags, rank, b } = this;
    const gradientB = this.gradientB;
    const back = this.back;
    const factor = this.scale * value;
    for (let i = 0; i < n; i++) {
      const row = i * tags;
      back.fill(0);
      let any = false;
      for (let tag = 0; tag < tags; tag++) {
        const g = gradient[row + tag]!;
        if (g === 0) continue;
        any = true;
        for (let j = 0; j < rank; j++) {
          back[j]! += g * b[j * tags + tag]!;
          gradientB[j * tags + tag]! += g * this.hidden[i * rank + j]!;
        }
      }
      if (!any) continue;
      this.vectors?.accumulate(vectors!, i, back, 0, this.scale);
      for (let k = offsets[i]!; k < offsets[i + 1]!; k++) {
        const at = this.rows.slot(features[k]!);
        const gradients = this.rows.gradients;
        for (let j = 0; j < rank; j++) gradients[at + j]! += factor * back[j]!;
      }
    }
  }

  apply(rate: number): void {
    const { rank, a } = this;
    const squares = this.squares;
    const gradients = this.rows.gradients;
    const step = TUNED_RATE_A * rate;
    const shrink = 1 - step * this.decay;
    this.rows.drain((row, at) => {
      const to = row * rank;
      for (let j = 0; j < rank; j++) {
        const g = gradients[at + j]!;
        if (g !== 0) stepWeight(a, squares, to + j, g, step, shrink, INITIAL_SQUARE);
      }
    });
    this.adam.apply(this.gradientB, rate);
    this.vectors?.apply(rate);
  }

  saveState(): HeadState {
    const { features, rank, tags } = this;
    const vectors = joinStates(this.vectors ? { vectors: this.vectors.saveState() } : {});
    return {
      config: vectors.config,
      tensors: {
        a: { shape: [features, rank], data: this.a.slice() },
        b: { shape: [rank, tags], data: this.b.slice() },
        squares: { shape: [features, rank], data: this.squares.slice() },
        adam: this.adam.save(),
        ...vectors.tensors,
      },
    };
  }

  restoreState(state: HeadState): void {
    const { tensors } = state;
    this.vectors?.restoreState(partOfState(state, 'vectors')!);
    this.a.set(tensors['a']!.data as Float32Array);
    this.b.set(tensors['b']!.data as Float32Array);
    this.squares.set(tensors['squares']!.data as Float32Array);
    this.adam.restore(tensors['adam']!);
  }
}
