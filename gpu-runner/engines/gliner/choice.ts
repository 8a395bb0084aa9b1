import type { Candidate } from './scores.js';

/**
 * The candidates that are chosen, the most confident first, and no later one that overlaps a chosen one, in text order.
 * @param isFlat false: one may lie within another, but not in the very same place
 */
export function chosen(candidates: readonly Candidate[], isFlat: boolean): readonly Candidate[] {
  /** Chosen ones, by each word that they hold. */
  const holding = new Map<number, Candidate[]>();
  const kept: Candidate[] = [];
  for (const candidate of candidates.toSorted((a, b) => b.confidence - a.confidence)) {
    const words = Array.from({ length: candidate.last - candidate.first + 1 }, (_, at) => candidate.first + at);
    const meets = words.flatMap((word) => holding.get(word) ?? []);
    if (meets.some((other) => isFlat || !isNested(candidate, other))) continue;
    kept.push(candidate);
    for (const word of words) holding.set(word, [...(holding.get(word) ?? []), candidate]);
  }
  return kept.toSorted((a, b) => a.first - b.first || a.last - b.last);
}

function isNested(one: Candidate, other: Candidate): boolean {
  if (one.first === other.first && one.last === other.last) return false;
  const holds = (outer: Candidate, inner: Candidate) => outer.first <= inner.first && outer.last >= inner.last;
  return holds(one, other) || holds(other, one);
}
