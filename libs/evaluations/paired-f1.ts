import { resampled } from './comparison.js';
import { intervalOf, sumOf } from './resampling.js';
import { countsOfFacts, f1OfFacts, FACTS_WIDTH, type RowFacts } from './row-facts.js';

/** Micro-F1 of two models on the same rows, and its difference with an interval. */
export interface PairedF1 {
  readonly rows: number;
  readonly value: number;
  readonly other: number;
  /** `value - other`, with the percentiles of the paired bootstrap. */
  readonly difference: { readonly value: number; readonly low: number; readonly high: number };
}

/**
 * Compares the F1 of two models by the facts that each found in the same rows. Whole rows are resampled, since the
 * facts of one row are not independent.
 * @param a of the first model, a row each; at least one
 * @param label the F1 of this label alone; null for that of all
 * @param alpha share of the resampled differences outside the interval, half of them on either side
 * @throws the signal's reason
 */
export async function pairedF1(
  a: readonly RowFacts[],
  b: readonly RowFacts[],
  { label = null, alpha = 0.05 }: { readonly label?: string | null; readonly alpha?: number },
  signal: AbortSignal,
): Promise<PairedF1> {
  if (a.length !== b.length) throw new Error(`facts of ${a.length} rows are compared with those of ${b.length}`);
  const counts = [countsOfFacts(a, label), countsOfFacts(b, label)] as const;
  const [value, other] = [f1OfFacts(sumOf(counts[0], FACTS_WIDTH)), f1OfFacts(sumOf(counts[1], FACTS_WIDTH))];
  const sums = await resampled(counts[0], counts[1], signal, FACTS_WIDTH);
  const differences = sums.map(([one, two]) => f1OfFacts(one) - f1OfFacts(two));
  return {
    ...{ rows: a.length, value, other },
    difference: { value: value - other, ...intervalOf(differences, alpha) },
  };
}
