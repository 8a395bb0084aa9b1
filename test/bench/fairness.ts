import { builtin } from '#gpu-runner/engine/builtin/registration.js';
import { InferencePool } from '#gpu-runner/inference/inference-pool.js';

/**
 * `node dist/test/bench/fairness.js`: how long one workspace's calls take on one inference thread, by themselves and while that
 * thread reads 16 texts of 50,000 dots of another workspace.
 */

const CALLS = 300;
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
for (let warm = 0; warm < 1_000; warm += 1) await small();

const alone = await quantiles();
const gone = new AbortController();
const large = { ...part, workspaceId: 'a', texts: Array<string>(16).fill('.'.repeat(50_000)) };
const start = performance.now();
const reading = pool.run(large, gone.signal).then(
  () => performance.now() - start,
  () => null,
);
const beside = await quantiles();
const largeMs = await reading;
await pool.close();

console.table({ 'by itself': alone, 'beside 16 texts of 50,000 dots': beside });
console.log(`median: ${(beside.p50Ms / alone.p50Ms).toFixed(2)} times; the 16 texts took ${largeMs?.toFixed(0)} ms`);
console.log(JSON.stringify({ bench: 'fairness', alone, beside, largeMs }));

/** Latency quantiles of sequential calls, some milliseconds apart, as over HTTP. */
async function quantiles() {
  const took: number[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 5));
    const at = performance.now();
    await small();
    took.push(performance.now() - at);
  }
  took.sort((a, b) => a - b);
  const at = (share: number) => Math.round(took[Math.floor(took.length * share)]! * 1_000) / 1_000;
  return { p50Ms: at(0.5), p90Ms: at(0.9), p99Ms: at(0.99) };
}
