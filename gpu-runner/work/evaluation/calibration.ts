import type { Calibration, EvaluationMetrics } from '#domain/evaluation/index.js';
import type { Example, Prediction } from '#gpu-runner/engines/engine.js';
import { rounded } from './figures.js';

const BINS = 10;

/** Confidence of a model in an answer, 0 to 1, and whether the answer was right. */
interface Answer {
  readonly confidence: number;
  readonly isRight: boolean;
}

/**
 * Measures how well confidences predict the share of right answers, for each head that gives confidences.
 * @param predicted one for each gold row, in order
 */
export function calibrationOf(
  gold: readonly Example[],
  predicted: readonly Prediction[],
): NonNullable<EvaluationMetrics['calibration']> {
  const answers = { entities: [] as Answer[], classification: [] as Answer[] };
  gold.forEach((row, index) => {
    const told: Prediction = predicted[index] ?? { text: row.text };
    const { entities = [], entityConfidences = [], labels = [], labelConfidences = [] } = told;
    if (row.entities) {
      const right = new Set(row.entities.map(placeOf));
      answers.entities.push(...answersOf(entities.map(placeOf), entityConfidences, right));
    }
    if (row.labels) answers.classification.push(...answersOf(labels, labelConfidences, new Set(row.labels)));
  });
  return Object.fromEntries(
    Object.entries(answers).flatMap(([head, each]) => (each.length > 0 ? [[head, binned(each)]] : [])),
  );
}

const placeOf = ({ start, end, label }: NonNullable<Example['entities']>[number]): string => `${start} ${end} ${label}`;

const answersOf = (told: readonly string[], confidences: readonly number[], right: ReadonlySet<string>): Answer[] =>
  told.flatMap((each, at) => {
    const confidence = confidences[at];
    return confidence === undefined ? [] : [{ confidence, isRight: right.has(each) }];
  });

function binned(answers: readonly Answer[]): Calibration {
  const bins = binsOf(answers);
  return {
    ...rounded({ expectedError: errorOf(bins) }),
    bins: bins.map(({ count, confidence, right }) =>
      rounded({
        count,
        meanConfidence: count === 0 ? null : confidence / count,
        accuracy: count === 0 ? null : right / count,
      }),
    ),
  };
}

/** Answers of like confidence: their number, the sum of their confidences, and how many are right. */
interface Bin {
  count: number;
  confidence: number;
  right: number;
}

function binsOf(answers: readonly Answer[]): readonly Bin[] {
  const bins = Array.from({ length: BINS }, (): Bin => ({ count: 0, confidence: 0, right: 0 }));
  for (const { confidence, isRight } of answers) {
    const bin = bins[Math.min(BINS - 1, Math.floor(confidence * BINS))]!;
    bin.count += 1;
    bin.confidence += confidence;
    if (isRight) bin.right += 1;
  }
  return bins;
}

/**
 * Expected calibration error (Guo et al. 2017): the mean difference between confidence and share of right answers in ten bins of
 * equal width, weighted by their sizes; 0 to 1. At least one bin holds an answer.
 */
const errorOf = (bins: readonly Bin[]): number =>
  bins.reduce((sum, { confidence, right }) => sum + Math.abs(confidence - right), 0) /
  bins.reduce((sum, { count }) => sum + count, 0);
