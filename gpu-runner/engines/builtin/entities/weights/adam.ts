import type { Tensor } from '../../head.js';

/** Adam (Kingma and Ba 2015) on one dense array, uphill. */
export class Adam {
  private readonly mean: Float64Array;
  private readonly square: Float64Array;
  private steps = 0;

  /** @param decay decoupled weight decay per unit of rate (Loshchilov and Hutter 2019) */
  constructor(
    private readonly weights: Float32Array,
    private readonly rate: number,
    private readonly decay = 0,
  ) {
    this.mean = new Float64Array(weights.length);
    this.square = new Float64Array(weights.length);
  }

  /** Takes one step and sets the gradient to zero. @param factor on the tuned rate */
  apply(gradient: Float64Array, factor: number): void {
    this.steps++;
    const rate = this.rate * factor;
    const meanScale = 1 / (1 - 0.9 ** this.steps);
    const squareScale = 1 / (1 - 0.999 ** this.steps);
    for (let k = 0; k < gradient.length; k++) {
      const g = gradient[k]!;
      const mean = 0.9 * this.mean[k]! + 0.1 * g;
      const square = 0.999 * this.square[k]! + 0.001 * g * g;
      this.mean[k] = mean;
      this.square[k] = square;
      const step = (mean * meanScale) / (Math.sqrt(square * squareScale) + 1e-8);
      this.weights[k] = this.weights[k]! * (1 - rate * this.decay) + rate * step;
    }
    gradient.fill(0);
  }

  /** The moments and, last, the number of steps. */
  save(): Tensor {
    const data = new Float64Array(2 * this.mean.length + 1);
    data.set(this.mean);
    data.set(this.square, this.mean.length);
    data[data.length - 1] = this.steps;
    return { shape: [data.length], data };
  }

  restore({ data }: Tensor): void {
    const values = data as Float64Array;
    const size = this.mean.length;
    this.mean.set(values.subarray(0, size));
    this.square.set(values.subarray(size, 2 * size));
    this.steps = values[2 * size]!;
  }
}
