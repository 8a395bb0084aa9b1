import type { Example, TrainSettings } from '../../engine.js';
import { linearScores, type LinearWeights } from '../classification/head.js';
import { sigmoid, softplus } from '../classification/probability.js';
import { FullWeights, LowRankWeights, type TrainableWeights } from '../classification/training/weights.js';
import type { SparseVector } from '../classification/terms/vocabulary.js';
import type { Calibration } from '../entities/calibration.js';
import { learningRateFactor, learningRateRatio } from '../entities/training/learning-rate.js';
import { joinStates, partOfState } from '../entities/index.js';
import type { WordVectors } from '../entities/word-vectors.js';
import { FeatureCounter, type FeatureDictionary } from '../features/dictionary.js';
import type { HeadState } from '../head.js';
import { Random } from '../random.js';
import { pairVector, relationsByTypes } from './head.js';
import { mentionsOf, placeOf, type MentionTypes } from './mention-types.js';
import { PairVectorLearner, type VectorPair } from './pair-vectors.js';
import { pairsOf, readText, visitPair } from './pairs.js';
import type { RelationShape, StoredPairs } from './stored-pairs.js';

/** An ordered pair of labelled mentions. Relations that may not join such types are not judged. */
interface LabelledPair extends VectorPair {
  readonly features: SparseVector;
  /** Relations, by index, that join it. */
  readonly gold: readonly number[];
}

/** Vectors of words that pairs are learned from, and those of the rows. */
export interface LearnedVectors {
  readonly words: WordVectors;
  readonly ofRows: ReadonlyMap<Example, Int8Array>;
}

/** Pairs that training keeps in memory. */
const LIMITS = {
  /** Pairs from which on those without a relation are left out. */
  MAX_PAIRS: 300_000,
  /** Pairs of any kind, some hundred bytes each. */
  MAX_ALL_PAIRS: 600_000,
  /** Weights by feature and relation, or direction of LoRA, 12 bytes each. */
  MAX_WEIGHTS: 20_000_000,
};
/** AdaGrad's rates at the default learning rate of a job. */
const RATES = { full: 0.5, lora: 0.2 } as const;
const DROPOUT = 0.2;
const LABEL_SMOOTHING = 0.02;
const DECAY_SCALE = 1e-4;

/** Learns which relations join two mentions from all pairs of labelled mentions whose types some relation joins. */
export class PairLearner {
  readonly relations: readonly RelationShape[];
  /** Relations of the training rows whose ends are too far apart for a pair. */
  readonly tooFar: number;
  /** Counts beyond the limits of the training rows. */
  readonly leftOut: { readonly features: number; readonly pairs: number; readonly relations: number };
  private readonly dictionary: FeatureDictionary;
  private readonly pairs: readonly LabelledPair[];
  private readonly validation: readonly LabelledPair[];
  private readonly validationRows: number;
  private readonly order: Int32Array;
  private readonly weights: TrainableWeights;
  /** Null if words' vectors are not learned from. */
  private readonly vectors: PairVectorLearner | null;
  private readonly random: Random;
  private readonly scores: Float32Array;
  private stepsDone = 0;

  /** @param stepsPerEpoch steps in which every pair is seen once */
  constructor(
    private readonly settings: TrainSettings,
    private readonly stepsPerEpoch: number,
    rows: { readonly train: readonly Example[]; readonly validation: readonly Example[] },
    types: MentionTypes,
    earlier: StoredPairs | null,
    private readonly learned: LearnedVectors | null,
    private readonly limits: typeof LIMITS = LIMITS,
  ) {
    this.relations = relationShapes(rows.train, types, earlier?.relations ?? []);
    const counter = new FeatureCounter();
    earlier?.dictionary.high.forEach((high, row) => counter.add(high, earlier.dictionary.low[row]!));
    const known = counter.size;
    for (const row of rows.train) {
      const read = readText(row.text, mentionsOf(row, types));
      for (const [head, tail] of pairsOf(read))
        if (this.mayJoin(head.mention.type, tail.mention.type))
          visitPair(read, head, tail, (high, low) => counter.add(high, low));
    }
    const { loraR, loraAlpha, trainingType } = settings;
    const width = this.relations.length;
    const perFeature = trainingType === 'full' ? width : Math.max(loraR, earlier === null ? 0 : width);
    this.dictionary = frozenToFit(counter, known, Math.floor(limits.MAX_WEIGHTS / perFeature));
    const { pairs, leftOut } = this.labelled(rows.train, types);
    this.pairs = pairs;
    this.leftOut = { features: counter.size - this.dictionary.size, ...leftOut };
    this.validation = this.labelled(rows.validation, types).pairs;
    this.validationRows = rows.validation.length;
    const told = rows.train.reduce((sum, { relations = [] }) => sum + new Set(relations.map(keyOf)).size, 0);
    this.tooFar = told - leftOut.relations - this.pairs.reduce((sum, { gold }) => sum + gold.length, 0);
    this.order = Int32Array.from(this.pairs.keys());
    this.random = new Random(settings.seed + 1);
    const start = earlier && { weights: earlier.weights, labels: earlier.relations.length };
    this.weights =
      trainingType === 'full'
        ? new FullWeights(this.dictionary.size, width, start)
        : new LowRankWeights(
            this.dictionary.size,
            width,
            { rank: loraR, scale: loraAlpha / loraR / 2 },
            start,
            this.random,
          );
    this.vectors =
      learned &&
      new PairVectorLearner(learned.words, width, settings.weightDecay * DECAY_SCALE, earlier?.vectors ?? null);
    this.scores = new Float32Array(width);
  }

  /** @returns the loss of its pairs, added up */
  step(): number {
    const { settings, weights, vectors, stepsPerEpoch } = this;
    const stepInEpoch = this.stepsDone % stepsPerEpoch;
    if (stepInEpoch === 0) this.random.shuffle(this.order);
    const placeAt = (step: number) => Math.floor((step * this.order.length) / stepsPerEpoch);
    const batch = this.order.subarray(placeAt(stepInEpoch), placeAt(stepInEpoch + 1));
    const total = settings.epochs * stepsPerEpoch;
    const factor = learningRateFactor(settings.scheduler, this.stepsDone++, total, settings.warmupRatio);
    if (batch.length === 0) return 0;
    let loss = 0;
    for (const index of batch) {
      const pair = this.pairs[index]!;
      const features = this.withDropout(pair.features);
      weights.score(features, this.scores);
      vectors?.score(pair, this.scores);
      loss += this.toErrors(pair);
      weights.accumulate(features, this.scores);
      vectors?.accumulate(pair, this.scores);
    }
    const rate = learningRateRatio(settings) * factor;
    vectors?.apply(rate);
    weights.apply({
      rate: RATES[settings.trainingType] * rate,
      scale: 1 / batch.length,
      decay: settings.weightDecay * DECAY_SCALE,
    });
    return loss;
  }

  /** Mean negative log likelihood of a validation row. */
  validationLoss(): number {
    const linear = this.weights.toLinear();
    const loss = this.validation.reduce((sum, pair) => {
      const { features, gold, candidates } = pair;
      const scores = linearScores(linear, features);
      this.vectors?.score(pair, scores);
      return sum + candidates.reduce((own, k) => own + softplus(gold.includes(k) ? -scores[k]! : scores[k]!), 0);
    }, 0);
    return loss / Math.max(1, this.validationRows);
  }

  export(calibration: Calibration, decisionPoint: number): StoredPairs {
    const weights: LinearWeights = this.weights.toLinear();
    const vectors = this.vectors?.export() ?? null;
    return { relations: this.relations, dictionary: this.dictionary, weights, vectors, calibration, decisionPoint };
  }

  saveState(): HeadState {
    const vectors = joinStates(this.vectors ? { vectors: this.vectors.saveState() } : {});
    return {
      config: { stepsDone: this.stepsDone, ...vectors.config },
      tensors: {
        ...this.weights.saveState(),
        ...vectors.tensors,
        random: this.random.save(),
        order: { shape: [this.order.length], data: this.order.slice() },
      },
    };
  }

  restoreState(state: HeadState): void {
    const { config, tensors } = state;
    this.vectors?.restoreState(partOfState(state, 'vectors')!);
    this.stepsDone = config['stepsDone'] as number;
    this.weights.restoreState(tensors);
    this.random.restore(tensors['random']!);
    this.order.set(tensors['order']!.data as Int32Array);
  }

  private mayJoin(head: string, tail: string): boolean {
    return this.joining(head, tail).length > 0;
  }

  private joining(head: string, tail: string): readonly number[] {
    return (this.byTypes ??= relationsByTypes(this.relations))(head, tail);
  }

  private byTypes: ReturnType<typeof relationsByTypes> | undefined;

  private labelled(
    rows: readonly Example[],
    types: MentionTypes,
  ): {
    readonly pairs: readonly LabelledPair[];
    readonly leftOut: { readonly pairs: number; readonly relations: number };
  } {
    const leftOut = { pairs: 0, relations: 0 };
    const { MAX_PAIRS, MAX_ALL_PAIRS } = this.limits;
    const indexOf = new Map(this.relations.map(({ name }, index) => [name, index]));
    const pairs: LabelledPair[] = [];
    for (const row of rows) {
      const read = readText(row.text, mentionsOf(row, types));
      const vectors = this.learned?.ofRows.get(row) ?? null;
      const gold = new Map<string, Set<number>>();
      for (const { name, head, tail } of row.relations ?? []) {
        const index = indexOf.get(name);
        const key = `${placeOf(head)} ${placeOf(tail)}`;
        if (index !== undefined) gold.set(key, (gold.get(key) ?? new Set()).add(index));
      }
      for (const [head, tail] of pairsOf(read)) {
        const candidates = this.joining(head.mention.type, tail.mention.type);
        const own = [...(gold.get(`${placeOf(head.mention)} ${placeOf(tail.mention)}`) ?? [])];
        if (candidates.length === 0) continue;
        if (pairs.length >= (own.length === 0 ? MAX_PAIRS : MAX_ALL_PAIRS)) {
          leftOut.pairs += 1;
          leftOut.relations += own.length;
          continue;
        }
        const features = pairVector(read, head, tail, this.dictionary);
        pairs.push({ features, gold: own, candidates, vectors, head, tail });
      }
    }
    return { pairs, leftOut };
  }

  private withDropout({ indices, values }: SparseVector): SparseVector {
    const keep = 1 - DROPOUT;
    const kept = values.map((value) => (this.random.next() < keep ? value / keep : 0));
    return { indices, values: kept };
  }

  /** Replaces the scores by the derivative of the smoothed loss. @returns the loss without smoothing */
  private toErrors({ gold, candidates }: LabelledPair): number {
    let loss = 0;
    const errors = new Float32Array(this.scores.length);
    for (const k of candidates) {
      const score = this.scores[k]!;
      const isGold = gold.includes(k);
      loss += softplus(isGold ? -score : score);
      errors[k] = sigmoid(score) - (isGold ? 1 - LABEL_SMOOTHING / 2 : LABEL_SMOOTHING / 2);
    }
    this.scores.set(errors);
    return loss;
  }
}

/**
 * The most frequent features, seen at least 1, 2, 4, 8 ... times, whichever threshold keeps at most `most`.
 * @param known number of the first ones, which an earlier head has: they are always kept
 */
function frozenToFit(counter: FeatureCounter, known: number, most: number): FeatureDictionary {
  for (let minimum = 1; ; minimum *= 2) {
    const { dictionary } = counter.freeze(minimum, known);
    if (dictionary.size <= Math.max(known, most)) return dictionary;
  }
}

const keyOf = ({
  name,
  head,
  tail,
}: { readonly name: string } & Record<'head' | 'tail', { start: number; end: number }>) =>
  `${name} ${placeOf(head)} ${placeOf(tail)}`;

/** The relations of the rows and those of an earlier head, which come first, each with the types that it joins. */
function relationShapes(
  rows: readonly Example[],
  types: MentionTypes,
  earlier: readonly RelationShape[],
): RelationShape[] {
  const shapes = new Map(
    earlier.map(({ name, types: pairs }) => [name, new Map(pairs.map((pair) => [pair.join(' '), pair]))]),
  );
  const fresh = new Set(rows.flatMap(({ relations = [] }) => relations.map(({ name }) => name)));
  for (const name of [...fresh].sort()) if (!shapes.has(name)) shapes.set(name, new Map());
  for (const row of rows) {
    const typeAt = new Map(mentionsOf(row, types).map((mention) => [placeOf(mention), mention.type]));
    for (const { name, head, tail } of row.relations ?? []) {
      const pair = [typeAt.get(placeOf(head))!, typeAt.get(placeOf(tail))!] as const;
      shapes.get(name)!.set(pair.join(' '), pair);
    }
  }
  return [...shapes].map(([name, pairs]) => ({
    name,
    types: [...pairs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pair]) => pair),
  }));
}
