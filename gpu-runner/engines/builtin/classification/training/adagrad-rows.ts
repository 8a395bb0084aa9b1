import { stepWeight } from '../../adagrad.js';
import type { HeadState } from '../../head.js';

/**
 * Trainable float rows under AdaGrad. A step touches few of them: gradients are collected in a small buffer, one slot
 * for each touched row, and applied once at the end of the step.
 */
export class AdaGradRows {
  readonly values: Float32Array;
  /** Sums of squared gradients, one for each value. */
  readonly squares: Float32Array;
  private readonly slotOfRow: Int32Array;
  private rowOfSlot = new Int32Array(256);
  private gradients: Float32Array;
  private used = 0;

  /**
   * @param width numbers in a row
   * @param initialSquare start of the sums of squares: at 0 the first steps are as long as the rate, for any gradient
   */
  constructor(
    readonly rows: number,
    readonly width: number,
    initialSquare: number,
  ) {
    this.values = new Float32Array(rows * width);
    this.squares = new Float32Array(rows * width).fill(initialSquare);
    this.slotOfRow = new Int32Array(rows).fill(-1);
    this.gradients = new Float32Array(256 * width);
  }

  /** Adds factor * direction to the gradient of a row. */
  accumulate(row: number, factor: number, direction: Float32Array): void {
    const { width } = this;
    const offset = this.slot(row) * width;
    const gradients = this.gradients;
    for (let k = 0; k < width; k++) gradients[offset + k]! += factor * direction[k]!;
  }

  /**
   * Applies one AdaGrad update to the touched rows, then sets their gradients to zero.
   * @param scale multiplies the collected gradient, such as 1 / rows of the batch
   * @param decay pull towards zero as a gradient: decay * value
   */
  apply(rate: number, scale: number, decay: number): void {
    const { width, values, squares } = this;
    const gradients = this.gradients;
    for (let slot = 0; slot < this.used; slot++) {
      const row = this.rowOfSlot[slot]!;
      this.slotOfRow[row] = -1;
      let at = row * width;
      for (let from = slot * width; from < (slot + 1) * width; from++, at++) {
        const gradient = gradients[from]! * scale + decay * values[at]!;
        gradients[from] = 0;
        stepWeight(values, squares, at, gradient, -rate, 1, 0);
      }
    }
    this.used = 0;
  }

  /** Adds factor * row to the target, [width]. */
  addRow(row: number, factor: number, target: Float32Array): void {
    const { width, values } = this;
    const offset = row * width;
    for (let k = 0; k < width; k++) target[k]! += factor * values[offset + k]!;
  }

  /** Inner product of a row with a vector, [width]. */
  dot(row: number, vector: Float32Array): number {
    const { width, values } = this;
    const offset = row * width;
    let sum = 0;
    for (let k = 0; k < width; k++) sum += values[offset + k]! * vector[k]!;
    return sum;
  }

  /** Values and squares under `name` and `name_squares`. To be called between steps, when there are no open gradients. */
  saveState(name: string): HeadState['tensors'] {
    const shape = [this.rows, this.width];
    return {
      [name]: { shape, data: this.values.slice() },
      [`${name}_squares`]: { shape, data: this.squares.slice() },
    };
  }

  restoreState(name: string, tensors: HeadState['tensors']): void {
    this.values.set(tensors[name]!.data as Float32Array);
    this.squares.set(tensors[`${name}_squares`]!.data as Float32Array);
  }

  private slot(row: number): number {
    const known = this.slotOfRow[row]!;
    if (known >= 0) return known;
    if (this.used === this.rowOfSlot.length) this.grow();
    this.rowOfSlot[this.used] = row;
    this.slotOfRow[row] = this.used;
    return this.used++;
  }

  private grow(): void {
    const rows = new Int32Array(this.rowOfSlot.length * 2);
    rows.set(this.rowOfSlot);
    this.rowOfSlot = rows;
    const gradients = new Float32Array(this.gradients.length * 2);
    gradients.set(this.gradients);
    this.gradients = gradients;
  }
}
