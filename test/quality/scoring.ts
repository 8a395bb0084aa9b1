import type { Example } from '#gpu-runner/engine/engine.js';
import { evaluationFigures } from '#gpu-runner/engine/evaluation-figures.js';
import { expectedCalibrationError } from '#gpu-runner/work/calibration.js';
import type { Head } from './sets.js';

/** A system's answer to a text. */
export interface Prediction extends Omit<Example, 'text'> {
  /** Confidences of the entities or labels, in order, 0 to 1; absent where the system gives none. */
  readonly confidences?: readonly number[];
}

/** Accuracy of one label a row; otherwise micro-F1 of exact spans with their labels, of values, of relations. */
export function figureOf(head: Head, gold: readonly Example[], predictions: readonly Prediction[]): number {
  const answered = gold.map(({ text }, row) => ({ text, ...predictions[row] }));
  const asked = gold.map((row) => ({ text: row.text, [head]: row[head] }));
  const { accuracy, f1 } = evaluationFigures(asked, answered);
  return head === 'labels' ? accuracy : f1;
}

/**
 * Expected calibration error of all that was predicted. What was missed has no confidence and no part in it.
 * @returns 0 to 1; null where there is no confidence
 */
export function calibrationError(
  head: Head,
  gold: readonly Example[],
  predictions: readonly Prediction[],
): number | null {
  const answers = gold.flatMap((row, index) => {
    const { confidences = [] } = predictions[index]!;
    const verdicts = verdictsOf(head, row, predictions[index]!);
    return confidences.map((confidence, at) => ({ confidence, isRight: verdicts[at]! }));
  });
  return answers.length === 0 ? null : expectedCalibrationError(answers);
}

/** Tells for each answer, in order, whether it is right. */
function verdictsOf(head: Head, gold: Example, { labels = [], entities = [] }: Prediction): boolean[] {
  if (head === 'labels') return labels.map((label) => gold.labels!.includes(label));
  return entities.map(({ start, end, label }) =>
    gold.entities!.some((span) => span.start === start && span.end === end && span.label === label),
  );
}
