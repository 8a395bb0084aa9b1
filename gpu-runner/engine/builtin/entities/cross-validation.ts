import type { TrainSettings } from '../../engine.js';
import { Random } from '../random.js';
import { chooseDecisionPoint, f1At } from './calibration.js';
import { poolJudgements, type CrfLearner, type RowsJudgement } from './learner.js';
import { learningRateFactor, learningRateRatio } from './learning-rate.js';
import { selectRows, type CompiledRows } from './rows.js';

/** Up to so many rows the tenth held out for validation is too small to choose by. */
const mostRows = 600;
/** Parts the rows are cut into: more where each row counts. */
const manyParts = 5;
const fewParts = 3;
const rowsForFewParts = 120;
/** Epochs after which prior weights are compared: their order does not change after that. */
const epochsToCompare = 5;
/** F1 that speaks for the larger of two prior weights, times the square root of the gold spans. */
const trust = 0.1;

export interface CrossValidationInput {
  readonly rows: CompiledRows;
  /** Factors on the base's opinion to choose from, in ascending order. */
  readonly priorWeights: readonly number[];
  readonly temperatures: readonly number[];
  readonly settings: TrainSettings;
  /** A learner at the start of training, of the same kind as the one that is to be served. */
  readonly createLearner: (rows: CompiledRows, priorWeight: number, random: Random) => CrfLearner;
}

export interface CrossValidation {
  readonly priorWeight: number;
  /** For each epoch, by temperature: how every row was judged by the learner that did not see it. */
  readonly epochs: readonly ReadonlyMap<number, RowsJudgement>[];
}

/**
 * Chooses how much the base's opinion counts, and foretells each epoch, by cross-validation: where rows are few every one of
 * them is needed both to learn from and to judge by (Stone 1974). A function of its input alone, so that a resumed training
 * repeats it.
 * @returns null where rows are too few to cut, or enough to choose by those held out
 */
export function crossValidate(input: CrossValidationInput): CrossValidation | null {
  const { rows, priorWeights, settings } = input;
  if (rows.rowCount < 2 || rows.rowCount > mostRows) return null;
  const parts = Math.min(rows.rowCount, rows.rowCount > rowsForFewParts ? fewParts : manyParts);
  const order = Uint32Array.from({ length: rows.rowCount }, (_, row) => row);
  new Random(settings.seed).shuffle(order);
  const cut = Array.from({ length: parts }, (_, part) => ({
    train: selectRows(
      rows,
      [...order].filter((_row, k) => k % parts !== part),
    ),
    held: selectRows(
      rows,
      [...order].filter((_row, k) => k % parts === part),
    ),
  }));
  const runs = priorWeights.map((priorWeight) => new FoldedRun(input, cut, priorWeight));
  if (runs.length > 1) {
    for (const run of runs)
      for (let epoch = 0; epoch < Math.min(epochsToCompare, settings.epochs); epoch++) run.advance();
  }
  const chosen = runs.length > 1 ? best(runs) : runs[0]!;
  while (chosen.epochs.length < settings.epochs) chosen.advance();
  return chosen;
}

/** Of equals the greater prior weight: it holds where the texts to come differ from these. */
function best(runs: readonly FoldedRun[]): FoldedRun {
  let chosen = runs.at(-1)!;
  let value = -Infinity;
  for (const run of runs) {
    const judgement = run.epochs.at(-1)!.get(1)!;
    const f1 = f1At(judgement, chooseDecisionPoint(judgement));
    const merit = f1 + (trust * run.priorWeight) / Math.sqrt(Math.max(1, judgement.gold));
    if (merit >= value) {
      chosen = run;
      value = merit;
    }
  }
  return chosen;
}

interface Fold {
  readonly train: CompiledRows;
  readonly held: CompiledRows;
}

/** A learner for each part, all of one prior weight, that run epoch by epoch together. */
class FoldedRun implements CrossValidation {
  readonly epochs: ReadonlyMap<number, RowsJudgement>[] = [];
  readonly #learners: readonly CrfLearner[];

  constructor(
    private readonly input: CrossValidationInput,
    private readonly folds: readonly Fold[],
    readonly priorWeight: number,
  ) {
    const { createLearner, settings } = input;
    this.#learners = folds.map(({ train }, part) =>
      createLearner(train, priorWeight, new Random(settings.seed + part)),
    );
  }

  advance(): void {
    const { settings, temperatures } = this.input;
    const { scheduler, warmupRatio, epochs } = settings;
    const epoch = this.epochs.length;
    for (const learner of this.#learners) {
      const { stepsPerEpoch } = learner;
      for (let k = 0; k < stepsPerEpoch; k++) {
        const factor = learningRateFactor(scheduler, epoch * stepsPerEpoch + k, epochs * stepsPerEpoch, warmupRatio);
        learner.step(factor * learningRateRatio(settings));
      }
    }
    this.epochs.push(
      new Map(
        temperatures.map((temperature) => [
          temperature,
          poolJudgements(this.#learners.map((learner, part) => learner.judge(this.folds[part]!.held, temperature))),
        ]),
      ),
    );
  }
}
