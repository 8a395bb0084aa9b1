import { builtin } from '#gpu-runner/engines/builtin/registration.js';
import { InferencePool } from '#gpu-runner/serving/encoders/inference-pool.js';
import { scaled } from './size.js';

/**
 * `node dist/test/bench/fairness.js`: how long one workspace's calls take on one inference thread, by themselves and while that
 * thread reads 16 texts of 50,000 dots of another workspace; in turns, so that both meet the same machine.
 */

const ROUNDS = scaled(6, 2);
const CALLS = scaled(100, 5);
const DOTS = scaled(50_000, 500);
const part = {
  engine: builtin.module,
  baseDirectory: builtin.baseModels[0]!.directory,
  adapterDirectory: null,
  schema: { entities: ['person', 'city', 'date'].map((name) => ({ name })) },
  threshold: 0.5,
};
const pool = new InferencePool({ maxAdapterBytes: 1e6 }, 1);
const small = () =>
  pool.run({ ...part, workspaceId: 'b', texts: ['Maria Rossi flew from Lisbon to Berlin on 3 May.'] });
for (let warm = 0; warm < scaled(1_000); warm += 1) await small();

const large = { ...part, workspaceId: 'a', texts: Array<string>(16).fill('.'.repeat(DOTS)) };
const times = { alone: [] as number[], first: [] as number[], beside: [] as number[] };
for (let round = 0; round < ROUNDS; round += 1) {
  times.alone.push(...(await latencies()));
  const gone = new AbortController();
  const reading = pool.run(large, gone.signal).catch(() => null);
  // In the first round, the thread for short calls starts.
  times[round === 0 ? 'first' : 'beside'].push(...(await latencies()));
  gone.abort();
  await reading;
}
const start = performance.now();
await pool.run(large);
const largeMs = performance.now() - start;
await pool.close();

const [alone, first, beside] = [quantiles(times.alone), quantiles(times.first), quantiles(times.beside)];
console.table({ 'by itself': alone, [`beside 16 texts of ${DOTS} dots, first`]: first, later: beside });
const ratio = (figures: typeof alone) => (figures.p50Ms / alone.p50Ms).toFixed(2);
console.log(
  `median: ${ratio(first)} times at first, ${ratio(beside)} later; the 16 texts take ${largeMs.toFixed(0)} ms`,
);
console.log(JSON.stringify({ bench: 'fairness', alone, first, beside, largeMs }));

/** Milliseconds of sequential calls, some milliseconds apart, as over HTTP. */
async function latencies(): Promise<number[]> {
  const took: number[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 5));
    const at = performance.now();
    await small();
    took.push(performance.now() - at);
  }
  return took;
}

function quantiles(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)]! * 1_000) / 1_000;
  return { p50Ms: at(0.5), p90Ms: at(0.9), p99Ms: at(0.99) };
}
