import type { HeadState } from '../head.js';
import { numbersOf } from './states.js';

/** Rate at the default learning rate. */
const tunedRate = 0.02;
/** AdaGrad's sum of squares before the first gradient. */
const initialSquare = 0.1;

/**
 * A weight for each number of a word's vector, [width, dimensions]: as many rows as there are tags, or as the rank where factors
 * are learned. From zero, by AdaGrad.
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

  /** Takes in the gradient by the sums of one token, at `gradient[from]` and after; zeros are free. */
  accumulate(vectors: Float32Array, token: number, gradient: Float64Array, from: number, factor: number): void {
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
    const step = tunedRate * rate;
    const shrink = 1 - step * this.decay;
    for (let k = 0; k < width; k++) {
      if (touched[k] === 0) continue;
      for (let at = k * dimensions; at < (k + 1) * dimensions; at++) {
        const g = gradients[at]!;
        const square = squares[at]! + g * g;
        squares[at] = square;
        weights[at] = weights[at]! * shrink + (step * g) / Math.sqrt(square + initialSquare);
      }
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

/** Adds `factor` times the products of vectors [n, dimensions] and weights [width, dimensions] to sums [n, width]. */
export function addVectorProducts(
  vectors: Float32Array,
  weights: Float32Array,
  dimensions: number,
  n: number,
  sums: Float64Array,
  factor = 1,
): void {
  const width = weights.length / dimensions;
  const fours = dimensions - (dimensions % 4);
  for (let i = 0; i < n; i++) {
    const x = i * dimensions;
    for (let k = 0; k < width; k++) {
      const row = k * dimensions;
      // Four sums run side by side; one would wait for itself at each number.
      let [a, b, c, d] = [0, 0, 0, 0];
      for (let at = 0; at < fours; at += 4) {
        a += vectors[x + at]! * weights[row + at]!;
        b += vectors[x + at + 1]! * weights[row + at + 1]!;
        c += vectors[x + at + 2]! * weights[row + at + 2]!;
        d += vectors[x + at + 3]! * weights[row + at + 3]!;
      }
      for (let at = fours; at < dimensions; at++) a += vectors[x + at]! * weights[row + at]!;
      sums[i * width + k]! += factor * (a + b + (c + d));
    }
  }
}
