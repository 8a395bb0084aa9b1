import Table from 'cli-table3';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { History, type CallsRequest } from '#use-cases/inferences/history.js';
import { GetInferenceStats, GetInferenceStatsHandler } from '#use-cases/inferences/queries/stats.js';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import type { Ports } from '#application/ports.js';
import { SqliteQueries } from '#ports/read-store/sqlite/sqlite-queries.js';
import { inferences } from '#projections/inferences/projection.js';
import { PlainTable } from './history/plain-table.js';
import { UnscannedReadStore } from './history/unscanned-read-store.js';
import { scaled } from './size.js';
import {
  BASE,
  HistoryWriter,
  JOBS,
  LOG_OF_PROJECTS,
  PROJECTS,
  timeOf,
  WORKSPACE,
} from '#test/support/recorded-calls.js';

/**
 * Pages of the inference history of one workspace, as `GET /inferences` finds them (documents and total), beside the same read
 * model without scans in memory, and a plain SQLite table with an index for each filter, on the same rows. `cold` is the first
 * time that a page of these conditions is asked for.
 */
export interface HistoryFigures {
  readonly records: number;
  /** The first page with filters after a start: what they are checked on is read into memory. */
  readonly firstFilterMs: number;
  /** CPU of the process meanwhile: other programs on the machine add nothing to it. */
  readonly firstFilterCpuMs: number;
  readonly pages: readonly PageFigures[];
  readonly stats: readonly StatsFigures[];
}

/** A request of statistics, while filtered pages are asked for one after another. */
export interface StatsFigures {
  readonly groupBy: string;
  readonly groups: number;
  /** The first question after a start. */
  readonly coldMs: number;
  readonly ms: number;
  readonly withoutScansMs: number;
  /** The slowest page meanwhile. */
  readonly pageMs: number;
  /** The longest turn of this thread meanwhile. */
  readonly turnMs: number;
}

export interface PageFigures {
  readonly page: string;
  readonly total: number;
  readonly coldMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly withoutScansP50Ms: number;
  /** The plain table: page and count(*). */
  readonly plainP50Ms: number;
}

type Page = Partial<CallsRequest>;

const pagesOf = (records: number): Readonly<Record<string, Page>> => ({
  first: {},
  'of 500': { limit: 500 },
  deep: { offset: records / 2 },
  model: { model_id: BASE },
  'model, deep': { model_id: BASE, offset: Math.floor(records * 0.3) },
  job: { training_job_id: JOBS[0]! },
  project: { project_id: PROJECTS[0]! },
  task: { task: 'classify_text' },
  'task, deep': { task: 'extract_entities', offset: Math.floor(records * 0.3) },
  'last day': { since: timeOf(records * (29 / 30)) },
  'a day long ago': { since: timeOf(records * 0.3), until: timeOf(records * (0.3 + 1 / 30)) },
  'until long ago': { until: timeOf(records * 0.5) },
  'slow ones': { latency_min: 1_000 },
  'fast ones': { latency_max: 3 },
  'project and task': { project_id: PROJECTS[1]!, task: 'classify_text' },
  'model, project and task': { model_id: BASE, project_id: PROJECTS[1]!, task: 'schema' },
  'job, last week, slow': { training_job_id: JOBS[1]!, since: timeOf(records * (23 / 30)), latency_min: 10 },
  everything: {
    ...{ model_id: JOBS[2]!, training_job_id: JOBS[2]!, project_id: PROJECTS[2]!, task: 'classify_text' },
    ...{ since: timeOf(records * 0.2), until: timeOf(records * 0.8), latency_min: 3, latency_max: 9 },
  },
});

/** @param records a million take about a minute to build */
export async function benchHistory(records: number, times = scaled(50, 2)): Promise<HistoryFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-history-'));
  const bus = new InProcessBus();
  try {
    const writer = await HistoryWriter.open(directory);
    await writer.append(records);
    await writer.close();
    const file = (await readdir(directory)).find((name) => /^inferences.*\.db$/.test(name))!;
    const plain = new PlainTable(directory, join(directory, file));
    const readStore = new SqliteQueries(directory);
    const application = new Application({ eventStore: LOG_OF_PROJECTS, readStore, bus } as unknown as Ports);
    const history = new History(application);
    const unscanned = new UnscannedReadStore(readStore, join(directory, file), inferences);
    const withoutScans = new Application({
      eventStore: LOG_OF_PROJECTS,
      readStore: unscanned,
      bus,
    } as unknown as Ports);
    const pages: PageFigures[] = [];
    const start = performance.now();
    const cpu = process.cpuUsage();
    await history.page(caller, { limit: 1, offset: 0, task: 'embed', latency_max: 0 });
    const firstFilterMs = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    const firstFilterCpuMs = (user + system) / 1_000;
    for (const [name, page] of Object.entries(pagesOf(records)))
      pages.push(await measured(name, page, { history, withoutScans: new History(withoutScans), plain, times }));
    const stats: StatsFigures[] = [];
    for (const groupBy of ['verdict', 'model,day', 'label', 'hour'])
      stats.push({
        coldMs: await coldStats(directory, groupBy),
        ...(await counted(groupBy, application, withoutScans)),
      });
    await readStore.close();
    unscanned.close();
    plain.close();
    await application.close();
    await withoutScans.close();
    return { records, firstFilterMs, firstFilterCpuMs, pages, stats };
  } finally {
    await bus.close();
    await rm(directory, { recursive: true });
  }
}

const caller: Caller = { kind: 'key', userId: 'u', teamId: 't', workspaceId: WORKSPACE, keyId: 'k' };

async function timed(run: () => unknown): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

interface Compared {
  readonly history: History;
  readonly withoutScans: History;
  readonly plain: PlainTable;
  readonly times: number;
}

async function measured(
  name: string,
  page: Page,
  { history, withoutScans, plain, times }: Compared,
): Promise<PageFigures> {
  const query: CallsRequest = { limit: 100, offset: 0, ...page };
  const coldMs = await timed(() => history.page(caller, query));
  const warm: number[] = [];
  for (let n = 0; n < times; n += 1) warm.push(await timed(() => history.page(caller, query)));
  const { total, documents } = await history.page(caller, query);
  const expected = plain.page(query);
  if (expected.total !== total || expected.rows !== documents.length)
    throw new Error(`${name}: ${documents.length} of ${total}, not ${expected.rows} of ${expected.total}`);
  const plainMs: number[] = [];
  const withoutScansMs: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    plainMs.push(await timed(() => plain.page(query)));
    withoutScansMs.push(await timed(() => withoutScans.page(caller, query)));
  }
  return {
    page: name,
    total,
    coldMs,
    p50Ms: percentile(warm, 0.5),
    p99Ms: percentile(warm, 0.99),
    withoutScansP50Ms: percentile(withoutScansMs, 0.5),
    plainP50Ms: percentile(plainMs, 0.5),
  };
}

async function coldStats(directory: string, groupBy: string): Promise<number> {
  const readStore = new SqliteQueries(directory);
  const bus = new InProcessBus();
  const application = new Application({ eventStore: LOG_OF_PROJECTS, readStore, bus } as unknown as Ports);
  const query = new GetInferenceStats(caller, { group_by: groupBy });
  const ms = await timed(() => new GetInferenceStatsHandler(application).execute(query));
  await readStore.close();
  await application.close();
  await bus.close();
  return ms;
}

async function counted(
  groupBy: string,
  application: Application,
  withoutScans: Application,
): Promise<Omit<StatsFigures, 'coldMs'>> {
  const history = new History(application);
  const turns = monitorEventLoopDelay({ resolution: 1 });
  let isCounting = true;
  let pageMs = 0;
  const pages = async () => {
    while (isCounting) {
      const start = performance.now();
      await history.page(caller, { limit: 10, offset: 0, task: 'schema', latency_min: Math.random() });
      pageMs = Math.max(pageMs, performance.now() - start);
    }
  };
  const paging = pages();
  turns.enable();
  const start = performance.now();
  const query = new GetInferenceStats(caller, { group_by: groupBy });
  const { groups } = await new GetInferenceStatsHandler(application).execute(query);
  const ms = performance.now() - start;
  turns.disable();
  isCounting = false;
  await paging;
  const withoutScansMs = await timed(() => new GetInferenceStatsHandler(withoutScans).execute(query));
  return { groupBy, groups: groups.length, ms, withoutScansMs, pageMs, turnMs: turns.max / 1e6 };
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;

export function showHistory({ records, firstFilterMs, firstFilterCpuMs, pages, stats }: HistoryFigures): void {
  const table = new Table({
    head: ['page', 'matching', 'cold ms', 'p50 ms', 'p99 ms', 'without scans p50 ms', 'plain SQLite p50 ms'],
  });
  for (const row of pages)
    table.push([
      row.page,
      row.total.toLocaleString('en'),
      ...[row.coldMs, row.p50Ms, row.p99Ms, row.withoutScansP50Ms, row.plainP50Ms].map((ms) => ms.toFixed(2)),
    ]);
  console.log(
    `${records.toLocaleString('en')} records; the first filter after a start: ${firstFilterMs.toFixed(0)} ms, ${firstFilterCpuMs.toFixed(0)} ms of CPU`,
  );
  console.log(table.toString());
  const counts = new Table({
    head: ['stats by', 'groups', 'cold ms', 'ms', 'without scans ms', 'slowest page meanwhile, ms', 'longest turn, ms'],
  });
  for (const { groupBy, groups, coldMs, ms, withoutScansMs, pageMs, turnMs } of stats)
    counts.push([groupBy, groups, ...[coldMs, ms, withoutScansMs, pageMs, turnMs].map((each) => each.toFixed(1))]);
  console.log(counts.toString());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const figures = await benchHistory(Number(process.argv[2] ?? scaled(1_000_000, 1_000)));
  showHistory(figures);
  console.log(JSON.stringify({ bench: 'history', ...figures }));
}
