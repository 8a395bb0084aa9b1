import type { ConfidenceFigures } from '#domain/training-job/index.js';

/** Something that a model proposed with a confidence of 0 to 1. */
export interface Candidate {
  readonly confidence: number;
  readonly isRight: boolean;
}

/** Confidence from which proposals are candidates. */
export const LEAST_CANDIDATE = 0.05;
const BINS = 10;
/** In steps of .05, and finer near 1, where programs that act on answers cut. */
const THRESHOLDS = [...Array.from({ length: 19 }, (_, step) => (step + 1) / 20), 0.96, 0.97, 0.98, 0.99, 0.995];

/**
 * @param rows that are labelled for the head
 * @param candidates of at least `LEAST_CANDIDATE`
 * @param gold right answers in the rows, proposed or not
 * @param threshold from which a candidate is an answer; null if the best counts, whatever its confidence
 */
export function confidenceFigures(
  rows: number,
  candidates: readonly Candidate[],
  gold: number,
  threshold: number | null,
): ConfidenceFigures {
  const from = (least: number) => candidates.filter(({ confidence }) => confidence >= least);
  return {
    rows,
    threshold,
    answerError: calibrationError(from(threshold ?? 0)),
    candidateError: calibrationError(candidates),
    curve: (rows === 0 ? [] : THRESHOLDS).map((point) => {
      const answers = from(point);
      const right = answers.filter(({ isRight }) => isRight).length;
      return {
        threshold: point,
        answers: answers.length,
        precision: answers.length === 0 ? null : right / answers.length,
        recall: gold === 0 ? null : right / gold,
      };
    }),
  };
}

/** Candidates of like confidence: their number, the sum of their confidences, and how many are right. */
interface Bin {
  count: number;
  confidence: number;
  right: number;
}

/** Ten bins of equal width, the lowest first. */
export function binsOf(candidates: readonly Candidate[]): readonly Bin[] {
  const bins = Array.from({ length: BINS }, (): Bin => ({ count: 0, confidence: 0, right: 0 }));
  for (const { confidence, isRight } of candidates) {
    const bin = bins[Math.min(BINS - 1, Math.floor(confidence * BINS))]!;
    bin.count += 1;
    bin.confidence += confidence;
    if (isRight) bin.right += 1;
  }
  return bins;
}

/**
 * Expected calibration error (Guo et al. 2017): the mean difference between confidence and share of right candidates in
 * ten bins of equal width, weighted by their sizes; 0 to 1. Null if there is no candidate.
 */
export function calibrationError(candidates: readonly Candidate[]): number | null {
  if (candidates.length === 0) return null;
  const distance = binsOf(candidates).reduce((sum, { confidence, right }) => sum + Math.abs(confidence - right), 0);
  return distance / candidates.length;
}
