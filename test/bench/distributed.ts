import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { Client } from '#apps/demo/client.js';
import { spawnSystem } from '#apps/demo/system.js';
import { projectionsOverBus } from '#log/projector/over-bus.js';
import { openEventStoreDb } from '#ports/event-store/eventstoredb/index.js';
import { openNatsBus } from '#ports/bus/nats/index.js';
import { newApiKey } from '#primitives/secrets/index.js';
import { projections } from '#projections/index.js';
import { distributed } from '#test/deployments/distributed.js';
import { OwnServers } from '#test/faults/outages-servers.js';
import { S3_CREDENTIALS } from '#test/servers/s3.js';
import { ToolMissing } from '#test/servers/tools.js';
import { eventually } from '#test/support/eventually.js';
import { hostedSettings } from '#test/support/hosted-settings.js';
import { cpuSeconds } from './cpu.js';
import { start } from './gateway/process.js';
import { quantile } from './quantile.js';
import { scaled } from './size.js';

/**
 * Recorded calls of a hosted model on the distributed form, one process of each role on servers of this machine, beside the embedded form in
 * one process: CPU a call and memory by process, how soon a call is listed, and rebuilding all read models. EventStoreDB's protocol is spoken
 * by the double of the tests, MongoDB's by mongo-java-server. All share the machine's cores with the callers.
 */

const RATES = [300, 600];
const SECONDS = scaled(20, 2);
const ALONE = scaled(200, 20);
const CONNECTIONS = 64;
const STEP_MS = 5;
const LOOK_EVERY_MS = 50;
const BODY = JSON.stringify({
  model: 'acme/chat',
  messages: [{ role: 'user', content: 'Which of the rivers of Europe is the longest, and where does it flow?' }],
});

interface Form {
  readonly url: string;
  readonly pids: Readonly<Record<string, number>>;
}

interface LoadFigures {
  readonly callsPerSecond: number;
  readonly cpuUs: Readonly<Record<string, number>>;
  /** Age of the newest call that is listed, meanwhile. */
  readonly lagsMs: readonly number[];
  /** From the end of the load until every call is listed. */
  readonly wholeAfterMs: number;
}

const key = newApiKey();
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
const directory = await mkdtemp(join(tmpdir(), 'bench-distributed-'));
const stub = await start(join(import.meta.dirname, 'gateway', 'stub.js'), []);
const hosted = await hostedSettings(`${stub.line}/v1`);
const environment = {
  ANNEAL_BOOTSTRAP_API_KEY: key,
  ANNEAL_RATE_LIMITS: 'off',
  ANNEAL_MODEL_CATALOG: hosted.values.modelCatalog,
  ANNEAL_PROVIDERS: hosted.values.providers,
};
Object.assign(process.env, S3_CREDENTIALS);
try {
  await measureInOneProcess('embedded');
  await onServers(({ addresses, pids }) => {
    const settings = {
      ANNEAL_EVENT_STORE: addresses.eventStore,
      ANNEAL_SECRET_KEY: randomBytes(24).toString('hex'),
    };
    return measureInOneProcess('log on a server', settings, { 'event store': pids['event store'] });
  });
  await onServers(measureDistributed);
} catch (error) {
  if (!(error instanceof ToolMissing)) throw error;
  console.log(`the rest is skipped: ${error.message}`);
} finally {
  await stub.end();
  await hosted.remove();
  await rm(directory, { recursive: true, force: true });
}

async function onServers(use: (servers: OwnServers) => Promise<void>): Promise<void> {
  const servers = await OwnServers.start();
  try {
    await use(servers);
  } finally {
    await servers.close();
  }
}

async function measureInOneProcess(
  what: string,
  settings: Readonly<Record<string, string>> = {},
  server: Form['pids'] = {},
): Promise<void> {
  const folder = await mkdtemp(join(directory, 'data-'));
  const system = await spawnSystem(folder, { ...environment, ...settings });
  try {
    await measure(what, { url: system.url, pids: { standalone: system.pid, ...server } });
  } finally {
    await system.end();
  }
}

async function measureDistributed(servers: OwnServers): Promise<void> {
  const deployment = await distributed({ apis: 1, workers: 1, runners: 1 }, servers.addresses);
  const system = await deployment.start(environment);
  const [api, worker, runner] = [system.apis, system.workers, system.runners].map(([role]) => role!.pid);
  try {
    await measure('distributed', {
      url: system.url,
      pids: { api: api!, worker: worker!, runner: runner!, ...servers.pids },
    });
    await rebuild(deployment.environment);
  } finally {
    await system.end();
    await deployment.remove();
  }
}

async function rebuild(environment: Readonly<Record<string, string>>): Promise<void> {
  const bus = await openNatsBus(environment['ANNEAL_BUS']!);
  const log = await openEventStoreDb({ address: environment['ANNEAL_EVENT_STORE']! });
  try {
    const { position } = await log.head();
    const running = projectionsOverBus(bus);
    const began = performance.now();
    for (const { name } of projections) await running.rebuild(name);
    await eventually(async () =>
      (await running.status()).every((status) => status.state === 'live' && status.position! >= position!),
    );
    console.log(`all read models again: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  } finally {
    await log.close();
    await bus.close();
  }
}

async function measure(what: string, form: Form): Promise<void> {
  console.log(`\n${what}: one call at a time ${await alone(form)} ms (p50)`);
  for (const rate of RATES) show(rate, await load(form, rate));
  showMemory(form);
}

async function alone({ url }: Form): Promise<number> {
  const took: number[] = [];
  for (let call = 0; call < ALONE; call += 1) {
    const began = performance.now();
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: BODY });
    await response.json();
    if (!response.ok) throw new Error(`status ${response.status}`);
    took.push(performance.now() - began);
  }
  await eventually(async () => (await total(url)) === ALONE);
  return Number(quantile(took, 0.5).toFixed(1));
}

/** Begins calls at even intervals, however many are under way. @returns seconds until the last was answered */
async function evenly(rate: number, url: string): Promise<number> {
  const dispatcher = new Agent({ connections: CONNECTIONS });
  const call = async () => {
    const answer = await request(`${url}/v1/chat/completions`, { method: 'POST', headers, body: BODY, dispatcher });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
  };
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1_000;
  const calls: Promise<void>[] = [];
  for (; calls.length < rate * SECONDS; await sleep(STEP_MS))
    while (calls.length < Math.min(rate * elapsed(), rate * SECONDS)) calls.push(call());
  await Promise.all(calls);
  await dispatcher.close();
  return elapsed();
}

interface Page {
  readonly total: number;
  readonly inferences: readonly { readonly created_at: string }[];
}

function newest(url: string): Promise<Page> {
  return new Client(url, key).get<Page>('/inferences?limit=1');
}

async function total(url: string): Promise<number> {
  return (await newest(url)).total;
}

function watchLag(url: string): { end(): Promise<readonly number[]> } {
  const ages: number[] = [];
  let isOver = false;
  const watching = (async () => {
    // The newest one of the first half second may be of before the load.
    await sleep(500);
    while (!isOver) {
      const [call] = (await newest(url)).inferences;
      ages.push(Date.now() - Date.parse(call!.created_at));
      await sleep(LOOK_EVERY_MS);
    }
    return ages;
  })();
  return {
    end() {
      isOver = true;
      return watching;
    },
  };
}

async function load({ url, pids }: Form, rate: number): Promise<LoadFigures> {
  const before = await total(url);
  const cpuBefore = Object.values(pids).map(cpuSeconds);
  const lags = watchLag(url);
  const seconds = await evenly(rate, url);
  const ended = performance.now();
  const lagsMs = await lags.end();
  const made = rate * SECONDS;
  await eventually(async () => (await total(url)) === before + made);
  const wholeAfterMs = Math.round(performance.now() - ended);
  const cpuUs = Object.entries(pids).map(([name, pid], index) => {
    const spent = cpuSeconds(pid) - cpuBefore[index]!;
    return [name, Math.round((spent / made) * 1e6)] as const;
  });
  return { callsPerSecond: made / seconds, cpuUs: Object.fromEntries(cpuUs), lagsMs, wholeAfterMs };
}

function show(rate: number, { callsPerSecond, cpuUs, lagsMs, wholeAfterMs }: LoadFigures): void {
  const sum = Object.values(cpuUs).reduce((all, one) => all + one, 0);
  const lag = (share: number) => Math.round(quantile(lagsMs, share));
  console.log(
    `${rate} calls/s asked for, ${callsPerSecond.toFixed(0)} made: listed after p50 ${lag(0.5)} ms, p99 ${lag(0.99)} ms, ` +
      `all of them ${wholeAfterMs} ms after the last; CPU us a call ${sum}: ${JSON.stringify(cpuUs)}`,
  );
}

function showMemory({ pids }: Form): void {
  const peaks = Object.entries(pids).map(([name, pid]) => {
    const [, kib] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
    return [name, Math.round(Number(kib) / 1024)];
  });
  console.log(`peak memory in MiB: ${JSON.stringify(Object.fromEntries(peaks))}`);
}
