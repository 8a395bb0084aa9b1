import type { Quantiles } from './report.js';

/** Lengths below this are counted each for itself, larger ones with others that have the same first 12 bits. */
const EXACT = 4096;

/** Counts lengths in bounded memory: quantiles above 4,096 are too low by less than a thousandth. */
export class Lengths {
  private rows = 0;
  private min = Infinity;
  private max = 0;
  private readonly counts = new Map<number, number>();

  add(length: number): void {
    this.rows += 1;
    this.min = Math.min(this.min, length);
    this.max = Math.max(this.max, length);
    const shift = length < EXACT ? 0 : 20 - Math.clz32(length);
    const rounded = (length >> shift) << shift;
    this.counts.set(rounded, (this.counts.get(rounded) ?? 0) + 1);
  }

  /** Null when nothing was counted. */
  quantiles(): Quantiles | null {
    const { rows, min, max } = this;
    if (rows === 0) return null;
    const lengths = [...this.counts].sort(([a], [b]) => a - b);
    const at = (share: number) => {
      let left = Math.ceil(share * rows);
      for (const [length, count] of lengths) if ((left -= count) <= 0) return Math.max(length, min);
      return max;
    };
    return { rows, min, p50: at(0.5), p90: at(0.9), p99: at(0.99), max };
  }
}
