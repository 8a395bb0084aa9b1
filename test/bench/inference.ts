import autocannon from 'autocannon';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { makeKey } from '#apps/demo/account.js';
import { Client } from '#apps/demo/client.js';
import { startSystem } from '#apps/demo/system.js';
import { engine as builtinEngine } from '#gpu-runner/engines/builtin/index.js';
import { ENGINES } from '#gpu-runner/engines/engines.js';
import { drain } from '#gpu-runner/engines/steps.js';
import { cpuSeconds } from './cpu.js';
import { scaled } from './size.js';

/**
 * `node dist/test/bench/inference.js`: recorded inferences over HTTP at full durability, beside a bare Nest route and the
 * engine by itself in the same run. CPU is that of the whole serving process, all its threads (Linux: /proc/PID/stat).
 */

const CONNECTIONS = 16;
const SECONDS = scaled(6);
const MODEL = 'anneal/encoder-base-v1';
const LABELS = ['person', 'city', 'date'];
const TEXT = 'Maria Rossi flew from Lisbon to Berlin on 3 May.';
const BODY = JSON.stringify({ model_id: MODEL, text: TEXT, schema: LABELS });

interface Load {
  readonly requestsPerSecond: number;
  readonly cpuMicroseconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const engine = engineCost();
const bare = await bareNest();
const served = await anneal();
const added = served.cpuMicroseconds - engine;
console.table({
  'bare Nest route': shown(bare),
  'POST /inference, recorded': shown(served),
});
console.log(`the engine by itself: ${engine.toFixed(0)} us of CPU a call`);
console.log(
  `added over the engine: ${added.toFixed(0)} us of CPU a call (${(added / bare.cpuMicroseconds).toFixed(1)} x a bare Nest route)`,
);
console.log(
  JSON.stringify({
    bench: 'inference',
    connections: CONNECTIONS,
    engineCpuUs: Math.round(engine),
    addedCpuUs: Math.round(added),
    bare,
    served,
  }),
);

function shown({ requestsPerSecond, cpuMicroseconds, p50Ms, p99Ms }: Load) {
  return {
    'requests/s': Math.round(requestsPerSecond),
    'CPU us a request': Math.round(cpuMicroseconds),
    'p50 ms': p50Ms,
    'p99 ms': p99Ms,
  };
}

/** CPU microseconds of one call of the engine, in this process. */
function engineCost(): number {
  const model = builtinEngine.load(ENGINES.baseModel(MODEL)!.model.directory, null);
  const call = () =>
    drain(model.infer({ texts: [TEXT], schema: { entities: LABELS.map((name) => ({ name })) }, threshold: 0.5 }));
  for (let warm = 0; warm < scaled(2_000); warm += 1) call();
  const calls = scaled(5_000, 10);
  const before = process.cpuUsage();
  for (let made = 0; made < calls; made += 1) call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

async function bareNest(): Promise<Load> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-nest.js')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let url = '';
    for await (const line of createInterface({ input: child.stdout })) {
      url = line;
      break;
    }
    return await load(`${url.replace('[::1]', '127.0.0.1')}/inference`, child.pid!, {});
  } finally {
    child.kill('SIGTERM');
  }
}

async function anneal(): Promise<Load> {
  const system = await startSystem({ ANNEAL_RATE_LIMITS: 'off' });
  try {
    const { secret_key } = await makeKey(new Client(system.url), system, 'bench');
    return await load(`${system.url}/inference`, system.pid, { 'x-api-key': secret_key });
  } finally {
    await system.close();
  }
}

async function load(url: string, pid: number, headers: Record<string, string>): Promise<Load> {
  const run = (duration: number) =>
    autocannon({
      url,
      method: 'POST',
      body: BODY,
      headers: { 'content-type': 'application/json', ...headers },
      connections: CONNECTIONS,
      duration,
    });
  await run(scaled(3));
  const before = cpuSeconds(pid);
  const result = await run(SECONDS);
  const cpu = cpuSeconds(pid) - before;
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} bad answers, ${result.errors} errors`);
  return {
    requestsPerSecond: result['2xx'] / result.duration,
    cpuMicroseconds: (cpu / result['2xx']) * 1e6,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  };
}
