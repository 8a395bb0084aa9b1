import { sigmoid, softmaxInPlace } from '../../classification/probability.js';
import type { Centres, Sighting } from './sighting.js';

/** Weights learned from labelled sentences: they choose among labels, and tell whether a stretch is an entity of one of them. */
export interface ZeroShotWeights {
  readonly centres: Centres;
  /** Weights of `Claim.features`, in their order. */
  readonly choice: readonly number[];
  /** Weights of `mentionFeatures`, in their order. */
  readonly mention: readonly number[];
  /** Confidence from which a hit counts if no threshold is given. */
  readonly decisionPoint: number;
}

/** A label of a stretch, with the probability that the stretch is an entity and has this label. */
interface Judgement {
  /** Index among the claims. */
  readonly label: number;
  readonly confidence: number;
}

/**
 * The label that fits best. Where that is sure enough by default, but not as sure as asked, it is the most probable name of a
 * type that is: what may be a politician is a person all the same.
 * @param thresholdOf the least confidence of a claim's label, by its index
 */
export function judge(
  sighting: Sighting,
  { choice, mention, decisionPoint }: ZeroShotWeights,
  thresholdOf: (label: number) => number,
): Judgement | null {
  const chosen = choose(sighting, choice);
  const { label, share } = chosen;
  const confidence = share * sigmoid(weighed(mentionFeatures(sighting, chosen), mention));
  if (confidence >= thresholdOf(label)) return { label, confidence };
  if (confidence < decisionPoint) return null;
  const [type] = sighting.claims
    .flatMap((claim, index) => (claim.label.scope === 'type' ? [{ label: index, confidence: claim.probability }] : []))
    .filter((claim) => claim.confidence >= thresholdOf(claim.label))
    .sort((x, y) => y.confidence - x.confidence);
  return type ?? null;
}

interface Choice {
  readonly label: number;
  /** Of the label among all. */
  readonly share: number;
  readonly score: number;
}

/** The best of the labels by these weights. */
export function choose({ claims }: Sighting, weights: readonly number[]): Choice {
  const scores = Float64Array.from(claims, ({ features }) => weighed(features, weights));
  const score = Math.max(...scores);
  const label = scores.indexOf(score);
  softmaxInPlace(scores);
  return { label, share: scores[label]!, score };
}

/**
 * Numbers that tell whether a stretch is an entity of one of the labels, ending in 1. The share of the best label tells less the fewer
 * labels there are, and nothing of one alone: how near it is then counts by further weights.
 */
export function mentionFeatures(sighting: Sighting, { label, share, score }: Choice): readonly number[] {
  const { claims, shape, hasCapital, any } = sighting;
  const { probability, nearness } = claims[label]!;
  const { scope } = claims[label]!.label;
  const [isType, isNarrower, isUnknown] = (['type', 'narrower', 'unknown'] as const).map((each) =>
    Number(scope === each),
  );
  const believed = Math.log(probability + 0.01);
  const anyLabel = Math.min(
    1,
    claims.reduce((sum, claim) => sum + claim.probability, 0),
  );
  const alone = 1 / claims.length;
  return [
    ...[...shape, share, score, Math.max(...claims.map((claim) => claim.nearness[0])), ...nearness],
    ...[probability, believed, anyLabel, Math.log(claims.length), isType!, isUnknown!, isType! * believed],
    ...[isUnknown! * score, hasCapital ? 0 : score, Number(hasCapital) * isUnknown!, isNarrower! * score],
    ...[1, score, ...nearness, isUnknown!, isUnknown! * nearness[1]].map((value) => alone * value),
    ...[any, Math.log(any + 0.01), ...nearness].map((value) => isUnknown! * value),
    1,
  ];
}

const weighed = (features: readonly number[], weights: readonly number[]): number =>
  features.reduce((sum, value, at) => sum + value * weights[at]!, 0);
