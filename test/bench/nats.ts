import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnRole, type SpawnedRole } from '#apps/demo/system.js';
import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { openNatsBus } from '#ports/bus/nats/index.js';
import { callOnce, type Bus } from '#ports/bus/port.js';
import { ENGINES } from '#gpu-runner/engines/engines.js';
import { serveInference } from '#gpu-runner/serving/inference-server.js';
import { INFERENCE_HEARTBEAT, INFERENCE_SUBJECT } from '#gpu-runner/contract/inference.js';
import { openObjectStore } from '#ports/object-store/open.js';
import { nats } from '#test/servers/nats.js';
import { quantile } from './quantile.js';

/**
 * `node dist/test/bench/nats.js`: inference calls over the bus, as the API makes them, to runners in processes of their own
 * through NATS on this machine, beside the embedded bus and runner in the same run. Everything shares the machine's cores: more
 * runners help only where there are cores for them. Builds NATS where the cache has none.
 */

const RUNNERS = [1, 2, 4];
const IN_FLIGHT = [1, 16];
const SECONDS = 4;
const MODEL = 'anneal/encoder-base-v1';
const CALL = {
  workspaceId: 'w',
  model: { baseModelId: MODEL, adapter: null },
  texts: ['Maria Rossi flew from Lisbon to Berlin on 3 May.'],
  schema: { entities: ['person', 'city', 'date'].map((name) => ({ name })) },
  threshold: 0.5,
};
const OFFERS = 500;

interface Load {
  readonly callsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const directory = await mkdtemp(join(tmpdir(), 'anneal-bench-'));
const results: Record<string, Load> = {};
const offers: Record<string, number> = {};
try {
  await embedded();
  const server = await nats.start({ directory: join(directory, 'nats') });
  try {
    for (const runners of RUNNERS) await throughNats(server.address, runners);
  } finally {
    await server.stop();
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}
console.table(results);
console.table(offers);
console.log(JSON.stringify({ bench: 'nats', results, msAnOffer: offers }));

async function embedded(): Promise<void> {
  const bus = new InProcessBus();
  const objectStore = await openObjectStore({ kind: 'folder', directory: join(directory, 'objects') });
  const cacheDirectory = join(directory, 'cache');
  const inference = serveInference({ bus, name: 'one', objectStore, cacheDirectory, engines: ENGINES });
  await measure('embedded', bus);
  await inference.close();
  await bus.close();
  await objectStore.close();
}

async function throughNats(address: string, count: number): Promise<void> {
  const bus = await openNatsBus(address);
  const present = new Set<string>();
  const all = Promise.withResolvers<void>();
  bus.listen(INFERENCE_HEARTBEAT, (body) => {
    if (present.add((body as { name: string }).name).size === count) all.resolve();
  });
  const runners: SpawnedRole[] = [];
  try {
    for (let runner = 0; runner < count; runner += 1)
      runners.push(
        await spawnRole('gpu-runner', join(directory, 'runners'), {
          ANNEAL_SECRET_KEY: randomBytes(32).toString('base64url'),
          ANNEAL_BUS: address,
          ANNEAL_OBJECT_STORE: `file:${join(directory, 'objects')}`,
        }),
      );
    await all.promise;
    await measure(`NATS, ${count} runner${count > 1 ? 's' : ''}`, bus);
  } finally {
    await Promise.all(runners.map((runner) => runner.end()));
    await bus.close();
  }
}

async function measure(name: string, bus: Bus): Promise<void> {
  await load(bus, 16, 2);
  for (const inFlight of IN_FLIGHT) results[`${name}, ${inFlight} at once`] = await load(bus, inFlight, SECONDS);
  const began = performance.now();
  for (let id = 0; id < OFFERS; id += 1) await bus.offer('bench', `${name}/${id}`, { id });
  offers[name] = rounded((performance.now() - began) / OFFERS);
}

async function load(bus: Bus, inFlight: number, seconds: number): Promise<Load> {
  const took: number[] = [];
  const began = performance.now();
  const lane = async () => {
    while (performance.now() - began < seconds * 1_000) {
      const at = performance.now();
      await callOnce(bus, INFERENCE_SUBJECT, CALL, { deadlineMs: 10_000 });
      took.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const elapsed = (performance.now() - began) / 1_000;
  const ms = (share: number) => rounded(quantile(took, share));
  return { callsPerSecond: Math.round(took.length / elapsed), p50Ms: ms(0.5), p99Ms: ms(0.99) };
}

function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
