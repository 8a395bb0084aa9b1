import type { TrainSettings } from '../../../engine.js';
import { learningRateFactor, learningRateRatio } from '../../entities/training/learning-rate.js';
import type { HeadState } from '../../head.js';
import type { Random } from '../../random.js';
import { sigmoid, softmaxInPlace, softplus } from '../probability.js';
import type { VectorRows } from './rows.js';
import type { SparseVector } from '../terms/vocabulary.js';
import type { TrainableWeights } from './weights.js';

/**
 * AdaGrad's rate at the default learning rate of a job. These and the figures below were chosen on splits of training data
 * (Banking77; for several labels a row, which slots a SNIPS sentence has).
 */
function tunedRate({ trainingType, multiLabel }: TrainSettings): number {
  if (trainingType === 'full') return 0.5;
  return multiLabel ? 0.2 : 0.1;
}

/** Share of a row's terms left out of a step; LoRA's own dropout comes on top. */
const TERM_DROPOUT = 0.45;
const LABEL_SMOOTHING = 0.05;
/** The weight decay of a job as an L2 penalty: small, since AdaGrad repeats it at each touch of a term. */
const DECAY_SCALE = 1e-4;

/** Multinomial or one-against-rest logistic regression, with term dropout and label smoothing, under AdaGrad. */
export class GradientLearner {
  readonly stepsPerEpoch: number;
  private readonly order: Int32Array;
  private readonly scores: Float32Array;
  private stepsDone = 0;

  constructor(
    private readonly settings: TrainSettings,
    private readonly rows: VectorRows,
    classes: number,
    readonly weights: TrainableWeights,
    private readonly random: Random,
  ) {
    this.order = Int32Array.from({ length: rows.count }, (_, row) => row);
    this.scores = new Float32Array(classes);
    this.stepsPerEpoch = Math.ceil(rows.count / settings.batchSize);
  }

  /** The epoch that the last step belongs to, from 1. */
  get epoch(): number {
    return Math.max(1, Math.ceil(this.stepsDone / this.stepsPerEpoch));
  }

  /** Takes one optimiser step on the next rows. @returns the mean loss of a row */
  step(): number {
    const { settings, weights, rows } = this;
    const stepInEpoch = this.stepsDone % this.stepsPerEpoch;
    if (stepInEpoch === 0) this.random.shuffle(this.order);
    const batch = this.order.subarray(stepInEpoch * settings.batchSize, (stepInEpoch + 1) * settings.batchSize);
    let loss = 0;
    for (const row of batch) {
      const vector = this.withDropout(rows.vector(row));
      weights.score(vector, this.scores);
      loss += this.toErrors(rows.labels(row));
      weights.accumulate(vector, this.scores);
    }
    const total = settings.epochs * this.stepsPerEpoch;
    weights.apply({
      rate:
        tunedRate(settings) *
        learningRateRatio(settings) *
        learningRateFactor(settings.scheduler, this.stepsDone, total, settings.warmupRatio),
      scale: 1 / batch.length,
      decay: settings.weightDecay * DECAY_SCALE,
    });
    this.stepsDone++;
    return loss / batch.length;
  }

  /** Weights, order and cursor; the generator is saved by its owner. */
  saveState(): HeadState {
    return {
      config: { step: this.stepsDone },
      tensors: {
        ...this.weights.saveState(),
        order: { shape: [this.order.length], data: this.order.slice() },
      },
    };
  }

  restoreState({ config, tensors }: HeadState): void {
    this.stepsDone = config['step'] as number;
    this.weights.restoreState(tensors);
    this.order.set(tensors['order']!.data as Int32Array);
  }

  private withDropout({ indices, values }: SparseVector): SparseVector {
    const { trainingType, loraDropout } = this.settings;
    const keep = (1 - TERM_DROPOUT) * (trainingType === 'lora' ? 1 - loraDropout : 1);
    const kept = new Float32Array(values.length);
    for (let i = 0; i < values.length; i++) kept[i] = this.random.next() < keep ? values[i]! / keep : 0;
    return { indices, values: kept };
  }

  /** Replaces the scores of a row by the derivative of its smoothed loss. @returns its loss without smoothing */
  private toErrors(labels: readonly number[]): number {
    return this.settings.multiLabel ? sigmoidErrors(this.scores, labels) : softmaxErrors(this.scores, labels[0]!);
  }
}

/** Cross-entropy against (1 - smoothing) on the label plus smoothing spread evenly. */
export function softmaxErrors(scores: Float32Array, label: number): number {
  const score = scores[label]!;
  const loss = softmaxInPlace(scores) - score;
  for (let k = 0; k < scores.length; k++) scores[k]! -= LABEL_SMOOTHING / scores.length;
  scores[label]! -= 1 - LABEL_SMOOTHING;
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
    scores[k] = sigmoid(scores[k]!) - LABEL_SMOOTHING / 2;
  }
  for (const label of labels) scores[label]! -= 1 - LABEL_SMOOTHING;
  return loss;
}
