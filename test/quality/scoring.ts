import type { Example } from '#gpu-runner/engines/engine.js';
import { evaluationFigures } from '#gpu-runner/engines/evaluation-figures.js';
import { calibrationOf } from '#gpu-runner/work/evaluation/calibration.js';
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
  const asked = gold.map((row) => ({ text: row.text, [head]: row[head] }));
  const answered = predictions.map(({ confidences, ...each }, row) => ({
    text: gold[row]!.text,
    ...each,
    ...(confidences && { entityConfidences: confidences, labelConfidences: confidences }),
  }));
  const { entities, classification } = calibrationOf(asked, answered);
  return (head === 'labels' ? classification : entities)?.expectedError ?? null;
}
