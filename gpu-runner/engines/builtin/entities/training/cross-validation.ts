import type { TrainSettings } from '../../../engine.js';
import type { HeadTrainerInput } from '../../head.js';
import { Random } from '../../random.js';
import { chooseDecisionPoint, f1At } from '../calibration.js';
import { poolJudgements, type CrfLearner, type RowsJudgement } from './learner.js';
import { learningRateFactor, learningRateRatio } from './learning-rate.js';
import { labelledSegments } from './labelled-segments.js';
import { selectRows, type CompiledRows } from './rows.js';
import type { Parts } from './span-stacker.js';

/** Up to this number of rows, the tenth held out for validation is too small to choose by. */
const MAX_ROWS = 600;
/** Parts the rows are cut into: more if each row counts. */
const MANY_PARTS = 5;
const FEW_PARTS = 3;
const ROWS_FOR_FEW_PARTS = 120;
/** Epochs after which prior weights are compared: their order does not change after that. */
const EPOCHS_TO_COMPARE = 5;
/** F1 that speaks for the larger of two prior weights, times the square root of the gold spans. */
const TRUST = 0.1;

export interface CrossValidationInput {
  readonly rows: CompiledRows;
  /** Factors on the base's opinion to choose from, in ascending order. */
  readonly priorWeights: readonly number[];
  readonly settings: TrainSettings;
  /** A learner at the start of training, of the same kind as the one that is to be served. */
  readonly createLearner: (rows: CompiledRows, priorWeight: number, random: Random) => CrfLearner;
  /** Called after each epoch of each part. */
  readonly working?: HeadTrainerInput['working'];
}

export interface CrossValidation {
  readonly priorWeight: number;
  /**
   * Judgements of all rows after an epoch, each by the learner that did not see the row: one list for each temperature.
   * @param epoch from 1
   */
  after(epoch: number, temperatures: readonly number[]): readonly RowsJudgement[];
  /** Likely spans of each part of the rows after an epoch, by the learner that did not see it. */
  segments(epoch: number, temperature: number): Parts;
}

/**
 * Chooses how much the base's opinion counts, and foretells each epoch, by cross-validation: if rows are few, every one
 * of them is needed both for training and for judging (Stone 1974). A function of its input alone, so that a resumed
 * training repeats it.
 * @returns null if rows are too few to cut, or enough to choose by those held out
 */
export function crossValidate(input: CrossValidationInput): CrossValidation | null {
  const { rows } = input;
  if (rows.rowCount < 2 || rows.rowCount > MAX_ROWS) return null;
  const folds = cut(rows, input.settings.seed);
  return new FoldedRun(input, folds, priorWeightFor(input, folds));
}

/** The prior weight that does best on rows held out in turn, or on a sample of them if they are many. */
export function priorWeightFor(input: CrossValidationInput, folds = cut(input.rows, input.settings.seed)): number {
  const { priorWeights, settings } = input;
  const epochs = Math.min(EPOCHS_TO_COMPARE, settings.epochs);
  return choosePriorWeight(priorWeights, (weight) => new FoldedRun(input, folds, weight).after(epochs, [1])[0]!);
}

function cut(rows: CompiledRows, seed: number): Fold[] {
  const order = Uint32Array.from({ length: rows.rowCount }, (_, row) => row);
  new Random(seed).shuffle(order);
  const used = [...order.subarray(0, MAX_ROWS)];
  const parts = Math.min(used.length, used.length > ROWS_FOR_FEW_PARTS ? FEW_PARTS : MANY_PARTS);
  return Array.from({ length: parts }, (_, part) => ({
    train: selectRows(
      rows,
      used.filter((_row, k) => k % parts !== part),
    ),
    held: selectRows(
      rows,
      used.filter((_row, k) => k % parts === part),
    ),
  }));
}

/** Chooses the best weight; the greater of equals, which is more robust if later texts differ from these. */
function choosePriorWeight(weights: readonly number[], judge: (weight: number) => RowsJudgement): number {
  let best = { weight: weights[0]!, merit: -Infinity };
  for (const weight of weights.length > 1 ? weights : []) {
    const judgement = judge(weight);
    const f1 = f1At(judgement, chooseDecisionPoint(judgement));
    const merit = f1 + (TRUST * weight) / Math.sqrt(Math.max(1, judgement.gold));
    if (merit >= best.merit) best = { weight, merit };
  }
  return best.weight;
}

interface Fold {
  readonly train: CompiledRows;
  readonly held: CompiledRows;
}

/** A learner for each part, all with one prior weight, which advance together as far as results are requested. */
class FoldedRun implements CrossValidation {
  private learners: readonly CrfLearner[];
  private epochsDone = 0;
  /** By epoch and temperatures. */
  private readonly judged = new Map<string, readonly RowsJudgement[]>();

  constructor(
    private readonly input: CrossValidationInput,
    private readonly folds: readonly Fold[],
    readonly priorWeight: number,
  ) {
    this.learners = this.newLearners();
  }

  after(epoch: number, temperatures: readonly number[]): readonly RowsJudgement[] {
    const key = JSON.stringify([epoch, temperatures]);
    const known = this.judged.get(key);
    if (known) return known;
    this.goTo(epoch);
    const parts = this.learners.map((learner, part) => learner.judge(this.folds[part]!.held, temperatures));
    const judgements = temperatures.map((_, at) => poolJudgements(parts.map((part) => part[at]!)));
    this.judged.set(key, judgements);
    return judgements;
  }

  segments(epoch: number, temperature: number): Parts {
    this.goTo(epoch);
    return this.learners.map((learner, part) => labelledSegments(learner, this.folds[part]!.held, temperature));
  }

  private goTo(epoch: number): void {
    if (epoch < this.epochsDone) {
      this.learners = this.newLearners();
      this.epochsDone = 0;
    }
    while (this.epochsDone < epoch) this.advance();
  }

  private newLearners(): CrfLearner[] {
    const { createLearner, settings } = this.input;
    return this.folds.map(({ train }, part) =>
      createLearner(train, this.priorWeight, new Random(settings.seed + part)),
    );
  }

  private advance(): void {
    const { settings } = this.input;
    const epoch = this.epochsDone++;
    for (const learner of this.learners) {
      const { stepsPerEpoch } = learner;
      const total = settings.epochs * stepsPerEpoch;
      for (let step = epoch * stepsPerEpoch; step < (epoch + 1) * stepsPerEpoch; step++) {
        const factor = learningRateFactor(settings.scheduler, step, total, settings.warmupRatio);
        learner.step(factor * learningRateRatio(settings));
      }
      this.input.working?.();
    }
  }
}
