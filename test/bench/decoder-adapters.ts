import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importModel } from '#models/imported/index.js';
import { PYTHON_PACKAGE } from '#models/installs/torch/index.js';
import { baseModelSha256 } from '#gpu-runner/contract/engines.js';
import type { LoadedDecoder } from '#gpu-runner/engines/decoder-engine.js';
import { Random } from '#gpu-runner/engines/builtin/random.js';
import { startTorch } from '#gpu-runner/engines/torch/python.js';
import { createTorch } from '#gpu-runner/engines/torch/engine.js';
import { ProcessModelCache } from '#gpu-runner/serving/process-models/process-model-cache.js';
import { torchForTests } from '#test/torch/environment.js';
import { smolLM2 } from '#test/torch/smollm2.js';
import { run } from '#test/servers/tools.js';
import { quantile } from './quantile.js';

/**
 * `node dist/test/bench/decoder-adapters.js`: calls to adapters of one language model (SmolLM2-135M on the CPU) whose working set is
 * smaller than what stays in memory, as large, and larger. Each call takes an adapter at random. Installs the torch engine and
 * fetches the model where the cache has none.
 */

/** Adapters that fit into the budget of this benchmark. */
const LIMIT = 16;
const WORKING_SETS = [4, 12, 16, 20, 24, 32, 64];
const IN_FLIGHT = 8;
const CALLS = 64;
const TOKENS = 8;
const RANK = 16;
const ID = 'bench/smollm2';
const WRITE_ADAPTERS = [
  'import sys',
  'import torch',
  'from pathlib import Path',
  'from anneal_runner.bases import BaseFacts, load_base',
  'from anneal_runner.bench.models import write_adapters',
  'directory, folder, sha256, count, rank = sys.argv[1:]',
  `base = load_base(BaseFacts('${ID}', sha256, Path(directory)), torch.device('cpu'), torch.float32)`,
  'write_adapters(base, Path(folder), int(count), int(rank))',
].join('\n');

interface Figures {
  readonly 'calls/s': number;
  readonly 'tokens/s': number;
  readonly 'p50 ms': number;
  readonly 'p99 ms': number;
  /** Share of calls whose adapter was not in memory. */
  readonly 'misses %': number;
  /** Milliseconds from a miss to the adapter in memory; the calls that share the process wait for part of it. */
  readonly 'ms a miss': number;
}

const directory = await mkdtemp(join(tmpdir(), 'anneal-bench-'));
const { python } = await torchForTests();
const { decoders } = createTorch(startTorch(python));
const results: Record<string, Figures> = {};
try {
  const base = await importedBase(await smolLM2(python));
  const folders = await adapterFolders(base);
  const byteSize = await sizeOf(base, folders[0]!);
  for (const size of WORKING_SETS) results[size] = await measure(base, folders.slice(0, size), byteSize);
  console.log(`${LIMIT} adapters of ${(byteSize / 1e6).toFixed(1)} MB stay in memory; ${IN_FLIGHT} calls at a time`);
  console.table(results);
  console.log(JSON.stringify({ bench: 'decoder-adapters', limit: LIMIT, byteSize, results }));
} finally {
  await decoders.close();
  await rm(directory, { recursive: true, force: true });
}

async function importedBase(source: string): Promise<string> {
  const models = join(directory, 'models');
  await mkdir(models);
  const imports = importModel(source, { id: ID, licence: 'Apache-2.0' }, models);
  for (;;) {
    const { done, value } = await imports.next();
    if (done) return value.folder;
  }
}

async function adapterFolders(base: string): Promise<readonly string[]> {
  const count = Math.max(...WORKING_SETS);
  const folder = join(directory, 'adapters');
  await mkdir(folder);
  const args = [base, folder, await baseModelSha256(base), `${count}`, `${RANK}`];
  const environment = { PYTHONPATH: PYTHON_PACKAGE, OMP_WAIT_POLICY: 'PASSIVE' };
  await run(python, ['-c', WRITE_ADAPTERS, ...args], { environment });
  return Array.from({ length: count }, (_, index) => join(folder, `adapter-${index}`));
}

async function sizeOf(base: string, adapter: string): Promise<number> {
  const model = await decoders.load(base, adapter);
  await answer(model);
  await model.close();
  return model.byteSize;
}

async function measure(base: string, adapters: readonly string[], byteSize: number): Promise<Figures> {
  let misses = 0;
  let missMs = 0;
  const load = async (baseDirectory: string, adapter: string | null) => {
    const started = performance.now();
    const model = await decoders.load(baseDirectory, adapter);
    misses += 1;
    missMs += performance.now() - started;
    return model;
  };
  const cache = new ProcessModelCache(LIMIT * byteSize, readAll);
  // The base stays in memory between the working sets.
  const kept = await decoders.load(base, null);
  const call = async (adapter: string): Promise<number> => {
    const started = performance.now();
    const lease = await cache.lease({ load }, base, adapter);
    try {
      await answer(lease.model);
    } finally {
      lease.release();
    }
    return performance.now() - started;
  };
  for (const adapter of adapters.slice(0, LIMIT)) await call(adapter);
  [misses, missMs] = [0, 0];
  const random = new Random(1);
  const wanted = Array.from({ length: CALLS }, () => adapters[Math.floor(random.next() * adapters.length)]!);
  const times: number[] = [];
  const started = performance.now();
  const caller = async () => {
    for (let adapter = wanted.pop(); adapter !== undefined; adapter = wanted.pop()) times.push(await call(adapter));
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  const seconds = (performance.now() - started) / 1_000;
  await cache.close();
  await kept.close();
  return {
    'calls/s': rounded(CALLS / seconds),
    'tokens/s': rounded((CALLS * TOKENS) / seconds),
    'p50 ms': Math.round(quantile(times, 0.5)),
    'p99 ms': Math.round(quantile(times, 0.99)),
    'misses %': Math.round((100 * misses) / CALLS),
    'ms a miss': misses === 0 ? 0 : Math.round(missMs / misses),
  };
}

/** As a runner checks the files of an adapter before it loads them. */
async function readAll(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    createHash('sha256')
      .update(await readFile(join(folder, name)))
      .digest();
}

async function answer(model: LoadedDecoder): Promise<void> {
  const request = { input: { prompt: 'The order was shipped on Monday and has not' }, maxTokens: TOKENS };
  for await (const _ of model.generate(request, new AbortController().signal));
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
