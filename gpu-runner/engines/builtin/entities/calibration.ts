/** Segments that a model proposes on labelled rows, compared with the labels. */
export interface Proposals {
  /** Spans in the labelled rows. */
  readonly gold: number;
  /** Exact marginals of the proposed segments, overlaps resolved. */
  readonly probabilities: readonly number[];
  /** Whether each is right in span and label. */
  readonly right: readonly boolean[];
}

const CANDIDATES = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5];
/** Strength of the expectation against the evidence: F1 per squared logit, divided by the number of gold spans. */
const RELUCTANCE = 10;
/** Prior of F1 before any evidence, and its weight in gold spans. */
const USUAL_F1 = 0.5;
const USUAL_SPANS = 20;

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
  const reached = Math.max(...CANDIDATES.map((point) => f1At(proposals, point)));
  const expected = (reached * gold + USUAL_F1 * USUAL_SPANS) / (gold + USUAL_SPANS) / 2;
  const weight = RELUCTANCE / Math.max(1, gold);
  let best = { point: 0.5, value: -Infinity };
  for (const point of CANDIDATES) {
    const value = f1At(proposals, point) - weight * (logit(point) - logit(expected)) ** 2;
    if (value > best.value) best = { point, value };
  }
  return best.point;
}

/**
 * Slope of confidence over the marginal's log odds around the decision point: the slope with the least loss on the
 * proposals that are returned by default (Platt 1999, with the point given). Marginals of a model of few rows are far
 * too confident; a slope below 1 corrects that without adding or removing an entity at a threshold of one half.
 */
export function fitConfidenceSlope(proposals: Proposals, decisionPoint: number): number {
  const returned = proposals.probabilities.flatMap((probability, k) =>
    probability >= decisionPoint ? [{ probability, right: proposals.right[k]! }] : [],
  );
  const right = returned.filter((proposal) => proposal.right).length;
  // One more of each kind is added, so that a few proposals that are all right do not imply certainty.
  const targets = { right: (right + 1) / (right + 2), wrong: 1 / (returned.length - right + 2) };
  let best = { slope: 1, loss: Infinity };
  for (const slope of SLOPES) {
    let loss = 0;
    for (const proposal of returned) {
      const confidence = bounded(toConfidence(proposal.probability, decisionPoint, slope));
      const target = proposal.right ? targets.right : targets.wrong;
      loss -= target * Math.log(confidence) + (1 - target) * Math.log(1 - confidence);
    }
    if (loss < best.loss) best = { slope, loss };
  }
  return best.slope;
}

/** 1 first: it stays if nothing was returned. */
const SLOPES = [1, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.25, 1.5, 1.75, 2];

/**
 * Marginal to confidence: the odds are scaled so that the decision point becomes one half, then raised to the slope; order is
 * kept, 0 and 1 stay.
 */
export function toConfidence(probability: number, decisionPoint: number, slope = 1): number {
  const odds = (((1 - decisionPoint) / decisionPoint) * probability) / (1 - probability);
  return 1 / (1 + odds ** -slope);
}

/** The inverse of `toConfidence`. */
export function toMarginal(confidence: number, decisionPoint: number, slope = 1): number {
  const odds = (decisionPoint / (1 - decisionPoint)) * (confidence / (1 - confidence)) ** (1 / slope);
  return 1 / (1 + 1 / odds);
}

function bounded(probability: number): number {
  return Math.min(1 - 1e-6, Math.max(1e-6, probability));
}

function logit(p: number): number {
  return Math.log(p / (1 - p));
}
