import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '#primitives/free-port.js';
import { callsMade, firstBytes, load, type Kind, type Load, type Target } from './gateway/load.js';
import { canPin, cpuOf, memoryOf, start, type Spawned } from './gateway/process.js';
import { quantile } from './quantile.js';
import { scaled } from './size.js';

/**
 * `node dist/test/bench/gateway.js [--calls 2000] [--rounds 5] [--only anneal] [--cpu-prof DIR]`: chat completions of a hosted model through the
 * gateway, with authentication, limits, prices and recording at full durability, beside a bare Nest proxy and Portkey's gateway in
 * the same run. Each is kept to one core; the provider and the callers are processes of their own. CPU is that of a whole process,
 * all its threads, by /proc (Linux): for the gateway the log's and the projections' as well. The gateways take turns, and the round
 * with the least CPU counts, because other programs on the machine only add to it. Wall times mean little on such a machine. Then the
 * gateway goes on to 100,000 calls: what its audit thread takes, which works once a minute, its memory, and the bytes of a call by part.
 */

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: String(scaled(2_000, 64)) },
    rounds: { type: 'string', default: String(scaled(5)) },
    only: { type: 'string' },
    'cpu-prof': { type: 'string' },
  },
});
const CALLS = Number(values.calls);
const ROUNDS = Number(values.rounds);
const USERS = 40;
const CORE = 0;
/** Calls after which bytes and memory are read. */
const MANY = scaled(100_000);
/** Longer than threads wait before they give back what a load has left (`libs/primitives/memory`). */
const IDLE_MS = scaled(45_000);
const BARE = 'bare Nest proxy';
const here = (file: string) => join(import.meta.dirname, 'gateway', file);

interface Gateway extends Target {
  readonly name: string;
  /** The names of the stub's models: the ordinary one, and the one with separate chunks. */
  readonly model: string;
  readonly paced: string;
  readonly process: Spawned;
}

const stub = await start(here('stub.js'), []);
const wanted = (name: string) => values.only === undefined || values.only === name;
const gateways: (() => Promise<Gateway>)[] = [
  ...(wanted('bare') ? [bare] : []),
  ...(wanted('anneal') ? [anneal] : []),
  ...(wanted('portkey') ? [portkey] : []),
];
if (!canPin) console.log('there is no taskset here: nothing is kept to one core');
const running: Gateway[] = [];
let figures;
let after;
const said = new Map<string, string>();
try {
  for (const begin of gateways) running.push(await begin());
  figures = await measured(running);
  after = await afterMany(running.find(({ name }) => name === 'anneal'));
} finally {
  for (const { name, process } of [...running, { name: 'stub', process: stub }]) said.set(name, await process.end());
}
const ofBare = figures.find(({ name }) => name === BARE);
const ratio = (kind: 'whole' | 'stream' | 'paced', { [kind]: own }: (typeof figures)[number]) =>
  ofBare ? (own.cpuUs / ofBare[kind].cpuUs).toFixed(2) : '';
console.table(
  Object.fromEntries(
    figures.map((figure) => {
      const { name, whole, stream, paced, firstByte } = figure;
      const row = {
        'us/call': Math.round(whole.cpuUs),
        '(main thread)': whole.threadsUs['main'],
        'x bare': ratio('whole', figure),
        'us/stream': Math.round(stream.cpuUs),
        '(main thread) ': stream.threadsUs['main'],
        'x bare ': ratio('stream', figure),
        'us/paced stream': Math.round(paced.cpuUs),
        'calls/s': Math.round(whole.callsPerSecond),
        'streams/s': Math.round(stream.callsPerSecond),
        'first byte +p50 ms': firstByte.p50.toFixed(2),
        '+p99 ms': firstByte.p99.toFixed(2),
      };
      return [name, row];
    }),
  ),
);
console.log('CPU us a call by thread:');
console.table(Object.fromEntries(figures.map(({ name, whole }) => [name, whole.threadsUs])));
const bytes = after && perCall(JSON.parse(said.get('anneal')!) as Record<string, number>, after.calls);
if (after && bytes) {
  console.log(`after ${after.calls} calls: audit thread ${after.auditUs.toFixed(1)} us a call,`, after.memoryMb, 'MB');
  console.log(`bytes a call by part: ${Object.values(bytes).reduce((sum, each) => sum + each, 0)}`);
  console.table(bytes);
}
console.log(JSON.stringify({ bench: 'gateway', calls: CALLS, rounds: ROUNDS, pinned: canPin, figures, after, bytes }));

async function afterMany(gateway: Gateway | undefined) {
  if (!gateway) return undefined;
  for (let made = callsMade(gateway); made < MANY; made = callsMade(gateway))
    await load(gateway, { model: gateway.model, stream: false }, Math.min(CALLS, MANY - made));
  const calls = callsMade(gateway);
  const audit = cpuOf(gateway.process.pid).threads.get('audit') ?? 0;
  const { now, most } = memoryOf(gateway.process.pid);
  await sleep(IDLE_MS);
  return { calls, auditUs: (audit / calls) * 1e6, memoryMb: { most, now, idle: memoryOf(gateway.process.pid).now } };
}

async function measured(all: readonly Gateway[]) {
  const rounds = all.map((gateway) => ({ gateway, whole: [] as Load[], stream: [] as Load[], paced: [] as Load[] }));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { gateway, whole, stream, paced } of rounds) {
      const under = (kind: Kind) => load(gateway, kind, CALLS);
      whole.push(await under({ model: gateway.model, stream: false }));
      stream.push(await under({ model: gateway.model, stream: true }));
      paced.push(await under({ model: gateway.paced, stream: true }));
    }
  const figures = [];
  for (const { gateway, whole, stream, paced } of rounds) {
    const direct = { url: stub.line, pid: null, callers: [{}], model: 'chat', stream: true };
    const [straight, through] = await firstBytes([direct, { ...gateway, stream: true }], scaled(300, 5));
    const added = (share: number) => quantile(through!, share) - quantile(straight!, share);
    const firstByte = { p50: added(0.5), p99: added(0.99) };
    figures.push({ name: gateway.name, whole: least(whole), stream: least(stream), paced: least(paced), firstByte });
  }
  return figures;
}

function least(loads: readonly Load[]): Load {
  return loads.toSorted((a, b) => a.cpuUs - b.cpuUs)[0]!;
}

async function bare(): Promise<Gateway> {
  const process = await start(here('bare.js'), [stub.line], CORE);
  const url = process.line.replace('[::1]', '127.0.0.1');
  return { name: BARE, url, pid: process.pid, callers: [{}], model: 'chat', paced: 'paced', process };
}

async function anneal(): Promise<Gateway> {
  const profile = values['cpu-prof'];
  const flags = [...startFlags(), ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`])];
  const process = await start(here('served.js'), [stub.line, String(USERS)], CORE, flags);
  const { url, keys } = JSON.parse(process.line) as { url: string; keys: string[] };
  const callers = keys.map((key) => ({ authorization: `Bearer ${key}` }));
  return { name: 'anneal', url, pid: process.pid, callers, model: 'acme/chat', paced: 'acme/paced', process };
}

/** The flags of Node that `npm start` gives. */
function startFlags(): readonly string[] {
  const manifest = readFileSync(join(import.meta.dirname, '..', '..', '..', 'package.json'), 'utf8');
  const { scripts } = JSON.parse(manifest) as { scripts: { start: string } };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

async function portkey(): Promise<Gateway> {
  const main = join(
    dirname(createRequire(import.meta.url).resolve('@portkey-ai/gateway/package.json')),
    'build',
    'start-server.js',
  );
  const port = await freePort();
  const process = await start(main, [`--port=${port}`, '--headless'], CORE, ['--import', here('copied-headers.js')]);
  const caller = {
    authorization: 'Bearer none',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `${stub.line}/v1`,
  };
  const url = `http://127.0.0.1:${port}`;
  return { name: 'portkey', url, pid: process.pid, callers: [caller], model: 'chat', paced: 'paced', process };
}

/** Parts of less than a hundredth of the whole are one. */
function perCall(parts: Readonly<Record<string, number>>, calls: number): Readonly<Record<string, number>> {
  const whole = Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
  const large = Object.entries(parts).filter(([, bytes]) => bytes * 100 >= whole);
  const others = whole - large.reduce((sum, [, bytes]) => sum + bytes, 0);
  const sorted = [...large.toSorted(([, one], [, other]) => other - one), ['others', others] as const];
  return Object.fromEntries(sorted.map(([part, bytes]) => [part.slice(0, 70), Math.round(bytes / calls)]));
}
