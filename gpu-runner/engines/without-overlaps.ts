import type { Stretch } from './engine.js';

interface Options {
  /** Places that no hit may meet. */
  readonly taken?: readonly Stretch[];
  /** One hit may lie within another, but not in the very same place. */
  readonly mayNest?: boolean;
}

/**
 * Hits that are chosen, the most confident first (of equal ones the first in the list), and no later one that overlaps a chosen one.
 * @param hits places in characters or words
 * @returns in text order
 */
export function withoutOverlaps<Hit extends Stretch & { readonly confidence: number }>(
  hits: readonly Hit[],
  { taken = [], mayNest = false }: Options = {},
): readonly Hit[] {
  /** Places that are taken, by each character or word of them. */
  const holding = new Map<number, Stretch[]>();
  const unitsOf = ({ start, end }: Stretch) => Array.from({ length: end - start }, (_, at) => start + at);
  const take = (place: Stretch) => {
    for (const unit of unitsOf(place)) holding.set(unit, [...(holding.get(unit) ?? []), place]);
  };
  taken.forEach(take);
  const kept: Hit[] = [];
  for (const hit of hits.toSorted((a, b) => b.confidence - a.confidence)) {
    const meets = unitsOf(hit).flatMap((unit) => holding.get(unit) ?? []);
    if (meets.some((other) => !mayNest || !isNested(hit, other))) continue;
    kept.push(hit);
    take(hit);
  }
  return kept.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

function isNested(one: Stretch, other: Stretch): boolean {
  if (one.start === other.start && one.end === other.end) return false;
  const holds = (outer: Stretch, inner: Stretch) => outer.start <= inner.start && outer.end >= inner.end;
  return holds(one, other) || holds(other, one);
}
