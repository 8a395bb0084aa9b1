import type { HeadState } from '../../head.js';
import type { Random } from '../../random.js';
import { AdaGradRows } from './adagrad-rows.js';
import type { LinearWeights } from '../head.js';
import { QuantizedRows } from '../quantized.js';
import type { SparseVector } from '../terms/vocabulary.js';

/** Rates and pulls of one optimiser step. */
interface StepSize {
  readonly rate: number;
  /** 1 / rows of the batch. */
  readonly scale: number;
  readonly decay: number;
}

/** Linear weights in training: `score`, then `accumulate` for each row of a batch, then `apply` once. */
export interface TrainableWeights {
  /** Writes x W + bias to `scores`, [labels]. */
  score(vector: SparseVector, scores: Float32Array): void;
  /**
   * Adds the gradient of the row scored last.
   * @param errors derivative of the loss by each score, [labels]
   */
  accumulate(vector: SparseVector, errors: Float32Array): void;
  apply(step: StepSize): void;
  /** The present weights, in the served form. */
  toLinear(): LinearWeights;
  saveState(): HeadState['tensors'];
  restoreState(tensors: HeadState['tensors']): void;
}

/** The start of a job that continues another: its rows are the first rows of the new vocabulary, its labels the first. */
export interface Start {
  readonly weights: LinearWeights;
  readonly labels: number;
}

/** A weight for each term and label. */
export class FullWeights implements TrainableWeights {
  private readonly rows: AdaGradRows;
  private readonly bias: AdaGradRows;

  constructor(terms: number, labels: number, start: Start | null) {
    this.rows = new AdaGradRows(terms, labels, INITIAL_SQUARE);
    this.bias = new AdaGradRows(1, labels, INITIAL_SQUARE);
    if (start === null) return;
    this.rows.values.set(widened(denseOf(start.weights), start.labels, labels));
    this.rows.squares.fill(SETTLED_SQUARE);
    this.bias.values.set(start.weights.bias);
    this.bias.squares.fill(SETTLED_SQUARE);
  }

  score({ indices, values }: SparseVector, scores: Float32Array): void {
    scores.set(this.bias.values);
    for (let i = 0; i < indices.length; i++) if (values[i] !== 0) this.rows.addRow(indices[i]!, values[i]!, scores);
  }

  accumulate({ indices, values }: SparseVector, errors: Float32Array): void {
    this.bias.accumulate(0, 1, errors);
    for (let i = 0; i < indices.length; i++) if (values[i] !== 0) this.rows.accumulate(indices[i]!, values[i]!, errors);
  }

  apply({ rate, scale, decay }: StepSize): void {
    this.rows.apply(rate, scale, decay);
    this.bias.apply(rate, scale, 0);
  }

  toLinear(): LinearWeights {
    return {
      full: QuantizedRows.from(this.rows.values, this.rows.width),
      lowRank: null,
      bias: this.bias.values.slice(),
    };
  }

  saveState(): HeadState['tensors'] {
    return { ...this.rows.saveState('weight'), ...this.bias.saveState('bias') };
  }

  restoreState(tensors: HeadState['tensors']): void {
    this.rows.restoreState('weight', tensors);
    this.bias.restoreState('bias', tensors);
  }
}

interface LowRankShape {
  readonly rank: number;
  /** Factor on x A B: LoRA's alpha / r, relative to its default of 2. */
  readonly scale: number;
}

/**
 * LoRA (Hu et al. 2022): W = W0 + scale * A B with W0 frozen; W0 is zero unless an earlier adapter is continued. With nothing
 * frozen both factors start at random, since a product of zeros has no gradient.
 */
export class LowRankWeights implements TrainableWeights {
  private readonly frozen: QuantizedRows | null = null;
  private readonly a: AdaGradRows;
  private readonly b: AdaGradRows;
  private readonly bias: AdaGradRows;
  private readonly scale: number;
  /** x A of the row scored last, [rank]. */
  private readonly projected: Float32Array;
  private readonly back: Float32Array;

  constructor(terms: number, labels: number, { rank, scale }: LowRankShape, start: Start | null, random: Random) {
    this.a = new AdaGradRows(terms, rank, INITIAL_SQUARE);
    this.b = new AdaGradRows(rank, labels, INITIAL_SQUARE);
    this.bias = new AdaGradRows(1, labels, INITIAL_SQUARE);
    this.scale = scale;
    this.projected = new Float32Array(rank);
    this.back = new Float32Array(rank);
    fillUniform(this.a.values, 0.1, random);
    fillUniform(this.b.values, Math.sqrt(3 / rank), random);
    if (start === null) return;

    this.bias.values.set(start.weights.bias);
    this.bias.squares.fill(SETTLED_SQUARE);
    const { full, lowRank } = start.weights;
    if (full === null && lowRank !== null && lowRank.a.width === rank && lowRank.scale === scale) {
      this.a.values.set(lowRank.a.toFloat32());
      this.b.values.set(widened(lowRank.b, start.labels, labels));
      this.a.squares.fill(SETTLED_SQUARE);
      this.b.squares.fill(SETTLED_SQUARE);
    } else {
      const dense = new Float32Array(terms * labels);
      dense.set(widened(denseOf(start.weights), start.labels, labels));
      this.frozen = QuantizedRows.from(dense, labels);
      this.b.values.fill(0);
    }
  }

  score({ indices, values }: SparseVector, scores: Float32Array): void {
    const projected = this.projected;
    projected.fill(0);
    scores.set(this.bias.values);
    for (let i = 0; i < indices.length; i++) {
      if (values[i] === 0) continue;
      this.a.addRow(indices[i]!, values[i]!, projected);
      this.frozen?.addRow(indices[i]!, values[i]!, scores);
    }
    for (let k = 0; k < projected.length; k++) this.b.addRow(k, this.scale * projected[k]!, scores);
  }

  accumulate({ indices, values }: SparseVector, errors: Float32Array): void {
    this.bias.accumulate(0, 1, errors);
    for (let k = 0; k < this.projected.length; k++) {
      this.back[k] = this.scale * this.b.dot(k, errors);
      this.b.accumulate(k, this.scale * this.projected[k]!, errors);
    }
    for (let i = 0; i < indices.length; i++) if (values[i] !== 0) this.a.accumulate(indices[i]!, values[i]!, this.back);
  }

  apply({ rate, scale, decay }: StepSize): void {
    this.a.apply(rate, scale, decay);
    this.b.apply(rate, scale, decay);
    this.bias.apply(rate, scale, 0);
  }

  toLinear(): LinearWeights {
    return {
      full: this.frozen,
      lowRank: {
        a: QuantizedRows.from(this.a.values, this.a.width),
        b: this.b.values.slice(),
        scale: this.scale,
      },
      bias: this.bias.values.slice(),
    };
  }

  saveState(): HeadState['tensors'] {
    return { ...this.a.saveState('lora_a'), ...this.b.saveState('lora_b'), ...this.bias.saveState('bias') };
  }

  restoreState(tensors: HeadState['tensors']): void {
    this.a.restoreState('lora_a', tensors);
    this.b.restoreState('lora_b', tensors);
    this.bias.restoreState('bias', tensors);
  }
}

/** Gradients of a term are of the order of .01, so that this damps only a term's first few steps. */
const INITIAL_SQUARE = 1e-4;

/**
 * AdaGrad's memory for weights of an earlier job: an artifact does not contain it, and with an empty one the first
 * steps would be as long as the rate, for any gradient, and wipe out what was learned.
 */
const SETTLED_SQUARE = 0.01;

function fillUniform(values: Float32Array, bound: number, random: Random): void {
  for (let at = 0; at < values.length; at++) values[at] = (2 * random.next() - 1) * bound;
}

/** The whole matrix of weights, [terms, labels]. */
function denseOf({ full, lowRank, bias }: LinearWeights): Float32Array {
  const labels = bias.length;
  const terms = full?.rows ?? lowRank?.a.rows ?? 0;
  const dense = full?.toFloat32() ?? new Float32Array(terms * labels);
  if (lowRank === null) return dense;
  const a = lowRank.a.toFloat32();
  const rank = lowRank.a.width;
  for (let term = 0; term < terms; term++)
    for (let k = 0; k < rank; k++) {
      const factor = lowRank.scale * a[term * rank + k]!;
      for (let label = 0; label < labels; label++)
        dense[term * labels + label]! += factor * lowRank.b[k * labels + label]!;
    }
  return dense;
}

/** Rows of `width` as rows of `newWidth`, the new columns zero. */
function widened(values: Float32Array, width: number, newWidth: number): Float32Array {
  const rows = values.length / width;
  const wide = new Float32Array(rows * newWidth);
  for (let row = 0; row < rows; row++) wide.set(values.subarray(row * width, (row + 1) * width), row * newWidth);
  return wide;
}
