import type { Lattice } from './lattice.js';
import type { TokenSpan } from './tags.js';

/** Below this probability no segment is served, whatever the threshold: there are as many such segments as tokens. */
export const SERVED_FLOOR = 0.01;

export interface ScoredSpan extends TokenSpan {
  /** P(exactly this segment has this label), summed over all taggings of the rest. */
  readonly probability: number;
}

/**
 * All segments whose exact marginal probability is at least `floor`, after `lattice.forwardBackward(n)`: the forward mass of
 * beginning, the path of staying, and the backward mass of leaving (Culotta and McCallum 2004, "Confidence estimation for
 * information extraction", constrained forward-backward in closed form). In order of first token.
 */
export function likelySegments(lattice: Lattice, n: number, floor: number): ScoredSpan[] {
  const { labels, tags, forward, backward, potentials, scales, stay, marginals } = lattice;
  const found: ScoredSpan[] = [];
  for (let first = 0; first < n; first++) {
    for (let label = 0; label < labels; label++) {
      const begin = first * tags + 1 + label;
      if (marginals[begin]! < floor) continue;
      let path = forward[begin]!;
      for (let last = first; ; last++) {
        const state = last * tags + 1 + label + (last === first ? 0 : labels);
        const here = path * backward[state]!;
        if (here < floor) break;
        let stepIn = 0;
        if (last + 1 < n) {
          const inside = (last + 1) * tags + 1 + labels + label;
          stepIn = (potentials[inside]! * stay[last === first ? label : labels + label]!) / scales[last + 1]!;
          const onwards = path * stepIn * backward[inside]!;
          if (here - onwards >= floor)
            found.push({ first, end: last + 1, label, probability: Math.min(1, here - onwards) });
          path *= stepIn;
        } else {
          found.push({ first, end: last + 1, label, probability: Math.min(1, here) });
          break;
        }
      }
    }
  }
  return found;
}

/**
 * The most probable segments that do not overlap: greedily by probability, ties to the earlier and then the longer. With a
 * floor of one half or more there is nothing to choose, since overlapping segments exclude each other.
 * @returns in order of first token
 */
export function withoutOverlaps<S extends ScoredSpan>(segments: readonly S[]): S[] {
  const ranked = [...segments].sort((a, b) => b.probability - a.probability || a.first - b.first || b.end - a.end);
  const kept: S[] = [];
  for (const segment of ranked) {
    if (kept.every((other) => other.end <= segment.first || other.first >= segment.end)) kept.push(segment);
  }
  return kept.sort((a, b) => a.first - b.first);
}
