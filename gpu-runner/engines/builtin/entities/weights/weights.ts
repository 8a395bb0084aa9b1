/** Active features of the tokens of one segment: those of token i are `features[k]` for k from `offsets[i]` to `offsets[i + 1]`. */
export interface ActiveFeatures {
  readonly offsets: ArrayLike<number>;
  readonly features: ArrayLike<number>;
  /** Weight of every active feature: 1, or 1 / (1 - dropout) while training. */
  readonly value: number;
  /** Vectors of the tokens' words, [n, dimensions]; absent if none are learned from. */
  readonly vectors?: Float32Array | undefined;
}

/** The part of a CRF that turns features into scores of tags, and learns. */
export interface EmissionWeights {
  /** Adds nothing: sets `scores[i * tags + tag]` for the first `n` tokens. */
  score(active: ActiveFeatures, n: number, scores: Float64Array): void;
  /** Takes in the gradient of the log likelihood by score, [n, tags]; zeros are free. */
  accumulate(active: ActiveFeatures, n: number, gradient: Float64Array): void;
  /** Takes one optimiser step uphill along the accumulated gradient, then clears it. @param rate factor on the tuned rate */
  apply(rate: number): void;
}

/** Rows of numbers that are touched now and then, with a place to gather their gradients until the next step. */
export class SparseRows {
  private readonly slots: Int32Array;
  private touched = new Uint32Array(1 << 10);
  private count = 0;
  gradients: Float32Array<ArrayBuffer>;

  constructor(
    rows: number,
    readonly width: number,
  ) {
    this.slots = new Int32Array(rows).fill(-1);
    this.gradients = new Float32Array(this.touched.length * width);
  }

  /** @returns start of the row's gradient in `gradients`; read `gradients` after the call, as it may move */
  slot(row: number): number {
    let slot = this.slots[row]!;
    if (slot < 0) {
      if (this.count === this.touched.length) this.grow();
      slot = this.count++;
      this.slots[row] = slot;
      this.touched[slot] = row;
    }
    return slot * this.width;
  }

  /** Calls `update` for each touched row, then forgets all. */
  drain(update: (row: number, at: number) => void): void {
    for (let slot = 0; slot < this.count; slot++) {
      const row = this.touched[slot]!;
      this.slots[row] = -1;
      update(row, slot * this.width);
    }
    this.gradients.fill(0, 0, this.count * this.width);
    this.count = 0;
  }

  private grow(): void {
    const touched = new Uint32Array(this.touched.length * 2);
    touched.set(this.touched);
    this.touched = touched;
    const gradients = new Float32Array(touched.length * this.width);
    gradients.set(this.gradients);
    this.gradients = gradients;
  }
}
