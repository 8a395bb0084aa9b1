import type { Example } from '#gpu-runner/engine/engine.js';
import { evaluationFigures } from '#gpu-runner/engine/evaluation-figures.js';
import type { Head } from './sets.js';

/** What a system answered to a text. */
export interface Prediction extends Omit<Example, 'text'> {
  /** Of its entities or labels, in order, 0 to 1; absent where the system gives none. */
  readonly confidences?: readonly number[];
}

/** Accuracy of one label a row; otherwise micro-F1 of exact spans with their labels, of values, of relations. */
export function figureOf(head: Head, gold: readonly Example[], predictions: readonly Prediction[]): number {
  const answered = gold.map(({ text }, row) => ({ text, ...predictions[row] }));
  const asked = gold.map((row) => ({ text: row.text, [head]: row[head] }));
  const { accuracy, f1 } = evaluationFigures(asked, answered);
  return head === 'labels' ? accuracy : f1;
}

const BINS = 10;

/**
 * Expected calibration error (Guo et al. 2017) of all that was predicted: the mean difference between confidence and share of right
 * answers in ten bins of equal width, weighted by their sizes. What was missed has no confidence and no part in it.
 * @returns 0 to 1; null where there is no confidence
 */
export function calibrationError(
  head: Head,
  gold: readonly Example[],
  predictions: readonly Prediction[],
): number | null {
  const bins = Array.from({ length: BINS }, () => ({ confidence: 0, right: 0 }));
  let count = 0;
  gold.forEach((row, index) => {
    const { confidences = [] } = predictions[index]!;
    const verdicts = verdictsOf(head, row, predictions[index]!);
    for (const [at, confidence] of confidences.entries()) {
      const bin = bins[Math.min(BINS - 1, Math.floor(confidence * BINS))]!;
      bin.confidence += confidence;
      if (verdicts[at]) bin.right += 1;
      count += 1;
    }
  });
  if (count === 0) return null;
  return bins.reduce((sum, { confidence, right }) => sum + Math.abs(confidence - right), 0) / count;
}

/** Which answers are right, in order. */
function verdictsOf(head: Head, gold: Example, { labels = [], entities = [] }: Prediction): boolean[] {
  if (head === 'labels') return labels.map((label) => gold.labels!.includes(label));
  return entities.map(({ start, end, label }) =>
    gold.entities!.some((span) => span.start === start && span.end === end && span.label === label),
  );
}
