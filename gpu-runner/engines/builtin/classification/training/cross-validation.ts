import type { TrainSettings } from '../../../engine.js';
import type { HeadTrainerInput } from '../../head.js';
import { Random } from '../../random.js';
import { GradientLearner } from './gradient-learner.js';
import { linearScores } from '../head.js';
import { marginScores, type MarginMachine } from './margin-machine.js';
import type { JudgedRow } from './mixture.js';
import { restricted, selectRows, termsIn, type VectorRows } from './rows.js';
import type { TrainableWeights } from './weights.js';

/** Up to this number of rows, the tenth held out for validation is too small to choose by. */
const MAX_ROWS = 2000;
/** Scores that are kept, 8 bytes each: of every row, after each epoch, for each class. */
const MAX_SCORES = 20_000_000;
/** Parts the rows are cut into: more if each row counts. */
const MANY_PARTS = 5;
const FEW_PARTS = 3;
const ROWS_FOR_FEW_PARTS = 120;

/** The same rows as vectors of the encoder, and what learns from them. */
export interface VectorLearner {
  readonly rows: VectorRows;
  readonly createMachine: (rows: VectorRows, random: Random) => MarginMachine;
  /** Scores by the names of the classes; null if these tell nothing. */
  readonly names: MarginMachine | null;
}

interface CrossValidationInput {
  readonly rows: VectorRows;
  /** Number of leading rows, which are held out in turn; those after them (names of labels) are always trained on. */
  readonly examples: number;
  readonly terms: number;
  readonly classes: number;
  readonly settings: TrainSettings;
  readonly createWeights: (random: Random) => TrainableWeights;
  readonly createMachine: (rows: VectorRows, random: Random) => MarginMachine | null;
  /** Present if the base has an encoder. */
  readonly vectors: VectorLearner | null;
  /** Present if that has an inner layer. */
  readonly inner: VectorLearner | null;
  /** Called after each epoch of each part. */
  readonly working?: HeadTrainerInput['working'];
}

/**
 * Scores of every row, after each epoch, by learners that did not see it (Stone 1974). A function of its input alone,
 * so that a resumed training repeats it.
 * @returns by epoch, the first at index 0; null if there are too few rows to cut, or enough held-out ones to choose by,
 * or too many scores to keep
 */
export function crossValidate(input: CrossValidationInput): readonly (readonly JudgedRow[])[] | null {
  const { rows, examples, classes, settings } = input;
  if (examples < 2 || examples > MAX_ROWS) return null;
  if (settings.epochs * examples * classes > MAX_SCORES) return null;
  const order = Uint32Array.from({ length: examples }, (_, row) => row);
  new Random(settings.seed).shuffle(order);
  const names = Array.from({ length: rows.count - examples }, (_, name) => examples + name);
  const parts = Math.min(examples, examples > ROWS_FOR_FEW_PARTS ? FEW_PARTS : MANY_PARTS);
  const epochs = Array.from({ length: settings.epochs }, (): JudgedRow[] => []);
  for (let part = 0; part < parts; part++) {
    const heldOut = [...order.filter((_row, at) => at % parts === part)];
    const learned = [...order.filter((_row, at) => at % parts !== part), ...names];
    const held = selectRows(rows, heldOut);
    const train = selectRows(rows, learned);
    const random = new Random(settings.seed + part);
    const machine = input.createMachine(train, random);
    const seen = termsIn(train, input.terms);
    const vectors = Array.from({ length: held.count }, (_, row) => restricted(held.vector(row), seen));
    const margins = vectors.map((vector) => (machine === null ? null : marginScores(machine, vector)));
    const vectorScores = input.vectors && scoresByVectors(input.vectors, learned, heldOut, settings.seed + part);
    const innerScores = input.inner && scoresByVectors(input.inner, learned, heldOut, settings.seed + part);
    const { rows: encoded, names: named } = input.vectors ?? { rows: null, names: null };
    const nameScores = named && heldOut.map((row) => marginScores(named, encoded.vector(row)));
    const learner = new GradientLearner(settings, train, classes, input.createWeights(random), random);
    for (const judged of epochs) {
      for (let step = 0; step < learner.stepsPerEpoch; step++) learner.step();
      const linear = learner.weights.toLinear();
      for (let row = 0; row < held.count; row++)
        judged.push({
          gradient: linearScores(linear, vectors[row]!),
          margin: margins[row]!,
          vector: vectorScores && vectorScores[row]!,
          inner: innerScores && innerScores[row]!,
          name: nameScores && nameScores[row]!,
          gold: held.labels(row),
        });
      input.working?.();
    }
  }
  return epochs;
}

function scoresByVectors(
  { rows, createMachine }: VectorLearner,
  learned: readonly number[],
  heldOut: readonly number[],
  seed: number,
): Float64Array[] {
  const machine = createMachine(selectRows(rows, learned), new Random(seed));
  return heldOut.map((row) => marginScores(machine, rows.vector(row)));
}
