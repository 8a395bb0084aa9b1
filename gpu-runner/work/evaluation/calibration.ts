import type { Calibration, EvaluationMetrics } from '#domain/evaluation/index.js';
import type { Example, Prediction } from '#gpu-runner/engines/engine.js';
import { binsOf, calibrationError, type Candidate } from '#gpu-runner/engines/confidence-figures.js';
import { rounded } from './figures.js';

/**
 * Measures how well confidences predict the share of right answers, for each head that gives confidences.
 * @param predicted one for each gold row, in order
 */
export function calibrationOf(
  gold: readonly Example[],
  predicted: readonly Prediction[],
): NonNullable<EvaluationMetrics['calibration']> {
  const answers = new Map<string, Candidate[]>();
  const add = (head: string, found: readonly Candidate[]) => {
    if (!answers.has(head)) answers.set(head, []);
    answers.get(head)!.push(...found);
  };
  gold.forEach((row, index) => {
    const told: Prediction = predicted[index] ?? { text: row.text };
    const { entities = [], entityConfidences = [], labels = [], labelConfidences = [], tasks = [] } = told;
    if (row.entities) {
      const right = new Set(row.entities.map(placeOf));
      add('entities', answersOf(entities.map(placeOf), entityConfidences, right));
    }
    if (row.labels) add('classification', answersOf(labels, labelConfidences, new Set(row.labels)));
    for (const { task, labels: right } of row.tasks ?? []) {
      const { labels: found = [], confidences = [] } = tasks.find((each) => each.task === task) ?? {};
      add(task, answersOf(found, confidences, new Set(right)));
    }
  });
  return Object.fromEntries([...answers].flatMap(([head, each]) => (each.length > 0 ? [[head, binned(each)]] : [])));
}

const placeOf = ({ start, end, label }: NonNullable<Example['entities']>[number]): string => `${start} ${end} ${label}`;

const answersOf = (told: readonly string[], confidences: readonly number[], right: ReadonlySet<string>): Candidate[] =>
  told.flatMap((each, at) => {
    const confidence = confidences[at];
    return confidence === undefined ? [] : [{ confidence, isRight: right.has(each) }];
  });

function binned(answers: readonly Candidate[]): Calibration {
  return {
    ...rounded({ expectedError: calibrationError(answers)! }),
    bins: binsOf(answers).map(({ count, confidence, right }) =>
      rounded({
        count,
        meanConfidence: count === 0 ? null : confidence / count,
        accuracy: count === 0 ? null : right / count,
      }),
    ),
  };
}
