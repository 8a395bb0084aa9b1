/** States in which a version stays. */
export const SETTLED: ReadonlySet<string> = new Set(['ready', 'failed', 'initialized']);
