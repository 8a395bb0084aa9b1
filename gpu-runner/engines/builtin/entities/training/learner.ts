import type { HeadState } from '../../head.js';
import type { Random } from '../../random.js';
import { Adam } from '../weights/adam.js';
import type { Proposals } from '../calibration.js';
import { Lattice } from '../lattice/lattice.js';
import type { CompiledRows } from './rows.js';
import { likelySegments, withoutOverlaps } from '../lattice/segments.js';
import { readTags, tagCount } from '../lattice/tags.js';
import { transitionCount, transitionIndex } from '../lattice/transitions.js';
import type { ActiveFeatures, EmissionWeights } from '../weights/weights.js';
import { readVectors } from '../word-vectors.js';

/** Gradients below this are taken as zero: most tokens are soon right, and then cost nothing more than their scoring. */
const MIN_GRADIENT = 1e-3;
/** Marginal from which a segment is judged. */
export const MIN_PROPOSED = 0.05;

interface LearnerOptions {
  readonly labels: number;
  readonly weights: EmissionWeights;
  readonly train: CompiledRows;
  /** Rows a step. */
  readonly batchSize: number;
  /** Share of features left out of each token's sum while training; the others are scaled up. */
  readonly dropout: number;
  /** Factor on the prior scores. */
  readonly priorWeight: number;
  readonly transitionRate: number;
  readonly random: Random;
}

export interface RowsJudgement extends Proposals {
  readonly rows: number;
  /** Mean negative log likelihood of a row. */
  readonly loss: number;
}

/** Maximises the conditional likelihood of rows by mini-batches, for any emission weights. */
export class CrfLearner {
  readonly transitions: Float32Array;
  readonly stepsPerEpoch: number;
  readonly lattice: Lattice;
  private readonly adam: Adam;
  private readonly gradient: Float64Array;
  private readonly order: Uint32Array;
  private cursor = 0;
  /** Active features of the present segment after dropout. */
  private kept = new Uint32Array(1 << 10);
  private keptOffsets = new Uint32Array(1 << 6);
  /** Vectors of the present segment's tokens. */
  private vectors = new Float32Array(0);

  constructor(private readonly options: LearnerOptions) {
    const { labels, train, batchSize } = options;
    this.lattice = new Lattice(labels);
    this.transitions = new Float32Array(transitionCount(labels));
    this.adam = new Adam(this.transitions, options.transitionRate);
    this.gradient = new Float64Array(this.transitions.length);
    this.order = Uint32Array.from({ length: train.rowCount }, (_, row) => row);
    this.stepsPerEpoch = Math.max(1, Math.ceil(train.rowCount / batchSize));
  }

  /** Takes one optimiser step on the next rows, in a new order after each full pass. @returns mean loss of a row */
  step(rate: number): number {
    const { train, batchSize, random, weights } = this.options;
    if (this.cursor === 0) random.shuffle(this.order);
    this.lattice.setTransitions(this.transitions);
    const end = Math.min(this.cursor + batchSize, train.rowCount);
    let loss = 0;
    for (let k = this.cursor; k < end; k++) {
      const row = this.order[k]!;
      for (let segment = train.rows[row]!; segment < train.rows[row + 1]!; segment++) loss += this.learn(segment);
    }
    const count = end - this.cursor;
    this.cursor = end >= train.rowCount ? 0 : end;
    weights.apply(rate);
    this.adam.apply(this.gradient, rate);
    return count === 0 ? 0 : loss / count;
  }

  private learn(segment: number): number {
    const { train, weights, labels } = this.options;
    const lattice = this.lattice;
    const tags = tagCount(labels);
    const from = train.segments[segment]!;
    const n = train.segments[segment + 1]! - from;
    const active = { ...this.drop(from, n), vectors: this.vectorsOf(train, from, n) };
    lattice.reserve(n);
    const scores = lattice.scores;
    weights.score(active, n, scores);
    addPrior(train, from, n, tags, this.options.priorWeight, scores);
    const logTotal = lattice.forwardBackward(n);
    const loss = logTotal - pathScore(train.gold, from, n, labels, scores, this.transitions);
    if (loss < 1e-4) return loss;
    lattice.addExpectedTransitions(n, this.gradient, -1);
    addPathTransitions(train.gold, from, n, labels, this.gradient);
    // The marginals become the gradient by score: gold minus expected.
    const gradient = lattice.marginals;
    for (let k = 0; k < n * tags; k++) gradient[k] = gradient[k]! < MIN_GRADIENT ? 0 : -gradient[k]!;
    for (let i = 0; i < n; i++) {
      const at = i * tags + train.gold[from + i]!;
      const g = 1 + gradient[at]!;
      gradient[at] = g < MIN_GRADIENT ? 0 : g;
    }
    weights.accumulate(active, n, gradient);
    return loss;
  }

  /** Features of a segment, each left out with the chance of the dropout. One draw of 32 bits serves two features. */
  private drop(from: number, n: number): ActiveFeatures {
    const { train, dropout, random } = this.options;
    const { offsets, features } = train;
    const size = offsets[from + n]! - offsets[from]!;
    if (this.kept.length < size) this.kept = new Uint32Array(size * 2);
    if (this.keptOffsets.length < n + 1) this.keptOffsets = new Uint32Array(n * 2 + 1);
    const kept = this.kept;
    const limit = Math.round(dropout * 0x10000);
    let count = 0;
    let bits = 0;
    let half = false;
    for (let i = 0; i < n; i++) {
      this.keptOffsets[i] = count;
      for (let k = offsets[from + i]!; k < offsets[from + i + 1]!; k++) {
        if (limit > 0) {
          bits = half ? bits >>> 16 : random.uint32();
          half = !half;
          if ((bits & 0xffff) < limit) continue;
        }
        kept[count++] = features[k]!;
      }
    }
    this.keptOffsets[n] = count;
    return { offsets: this.keptOffsets, features: kept, value: limit > 0 ? 1 / (1 - dropout) : 1 };
  }

  /** Vectors of a segment's tokens, if the rows have any. The next call overwrites them. */
  private vectorsOf({ vectors }: CompiledRows, from: number, n: number): Float32Array | undefined {
    if (vectors === null) return undefined;
    const length = n * vectors.dimensions;
    if (this.vectors.length < length) this.vectors = new Float32Array(2 * length);
    const place = vectors.places[from]!;
    if (place < 0) this.vectors.fill(0, 0, length);
    else readVectors(vectors.numbers, place * vectors.dimensions, length, this.vectors);
    return this.vectors;
  }

  /**
   * Likelihood and proposed segments of rows, with the present weights: one for each temperature. Each row is scored once for all.
   */
  judge(rows: CompiledRows, temperatures: readonly number[] = [1]): RowsJudgement[] {
    const { labels } = this.options;
    const judges = temperatures.map((temperature) => new Judge(labels, this.transitions, temperature));
    this.score(rows, (scores, from, n) => {
      for (const judge of judges) judge.add(scores, rows.gold.subarray(from, from + n));
    });
    return judges.map((judge) => judge.judgement(rows.rowCount));
  }

  /**
   * Scores the tags of rows with the present weights, segment by segment.
   * @param visit takes the scores, [tokens, tags] and maybe more, of the tokens from `from` on; the next segment overwrites them
   */
  score(rows: CompiledRows, visit: (scores: Float64Array, from: number, tokens: number) => void): void {
    const { weights, labels, priorWeight } = this.options;
    const { lattice } = this;
    for (let segment = 0; segment < rows.segmentCount; segment++) {
      const from = rows.segments[segment]!;
      const n = rows.segments[segment + 1]! - from;
      lattice.reserve(n);
      const offsets = rows.offsets.subarray(from, from + n + 1);
      weights.score(
        { offsets, features: rows.features, value: 1, vectors: this.vectorsOf(rows, from, n) },
        n,
        lattice.scores,
      );
      addPrior(rows, from, n, tagCount(labels), priorWeight, lattice.scores);
      visit(lattice.scores, from, n);
    }
  }

  /** Transitions, moments, order and cursor; the generator and the emission weights are saved by their owners. */
  saveState(): HeadState {
    const { length } = this.transitions;
    return {
      config: { cursor: this.cursor },
      tensors: {
        transitions: { shape: [length], data: this.transitions.slice() },
        adam: this.adam.save(),
        order: { shape: [this.order.length], data: this.order.slice() },
      },
    };
  }

  restoreState({ config, tensors }: HeadState): void {
    this.cursor = config['cursor'] as number;
    this.transitions.set(tensors['transitions']!.data as Float32Array);
    this.adam.restore(tensors['adam']!);
    this.order.set(tensors['order']!.data as Uint32Array);
  }
}

/** Judges scored segments at one temperature. */
class Judge {
  private readonly lattice: Lattice;
  private readonly transitions: Float32Array;
  private loss = 0;
  private gold = 0;
  private readonly probabilities: number[] = [];
  private readonly right: boolean[] = [];

  constructor(
    private readonly labels: number,
    transitions: Float32Array,
    private readonly temperature: number,
  ) {
    this.lattice = new Lattice(labels);
    this.lattice.setTransitions(transitions, temperature);
    this.transitions = transitions.map((weight) => weight / temperature);
  }

  /** @param scores at temperature 1, [gold, tags] and maybe more @param gold tags of a segment */
  add(scores: Float64Array, gold: Uint16Array): void {
    const { labels, lattice, temperature } = this;
    const n = gold.length;
    lattice.reserve(n);
    for (let k = 0; k < n * lattice.tags; k++) lattice.scores[k] = scores[k]! / temperature;
    this.loss += lattice.forwardBackward(n) - pathScore(gold, 0, n, labels, lattice.scores, this.transitions);
    const truth = readTags(gold, 0, n, labels);
    this.gold += truth.length;
    for (const { first, end, label, probability } of withoutOverlaps(likelySegments(lattice, n, MIN_PROPOSED))) {
      this.probabilities.push(probability);
      this.right.push(truth.some((span) => span.first === first && span.end === end && span.label === label));
    }
  }

  judgement(rows: number): RowsJudgement {
    const { loss, gold, probabilities, right } = this;
    return { rows, loss: rows === 0 ? 0 : loss / rows, gold, probabilities, right };
  }
}

/** Judgements of different rows as one. */
export function poolJudgements(parts: readonly RowsJudgement[]): RowsJudgement {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  return {
    rows,
    loss: parts.reduce((sum, part) => sum + part.loss * part.rows, 0) / Math.max(1, rows),
    gold: parts.reduce((sum, part) => sum + part.gold, 0),
    probabilities: parts.flatMap((part) => part.probabilities),
    right: parts.flatMap((part) => part.right),
  };
}

function addPrior(
  rows: CompiledRows,
  from: number,
  n: number,
  tags: number,
  weight: number,
  scores: Float64Array,
): void {
  const prior = rows.prior;
  if (prior === null || weight === 0) return;
  for (let i = 0; i < n; i++) {
    for (let k = prior.offsets[from + i]!; k < prior.offsets[from + i + 1]!; k++) {
      scores[i * tags + prior.tags[k]!]! += weight * prior.scores[k]!;
    }
  }
}

/** Score of a legal tag path. */
export function pathScore(
  gold: ArrayLike<number>,
  from: number,
  n: number,
  labels: number,
  scores: Float64Array,
  transitions: Float32Array,
): number {
  const tags = tagCount(labels);
  let score = 0;
  let previous = -1;
  for (let i = 0; i < n; i++) {
    const tag = gold[from + i]!;
    score += scores[i * tags + tag]! + transitions[transitionIndex(labels, previous, tag)]!;
    previous = tag;
  }
  return score;
}

function addPathTransitions(
  gold: ArrayLike<number>,
  from: number,
  n: number,
  labels: number,
  gradient: Float64Array,
): void {
  let previous = -1;
  for (let i = 0; i < n; i++) {
    const tag = gold[from + i]!;
    gradient[transitionIndex(labels, previous, tag)]!++;
    previous = tag;
  }
}
