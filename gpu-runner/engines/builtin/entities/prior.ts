import { beginTag, insideTag, OUTSIDE_TAG, tagCount } from './lattice/tags.js';

/**
 * Added to probabilities before the logarithm: a tag that the base considers impossible costs an adapter about four
 * nats.
 */
const SMOOTHING = 0.02;

/** Beliefs of the base as scores over an adapter's labels: log(P + .02) - log(.02), zero if the base sees nothing. */
export class BasePrior {
  /** For each base tag, the tags of this head it counts for. */
  private readonly targets: readonly (readonly number[])[];
  private readonly sums: Float64Array;

  /** @param types for each label of the head, indices of its base types */
  constructor(
    readonly types: readonly (readonly number[])[],
    private readonly baseTypes: number,
  ) {
    const labels = types.length;
    const targets: number[][] = Array.from({ length: tagCount(baseTypes) }, () => []);
    types.forEach((list, label) => {
      for (const type of list) {
        targets[beginTag(type)]!.push(beginTag(label));
        targets[insideTag(type, baseTypes)]!.push(insideTag(label, labels));
      }
    });
    // A type without a label is, to this head, outside.
    for (const list of targets) if (list.length === 0) list.push(OUTSIDE_TAG);
    this.targets = targets;
    this.sums = new Float64Array(tagCount(labels));
  }

  get isEmpty(): boolean {
    return this.types.every((list) => list.length === 0);
  }

  /** @param marginals the base's, row-major [tokens, base tags] @returns one value per tag of this head; reused by the next call */
  scores(marginals: Float64Array, token: number): Float64Array {
    const sums = this.sums.fill(0);
    const width = tagCount(this.baseTypes);
    for (let tag = 0; tag < width; tag++) {
      const probability = marginals[token * width + tag]!;
      if (probability < 1e-4) continue;
      for (const target of this.targets[tag]!) sums[target]! += probability;
    }
    for (let tag = 0; tag < sums.length; tag++) sums[tag] = Math.log1p(sums[tag]! / SMOOTHING);
    return sums;
  }
}
