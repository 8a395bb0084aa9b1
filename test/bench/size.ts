/** Share of its usual size at which a benchmark runs. `npm run bench -- smoke` runs each at a thousandth. */
export const SCALE = Number(process.env['ANNEAL_BENCH_SCALE'] ?? 1);

/** A usual number at this scale, at least `least`. */
export const scaled = (usual: number, least = 1): number => Math.max(least, Math.round(usual * SCALE));
