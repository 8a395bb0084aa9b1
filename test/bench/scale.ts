import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Parts } from './scale/parts.js';
import { recordedWeek, Traffic } from './scale/week.js';
import { since, Wire } from './scale/wire.js';
import { scaled } from './size.js';

/**
 * `npm run bench -- scale`: a week of calls, replayed at its own rate and at ten times that rate, on the distributed form: what each part
 * sends, receives and computes a call. The time is the week's, not this machine's: what is written or read together follows from the
 * rate. Of the week, a quarter of a second of some hours is replayed: so long the feed of read models waits for calls. CPU is that of one
 * thread. EventStoreDB's protocol is spoken by the double of the tests, MongoDB's by a server on maps in memory.
 */

/** Hours between two that are replayed: through all hours of the day. */
const STRIDE = 23;
const WINDOW_MS = 250;
/** How long an append takes: calls that come meanwhile are appended together. */
const APPEND_MS = 5;
/** Calls a second of one API. */
const OF_AN_API = 1_000;
const AIM = 10_000;
/** CPU below which a read model has no line of its own. */
const SMALL_US = 3;

interface Counts {
  appends: number;
  bytesOfLog: number;
  commands: number;
  bytesOfDocuments: number;
  cpuUs: number;
}

const wire = new Wire();
const traffic = new Traffic();
const directory = await mkdtemp(join(tmpdir(), 'bench-scale-'));
try {
  const parts = await Parts.start(directory);
  try {
    const rates = (await recordedWeek()).filter((_, hour) => hour % STRIDE === 0);
    const hours = rates.slice(0, scaled(rates.length));
    await replayed(parts, hours, 1);
    await replayed(parts, hours, 10);
  } finally {
    await parts.close();
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function replayed(parts: Parts, hours: readonly number[], times: number): Promise<void> {
  const counts = new Map<string, Counts>();
  const counted = async <T>(part: string, work: () => Promise<T>): Promise<T> => {
    const [log, documents] = [wire.to(parts.ports.log), wire.to(parts.ports.documents)];
    const { appends } = parts;
    const cpu = process.threadCpuUsage();
    const result = await work();
    const { user, system } = process.threadCpuUsage(cpu);
    const [ofLog, ofDocuments] = [wire.to(parts.ports.log), wire.to(parts.ports.documents)];
    const sum = counts.get(part) ?? { appends: 0, bytesOfLog: 0, commands: 0, bytesOfDocuments: 0, cpuUs: 0 };
    counts.set(part, sum);
    sum.appends += parts.appends - appends;
    sum.bytesOfLog += since(log, ofLog).bytes;
    sum.commands += since(documents, ofDocuments).writes;
    sum.bytesOfDocuments += since(documents, ofDocuments).bytes;
    sum.cpuUs += user + system;
    return result;
  };
  let [calls, events] = [0, 0];
  for (const rate of hours) {
    const perSecond = rate * times;
    const apis = Math.max(2, Math.ceil(perSecond / OF_AN_API));
    const ticks = WINDOW_MS / APPEND_MS;
    const count = Math.max(1, Math.round((perSecond * WINDOW_MS) / 1_000));
    const made = Array.from({ length: count }, () => traffic.call(new Date().toISOString()));
    for (let tick = 0; tick < ticks; tick += 1) {
      const now = made.filter((_, n) => Math.floor((n * ticks) / count) === tick);
      await counted('API: recording', () => parts.record(now, apis));
    }
    calls += count;
    const read = await counted('read models: the feed', () => parts.readFeed());
    events += read.length;
    for (const [name, work] of parts.projections(read)) await counted(`read model ${name}`, work);
    await counted('process managers', () => parts.manage());
  }
  await counted('audit tree', () => parts.audit());
  show(times, { calls, events, counts });
}

function show(
  times: number,
  {
    calls,
    events,
    counts,
  }: { readonly calls: number; readonly events: number; readonly counts: ReadonlyMap<string, Counts> },
): void {
  const rows: Record<string, object> = {};
  const rest: Counts = { appends: 0, bytesOfLog: 0, commands: 0, bytesOfDocuments: 0, cpuUs: 0 };
  const row = (name: string, { appends, bytesOfLog, commands, bytesOfDocuments, cpuUs }: Counts) => {
    const [us, kb] = [cpuUs / calls, (bytes: number) => rounded(bytes / calls / 1_000)];
    rows[name] = {
      ...{
        appends: rounded(appends / calls),
        'KB of the log': kb(bytesOfLog),
        'commands to MongoDB': rounded(commands / calls),
      },
      ...{
        'KB of documents': kb(bytesOfDocuments),
        'CPU us': rounded(us),
        [`cores at ${AIM}/s`]: rounded((us * AIM) / 1e6),
      },
    };
  };
  for (const [name, each] of counts)
    if (each.cpuUs / calls >= SMALL_US) row(name, each);
    else for (const key of Object.keys(rest) as (keyof Counts)[]) rest[key] += each[key];
  row('the other read models', rest);
  console.log(`\n${times} times: ${calls} calls, ${rounded(events / calls)} events a call; a call:`);
  console.table(rows);
  console.log(JSON.stringify({ bench: 'scale', times, calls, events, aCall: rows }));
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
