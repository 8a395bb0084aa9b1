/** Below the first a population is stable; from the second on it has shifted. */
const PSI_BANDS = { moderate: 0.1, major: 0.25 } as const;
export const PSI_BAND_NAMES = ['stable', 'moderate', 'major'] as const;
export type PsiBand = (typeof PSI_BAND_NAMES)[number];

/** Added to each count, so that no share is zero where only one of the two has a bin. */
const SMOOTHING = 0.5;

/**
 * The population stability index of counts against those of a baseline, bin by bin: the sum of (q - p) ln(q / p) over their shares p
 * (baseline) and q, which is 0 for the same shares. Bins that are empty in both do not count. Index and bands: E. M. Lewis, An
 * Introduction to Credit Scoring (1992); N. Siddiqi, Credit Risk Scorecards (2006). By chance alone it is about
 * (bins - 1) (1 / n + 1 / m) for n and m counted: B. Yurdakul, Statistical Properties of Population Stability Index (2018).
 * @param counts in the order of `baseline`
 */
export function psi(baseline: readonly number[], counts: readonly number[]): number {
  const used = baseline.flatMap((count, bin) => (count + counts[bin]! > 0 ? [bin] : []));
  const [p, q] = [baseline, counts].map((all) => sharesOf(used.map((bin) => all[bin]!))) as [number[], number[]];
  return p.reduce((sum, share, bin) => sum + (q[bin]! - share) * Math.log(q[bin]! / share), 0);
}

export function bandOf(value: number): PsiBand {
  if (value < PSI_BANDS.moderate) return 'stable';
  return value < PSI_BANDS.major ? 'moderate' : 'major';
}

function sharesOf(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count + SMOOTHING, 0);
  return counts.map((count) => (count + SMOOTHING) / total);
}
