import type { FeatureDictionary } from '../features/dictionary.js';
import type { HeadState } from '../head.js';
import type { TextEncoder } from '../text-encoder.js';
import { unquantiseLowRank } from './weights/low-rank-scorer.js';
import { densify } from './weights/sparse-weights.js';
import { loadSpanVectors, type SpanVectors } from './spans/span-vectors.js';
import { numbersOf, partOfState, requireFeatureVersion } from './states.js';
import { tagCount } from './lattice/tags.js';
import { carryTransitions } from './lattice/transitions.js';
import { loadVectorScorer, type VectorScorer } from './weights/vector-scorer.js';
import { WordVectors } from './word-vectors.js';

/** The export of an earlier job, as numbers to continue from. */
export class EarlierHead {
  readonly labels: readonly string[];
  readonly priorWeight: number;
  readonly sparse: ReturnType<typeof densify> | null;
  readonly lowRank: ReturnType<typeof unquantiseLowRank> | null;
  /** With the scale of its word vectors; null if it learned from none. */
  readonly words: WordVectors | null;
  private readonly vectors: VectorScorer | null;
  private readonly lowRankVectors: VectorScorer | null;
  private readonly transitions: Float32Array;
  private readonly spans: SpanVectors | null;

  /**
   * @param scale the LoRA factor of the training to come
   * @throws ArtifactError when the head has features of another version, or other vectors of words than the encoder gives
   */
  constructor(
    state: HeadState,
    readonly scale: number,
    encoder: TextEncoder | null,
  ) {
    const { config } = state;
    requireFeatureVersion(state, 'The model to continue from');
    this.labels = config['labels'] as readonly string[];
    this.priorWeight = config['priorWeight'] as number;
    const sparse = partOfState(state, 'sparse');
    const lowRank = partOfState(state, 'lowRank');
    this.sparse = sparse && densify(sparse);
    this.lowRank = lowRank && unquantiseLowRank(lowRank, scale);
    const words = partOfState(state, 'words');
    this.words = words && WordVectors.load(words, encoder);
    const vectorsOf = (name: string): VectorScorer | null => {
      const part = partOfState(state, name);
      return part && loadVectorScorer(part, this.words?.dimensions ?? 0, tagCount(this.labels.length));
    };
    this.vectors = vectorsOf('vectors');
    this.lowRankVectors = vectorsOf('lowRankVectors');
    this.transitions = numbersOf(state, 'transitions', Float32Array);
    const spans = partOfState(state, 'spans');
    this.spans = spans && loadSpanVectors(spans, this.words?.dimensions ?? 0, this.labels.length);
  }

  get dictionaries(): FeatureDictionary[] {
    return [this.sparse, this.lowRank].flatMap((part) => (part ? [part.dictionary] : []));
  }

  /** The vectors of spans under another label set; null if it learned none. */
  spansUnder(labels: readonly string[]): SpanVectors | null {
    return this.spans && this.spans.under(labels, this.labels);
  }

  carryTransitions(to: Float32Array, labels: readonly string[]): void {
    const places = this.labels.map((label) => labels.indexOf(label));
    carryTransitions(this.transitions, places, to, labels.length);
  }

  /** Adds the sparse weights to [features, tags] of another dictionary and label set. */
  addSparse(to: Float32Array, dictionary: FeatureDictionary, labels: readonly string[]): void {
    if (!this.sparse) return;
    const { weights, dictionary: own } = this.sparse;
    this.add(to, dictionary, own, labels, (row, tag, width) => weights[row * width + tag]!);
  }

  /** Adds the product of the low-rank factors likewise. */
  addProduct(to: Float32Array, dictionary: FeatureDictionary, labels: readonly string[]): void {
    if (!this.lowRank) return;
    const { a, b, rank, dictionary: own } = this.lowRank;
    this.add(to, dictionary, own, labels, (row, tag, width) => {
      let sum = 0;
      for (let j = 0; j < rank; j++) sum += a[row * rank + j]! * b[j * width + tag]!;
      return this.scale * sum;
    });
  }

  /** Puts the low-rank factors into the first columns of A and rows of B. The rank of these is at least the earlier one. */
  putFactors(
    a: Float32Array,
    b: Float32Array,
    rank: number,
    dictionary: FeatureDictionary,
    labels: readonly string[],
  ): void {
    if (!this.lowRank) return;
    const { a: ownA, b: ownB, rank: ownRank, dictionary: own } = this.lowRank;
    for (let row = 0; row < own.size; row++) {
      const to = dictionary.find(own.high[row]!, own.low[row]!) * rank;
      a.set(ownA.subarray(row * ownRank, (row + 1) * ownRank), to);
    }
    const columns = this.columns(labels);
    for (let j = 0; j < ownRank; j++) {
      columns.forEach((to, from) => (b[j * tagCount(labels.length) + to] = ownB[j * columns.length + from]!));
    }
  }

  /** Adds the weights of word vectors to [tags, dimensions] of another label set. */
  addVectors(to: Float32Array, labels: readonly string[]): void {
    this.addVectorWeights(to, labels, this.vectors);
  }

  /** Adds the product of their low-rank factors likewise. */
  addVectorProduct(to: Float32Array, labels: readonly string[]): void {
    this.addVectorWeights(to, labels, this.lowRankVectors);
  }

  /** Puts their low-rank factors into the first rows, to be used with the rows of B that `putFactors` put. */
  putVectorFactors(to: Float32Array): void {
    if (this.lowRankVectors) to.set(this.lowRankVectors.weights);
  }

  private addVectorWeights(to: Float32Array, labels: readonly string[], from: VectorScorer | null): void {
    if (from === null) return;
    const { dimensions } = from;
    const columns = this.columns(labels);
    columns.forEach((row, tag) => {
      for (let d = 0; d < dimensions; d++) to[row * dimensions + d]! += from.weight(tag, d, columns.length);
    });
  }

  private add(
    to: Float32Array,
    dictionary: FeatureDictionary,
    own: FeatureDictionary,
    labels: readonly string[],
    weight: (row: number, tag: number, width: number) => number,
  ): void {
    const columns = this.columns(labels);
    for (let row = 0; row < own.size; row++) {
      const at = dictionary.find(own.high[row]!, own.low[row]!) * tagCount(labels.length);
      columns.forEach((column, tag) => (to[at + column]! += weight(row, tag, columns.length)));
    }
  }

  /** For each tag of the earlier head, the tag of the new label set. */
  private columns(labels: readonly string[]): number[] {
    const places = this.labels.map((label) => labels.indexOf(label));
    return [0, ...places.map((place) => 1 + place), ...places.map((place) => 1 + labels.length + place)];
  }
}
