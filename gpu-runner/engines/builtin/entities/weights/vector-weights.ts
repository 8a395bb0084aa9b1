import { stepWeight } from '../../adagrad.js';
import type { HeadState } from '../../head.js';
import { numbersOf } from '../states.js';

/** Rate at the default learning rate. */
const TUNED_RATE = 0.02;
/** AdaGrad's sum of squares before the first gradient. */
const INITIAL_SQUARE = 0.1;
/** The same for weights of an earlier job: without it, the first steps would be as long as the rate. */
const SETTLED_SQUARE = 100;

/**
 * A weight for each number of a word's vector, [width, dimensions]: as many rows as there are tags, or as the rank if
 * factors are learned. From zero, by AdaGrad.
 */
export class VectorWeights {
  readonly weights: Float32Array;
  private readonly squares: Float32Array;
  private readonly gradients: Float64Array;
  private readonly touched: Uint8Array;

  /** @param decay decoupled weight decay per unit of rate, on the rows a step touches */
  constructor(
    readonly width: number,
    readonly dimensions: number,
    private readonly decay: number,
  ) {
    const size = width * dimensions;
    this.weights = new Float32Array(size);
    this.squares = new Float32Array(size);
    this.gradients = new Float64Array(size);
    this.touched = new Uint8Array(width);
  }

  /** Begins with the weights of an earlier job for the first rows, which it changes in small steps only. */
  continueFrom(earlier: Float32Array): void {
    this.weights.set(earlier);
    this.squares.fill(SETTLED_SQUARE, 0, earlier.length);
  }

  /** Takes in the gradient by the sums of one token, at `gradient[from]` and after; zeros are free. */
  accumulate(
    vectors: Float32Array,
    token: number,
    gradient: Float32Array | Float64Array,
    from: number,
    factor: number,
  ): void {
    const { width, dimensions, gradients } = this;
    const x = token * dimensions;
    for (let k = 0; k < width; k++) {
      const g = factor * gradient[from + k]!;
      if (g === 0) continue;
      this.touched[k] = 1;
      const row = k * dimensions;
      for (let d = 0; d < dimensions; d++) gradients[row + d]! += g * vectors[x + d]!;
    }
  }

  apply(rate: number): void {
    const { width, dimensions, weights, squares, gradients, touched } = this;
    const step = TUNED_RATE * rate;
    const shrink = 1 - step * this.decay;
    for (let k = 0; k < width; k++) {
      if (touched[k] === 0) continue;
      for (let at = k * dimensions; at < (k + 1) * dimensions; at++)
        stepWeight(weights, squares, at, gradients[at]!, step, shrink, INITIAL_SQUARE);
      gradients.fill(0, k * dimensions, (k + 1) * dimensions);
    }
    touched.fill(0);
  }

  saveState(): HeadState {
    const shape = [this.width, this.dimensions];
    return {
      config: {},
      tensors: {
        weights: { shape, data: this.weights.slice() },
        squares: { shape, data: this.squares.slice() },
      },
    };
  }

  restoreState(state: HeadState): void {
    this.weights.set(numbersOf(state, 'weights', Float32Array));
    this.squares.set(numbersOf(state, 'squares', Float32Array));
  }
}

/**
 * Adds `factor` times the products of vectors [n, dimensions] and weights [width, dimensions] to sums [n, width]. Two vectors and four
 * rows of weights are read at once, in half the time of one by one. The order of additions in a sum does not depend on `n`.
 */
export function addVectorProducts(
  vectors: Float32Array,
  weights: Float32Array,
  dimensions: number,
  n: number,
  sums: Float64Array,
  factor = 1,
): void {
  const width = weights.length / dimensions;
  for (let i = 0; i < n; i += 2) {
    const x = i * dimensions;
    const sumsOfX = i * width;
    const isPair = i + 1 < n;
    const y = isPair ? x + dimensions : x;
    let k = 0;
    for (; k + 3 < width; k += 4) {
      const rowA = k * dimensions;
      const rowB = rowA + dimensions;
      const rowC = rowB + dimensions;
      const rowD = rowC + dimensions;
      let [xA, xB, xC, xD] = [0, 0, 0, 0];
      let [yA, yB, yC, yD] = [0, 0, 0, 0];
      for (let d = 0; d < dimensions; d++) {
        const p = vectors[x + d]!;
        const q = vectors[y + d]!;
        const a = weights[rowA + d]!;
        const b = weights[rowB + d]!;
        const c = weights[rowC + d]!;
        const e = weights[rowD + d]!;
        xA += p * a;
        xB += p * b;
        xC += p * c;
        xD += p * e;
        yA += q * a;
        yB += q * b;
        yC += q * c;
        yD += q * e;
      }
      const at = sumsOfX + k;
      sums[at]! += factor * xA;
      sums[at + 1]! += factor * xB;
      sums[at + 2]! += factor * xC;
      sums[at + 3]! += factor * xD;
      if (!isPair) continue;
      sums[at + width]! += factor * yA;
      sums[at + width + 1]! += factor * yB;
      sums[at + width + 2]! += factor * yC;
      sums[at + width + 3]! += factor * yD;
    }
    for (; k < width; k++) {
      const row = k * dimensions;
      let [xA, yA] = [0, 0];
      for (let d = 0; d < dimensions; d++) {
        xA += vectors[x + d]! * weights[row + d]!;
        yA += vectors[y + d]! * weights[row + d]!;
      }
      sums[sumsOfX + k]! += factor * xA;
      if (isPair) sums[sumsOfX + width + k]! += factor * yA;
    }
  }
}
