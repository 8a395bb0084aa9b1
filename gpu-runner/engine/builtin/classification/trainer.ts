import type { TrainSettings } from '../../engine.js';
import { learningRateFactor, learningRateRatio } from '../entities/learning-rate.js';
import type { HeadState, HeadTrainer, HeadTrainerInput, HeadValidation } from '../head.js';
import { Random } from '../random.js';
import { chooseDecisionPoint, f1At, fitTemperature } from './calibration.js';
import { buildCorpus, type Corpus, type LabelledText } from './corpus.js';
import { exportHead, linearScores, parseHead, type StoredHead } from './head.js';
import { meanLoss, sigmoid, softmaxInPlace, softplus, type ScoredRow } from './probability.js';
import { buildVocabulary, type SparseVector, type Vocabulary } from './vocabulary.js';
import { FullWeights, LowRankWeights, type Start, type TrainableWeights } from './weights.js';

/**
 * AdaGrad's rate at the default learning rate of a job. These and the figures below were chosen on splits of training data
 * (Banking77; for several labels a row, which slots a SNIPS sentence has).
 */
function tunedRate({ trainingType, multiLabel }: TrainSettings): number {
  if (trainingType === 'full') return 0.5;
  return multiLabel ? 0.2 : 0.1;
}

/** Share of a row's terms left out of a step; LoRA's own dropout comes on top. */
const termDropout = 0.45;
const labelSmoothing = 0.05;
/** The weight decay of a job as an L2 penalty: small, since AdaGrad repeats it at each touch of a term. */
const decayScale = 1e-4;
/** Above this many rows a term must occur in two. */
const manyRows = 2000;
/** Keeps training under about half a gigabyte however many labels or ranks there are... */
const maximumWeights = 40_000_000;
/** ...and an artifact at a few megabytes however many rows. */
const maximumTerms = 131_072;
/** Terms of training rows kept as vectors, 8 bytes each; rows beyond are read again at each step. */
const maximumKept = 30_000_000;

/**
 * Multinomial or one-against-rest logistic regression on tf-idf terms, with term dropout and label smoothing, under AdaGrad.
 * @throws TrainingError when the rows do not make a classifier
 */
export function createClassificationTrainer(input: HeadTrainerInput): HeadTrainer {
  const { settings, startFrom, log } = input;
  const earlier = startFrom === null ? null : continuable(parseHead(startFrom), settings, log);
  const corpus = buildCorpus(input.train, input.validation, settings.multiLabel, earlier?.labels ?? []);
  const texts = corpus.train.map((row) => row.text);
  const vocabulary = buildVocabulary(
    texts,
    {
      minimumTexts: texts.length > manyRows ? 2 : 1,
      maximumTerms: Math.min(maximumTerms, Math.floor(maximumWeights / weightsPerTerm(settings, corpus))),
    },
    earlier?.vocabulary ?? null,
  );
  const random = new Random(settings.seed);
  const start = earlier === null ? null : { weights: earlier.weights, labels: earlier.labels.length };
  const weights = createWeights(vocabulary, corpus, settings, start, random, log);
  return new ClassificationTrainer(settings, corpus, vocabulary, weights, random);
}

function continuable(earlier: StoredHead, settings: TrainSettings, log: HeadTrainerInput['log']): StoredHead | null {
  if (earlier.multiLabel === settings.multiLabel) return earlier;
  log('The earlier classifier was for another label mode (one or several labels a row): starting afresh.');
  return null;
}

function weightsPerTerm({ trainingType, loraR }: TrainSettings, { labels }: Corpus): number {
  return trainingType === 'full' ? labels.length : effectiveRank(loraR, labels.length);
}

function createWeights(
  vocabulary: Vocabulary,
  { labels }: Corpus,
  { trainingType, loraR, loraAlpha }: TrainSettings,
  start: Start | null,
  random: Random,
  log: HeadTrainerInput['log'],
): TrainableWeights {
  const described = `${labels.length} classes over ${vocabulary.size} terms`;
  if (trainingType === 'full') {
    log(`Classification: ${described}, full weights.`);
    return new FullWeights(vocabulary.size, labels.length, start);
  }
  const rank = effectiveRank(loraR, labels.length);
  log(
    rank === loraR
      ? `Classification: ${described}, rank ${rank}.`
      : `Classification: ${described}, rank ${rank} (lora_r ${loraR}, raised for the number of classes).`,
  );
  return new LowRankWeights(vocabulary.size, labels.length, { rank, scale: loraAlpha / loraR / 2 }, start, random);
}

/**
 * The rank of a classification head under LoRA. Here the product is all there is, with no pretrained matrix beneath it, so
 * that many classes need more directions than an adapter's rank: up to three times `loraR`, but no more than there are classes.
 */
export function effectiveRank(loraR: number, labels: number): number {
  return Math.max(loraR, Math.min(3 * loraR, labels));
}

class ClassificationTrainer implements HeadTrainer {
  readonly stepsPerEpoch: number;
  /** Vectors of the first training rows, as many as memory allows. */
  private readonly vectors: readonly SparseVector[];
  private readonly validation: readonly { readonly vector: SparseVector; readonly gold: readonly number[] }[];
  private readonly order: Int32Array;
  private readonly scores: Float32Array;
  private stepsDone = 0;

  constructor(
    readonly settings: TrainSettings,
    readonly corpus: Corpus,
    readonly vocabulary: Vocabulary,
    readonly weights: TrainableWeights,
    readonly random: Random,
  ) {
    this.vectors = vectorizeFirst(corpus.train, vocabulary);
    this.validation = corpus.validation.map((row) => ({ vector: vocabulary.vectorize(row.text), gold: row.labels }));
    this.order = Int32Array.from(corpus.train.keys());
    this.scores = new Float32Array(corpus.labels.length);
    this.stepsPerEpoch = Math.ceil(corpus.train.length / settings.batchSize);
  }

  step(): number {
    const { settings, weights, corpus, vocabulary } = this;
    const stepInEpoch = this.stepsDone % this.stepsPerEpoch;
    if (stepInEpoch === 0) this.random.shuffle(this.order);
    const batch = this.order.subarray(stepInEpoch * settings.batchSize, (stepInEpoch + 1) * settings.batchSize);
    let loss = 0;
    for (const index of batch) {
      const vector = this.withDropout(this.vectors[index] ?? vocabulary.vectorize(corpus.train[index]!.text));
      weights.score(vector, this.scores);
      loss += this.toErrors(corpus.train[index]!);
      weights.accumulate(vector, this.scores);
    }
    const total = settings.epochs * this.stepsPerEpoch;
    weights.apply({
      rate:
        tunedRate(settings) *
        learningRateRatio(settings) *
        learningRateFactor(settings.scheduler, this.stepsDone, total, settings.warmupRatio),
      scale: 1 / batch.length,
      decay: settings.weightDecay * decayScale,
    });
    this.stepsDone++;
    return loss / batch.length;
  }

  validate(): HeadValidation {
    const { multiLabel } = this.settings;
    const rows = this.scoreValidation();
    const { temperature, decisionPoint } = this.calibrate(rows);
    return {
      loss: meanLoss(rows, multiLabel, temperature),
      f1: multiLabel ? f1At(rows, temperature, decisionPoint) : shareOfRight(rows),
    };
  }

  exportModel(): HeadState {
    const { corpus, vocabulary, settings } = this;
    return exportHead({
      labels: corpus.labels,
      multiLabel: settings.multiLabel,
      ...this.calibrate(this.scoreValidation()),
      vocabulary,
      weights: this.weights.toLinear(),
    });
  }

  saveState(): HeadState {
    return {
      config: { step: this.stepsDone },
      tensors: {
        ...this.weights.saveState(),
        random: this.random.save(),
        order: { shape: [this.order.length], data: this.order.slice() },
      },
    };
  }

  restoreState({ config, tensors }: HeadState): void {
    this.stepsDone = config['step'] as number;
    this.weights.restoreState(tensors);
    this.random.restore(tensors['random']!);
    this.order.set(tensors['order']!.data as Int32Array);
  }

  private calibrate(rows: readonly ScoredRow[]): { readonly temperature: number; readonly decisionPoint: number } {
    const { multiLabel } = this.settings;
    const temperature = fitTemperature(rows, multiLabel);
    return { temperature, decisionPoint: multiLabel ? chooseDecisionPoint(rows, temperature) : 0.5 };
  }

  /** Scores of the validation rows, by the weights as they would be served. */
  private scoreValidation(): ScoredRow[] {
    const linear = this.weights.toLinear();
    return this.validation.map(({ vector, gold }) => ({ scores: linearScores(linear, vector), gold }));
  }

  private withDropout({ indices, values }: SparseVector): SparseVector {
    const { trainingType, loraDropout } = this.settings;
    const keep = (1 - termDropout) * (trainingType === 'lora' ? 1 - loraDropout : 1);
    const kept = new Float32Array(values.length);
    for (let i = 0; i < values.length; i++) kept[i] = this.random.next() < keep ? values[i]! / keep : 0;
    return { indices, values: kept };
  }

  /** Replaces the scores of a row by the derivative of its smoothed loss. @returns its loss without smoothing */
  private toErrors({ labels }: LabelledText): number {
    return this.settings.multiLabel ? sigmoidErrors(this.scores, labels) : softmaxErrors(this.scores, labels[0]!);
  }
}

function vectorizeFirst(rows: readonly LabelledText[], vocabulary: Vocabulary): SparseVector[] {
  const vectors: SparseVector[] = [];
  let kept = 0;
  for (const { text } of rows) {
    const vector = vocabulary.vectorize(text);
    kept += vector.indices.length;
    if (kept > maximumKept) break;
    vectors.push(vector);
  }
  return vectors;
}

/** Cross-entropy against (1 - smoothing) on the label plus smoothing spread evenly. */
export function softmaxErrors(scores: Float32Array, label: number): number {
  const score = scores[label]!;
  const loss = softmaxInPlace(scores) - score;
  for (let k = 0; k < scores.length; k++) scores[k]! -= labelSmoothing / scores.length;
  scores[label]! -= 1 - labelSmoothing;
  return loss;
}

/** Sum of binary cross-entropies against targets of smoothing / 2 and 1 - smoothing / 2. */
export function sigmoidErrors(scores: Float32Array, labels: readonly number[]): number {
  let loss = 0;
  for (const label of labels) {
    loss -= scores[label]!;
  }
  for (let k = 0; k < scores.length; k++) {
    loss += softplus(scores[k]!);
    scores[k] = sigmoid(scores[k]!) - labelSmoothing / 2;
  }
  for (const label of labels) scores[label]! -= 1 - labelSmoothing;
  return loss;
}

/** Share of the rows whose best class is right: micro-F1 where each row has one. */
function shareOfRight(rows: readonly ScoredRow[]): number {
  const right = rows.filter(({ scores, gold }) => gold.includes(scores.indexOf(Math.max(...scores))));
  return rows.length === 0 ? 0 : right.length / rows.length;
}
