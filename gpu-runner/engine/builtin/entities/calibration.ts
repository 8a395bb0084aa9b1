/** Segments that a model proposes on labelled rows, against what is there. */
export interface Proposals {
  /** Spans in the labelled rows. */
  readonly gold: number;
  /** Exact marginals of the proposed segments, overlaps resolved. */
  readonly probabilities: readonly number[];
  /** Which of them are right in span and label. */
  readonly right: readonly boolean[];
}

const candidates = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5];
/** How far evidence must outweigh expectation: F1 per squared logit, divided by the number of gold spans. */
const reluctance = 10;
/** What is believed of F1 before any evidence, and how many gold spans that belief is worth. */
const usualF1 = 0.5;
const usualSpans = 20;

/** Strict micro-F1 of the proposals whose probability is at least `threshold`. */
export function f1At({ gold, probabilities, right }: Proposals, threshold: number): number {
  let found = 0;
  let hits = 0;
  probabilities.forEach((probability, k) => {
    if (probability < threshold) return;
    found++;
    if (right[k]) hits++;
  });
  return gold + found === 0 ? 1 : (2 * hits) / (gold + found);
}

/**
 * The marginal probability from which a segment is worth returning. With calibrated probabilities, expected F1 is greatest at
 * half of the best F1 that can be reached (Lipton, Elkan, Naryanaswamy 2014), so well below .5 where the task is hard. It is
 * searched on validation, with a pull towards that rule which counts when spans are few.
 */
export function chooseDecisionPoint(proposals: Proposals): number {
  const { gold } = proposals;
  const reached = Math.max(...candidates.map((point) => f1At(proposals, point)));
  const expected = (reached * gold + usualF1 * usualSpans) / (gold + usualSpans) / 2;
  const weight = reluctance / Math.max(1, gold);
  let best = { point: 0.5, value: -Infinity };
  for (const point of candidates) {
    const value = f1At(proposals, point) - weight * (logit(point) - logit(expected)) ** 2;
    if (value > best.value) best = { point, value };
  }
  return best.point;
}

/** Marginal to confidence: the odds are scaled so that the decision point becomes one half; order is kept, 0 and 1 stay. */
export function toConfidence(probability: number, decisionPoint: number): number {
  const odds = (1 - decisionPoint) / decisionPoint;
  return (probability * odds) / (probability * odds + 1 - probability);
}

/** The inverse of `toConfidence`. */
export function toMarginal(confidence: number, decisionPoint: number): number {
  return toConfidence(confidence, 1 - decisionPoint);
}

function logit(p: number): number {
  return Math.log(p / (1 - p));
}
