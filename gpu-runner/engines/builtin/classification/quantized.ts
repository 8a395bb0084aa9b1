import type { Tensor } from '../head.js';

/** Rows of numbers as int8 with one scale a row: a quarter of the bytes, each number off by at most 1/254 of its row's largest. */
export class QuantizedRows {
  /**
   * @param values [rows, width]
   * @param scales [rows]
   */
  constructor(
    readonly values: Int8Array,
    readonly scales: Float32Array,
    readonly width: number,
  ) {}

  static from(values: Float32Array, width: number): QuantizedRows {
    const rows = values.length / width;
    const quantized = new Int8Array(values.length);
    const scales = new Float32Array(rows);
    for (let row = 0; row < rows; row++) {
      const begin = row * width;
      let largest = 0;
      for (let at = begin; at < begin + width; at++) largest = Math.max(largest, Math.abs(values[at]!));
      if (largest === 0) continue;
      scales[row] = largest / 127;
      for (let at = begin; at < begin + width; at++) quantized[at] = Math.round((values[at]! / largest) * 127);
    }
    return new QuantizedRows(quantized, scales, width);
  }

  get rows(): number {
    return this.scales.length;
  }

  /** Adds factor * row to the target. */
  addRow(row: number, factor: number, target: Float32Array | Float64Array): void {
    const weight = factor * this.scales[row]!;
    const begin = row * this.width;
    for (let k = 0; k < this.width; k++) target[k]! += weight * this.values[begin + k]!;
  }

  toFloat32(): Float32Array {
    const floats = new Float32Array(this.values.length);
    for (let at = 0; at < floats.length; at++)
      floats[at] = this.values[at]! * this.scales[Math.floor(at / this.width)]!;
    return floats;
  }

  toTensors(name: string): Record<string, Tensor> {
    return {
      [name]: { shape: [this.rows, this.width], data: this.values },
      [`${name}_scales`]: { shape: [this.rows], data: this.scales },
    };
  }
}
