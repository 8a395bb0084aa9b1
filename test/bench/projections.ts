import Table from 'cli-table3';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { startProjectionHost } from '#log/projector/thread/start.js';
import { openSqliteEventStore, type SqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { charges } from '#projections/charges/projection.js';
import { PROJECTIONS_MODULE } from '#projections/index.js';
import { inferences } from '#projections/inferences/projection.js';
import { projects } from '#projections/projects/projection.js';
import { reviews } from '#projections/reviews/projection.js';
import { usage } from '#projections/usage/projection.js';
import type { Projection } from '#log/projector/projection.js';
import { ProjectionRunner } from '#log/projector/runner.js';
import type { JsonObject } from '#domain/json.js';
import { openReadStore } from '#ports/read-store/open.js';
import { aCall, aProject, EventWriter } from './event-writer.js';
import { median } from './quantile.js';
import { scaled } from './size.js';
import { collectionNameOf } from '#log/projector/collection.js';

/**
 * Building read models from the log of the embedded event store, beside plain SQLite upserts of the same documents in
 * transactions of the same size; and what a live projection thread adds to each recorded call.
 */

export interface RebuildFigures {
  readonly projection: string;
  readonly events: number;
  readonly documents: number;
  readonly eventsPerSecond: number;
  /** CPU of the building thread per event. */
  readonly cpuMicroseconds: number;
  /** The same documents upserted, with the same indexes, by a bare loop: an aggregate once for each of its events. */
  readonly plainUpsertsPerSecond: number;
}

export interface LiveFigures {
  readonly calls: number;
  /** CPU of the whole process for each recorded call, without and with the projection thread. */
  readonly cpuMicrosecondsWithout: number;
  readonly cpuMicrosecondsWith: number;
  /** Time on an idle system from an append's acknowledgement until the projection reports it. */
  readonly medianMsUntilVisible: number;
}

export interface ProjectionFigures {
  readonly rebuilds: readonly RebuildFigures[];
  readonly live: LiveFigures;
}

const BATCH = 2_000;
const APPENDS = scaled(250);

export async function benchProjections(): Promise<ProjectionFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-projections-'));
  const log = await openSqliteEventStore({ directory, durability: 'normal' });
  try {
    const writer = new EventWriter(log);
    for (let n = 0; n < APPENDS; n += 1) await writer.append('project', 500, aProject);
    for (let n = 0; n < APPENDS; n += 1) await writer.append('metered', 200, ...aCall());
    const rebuilds: RebuildFigures[] = [];
    for (const projection of [projects, inferences, reviews, usage, charges] as unknown as Projection[])
      rebuilds.push(await rebuild(log, directory, projection));
    return { rebuilds, live: await live(log, directory, scaled(400)) };
  } finally {
    await log.close();
    await rm(directory, { recursive: true });
  }
}

async function rebuild(log: SqliteEventStore, directory: string, projection: Projection): Promise<RebuildFigures> {
  const readStore = await openReadStore({
    adapter: 'sqlite',
    directory: join(directory, `rebuild-${projection.name}`),
  });
  const runner = new ProjectionRunner(projection, { eventStore: log, readStore });
  await runner.open();
  let events = 0;
  for await (const _ of log.readAll({ filter: { types: Object.keys(projection.on) } })) events += 1;
  const [start, cpu] = [performance.now(), process.threadCpuUsage()];
  await runner.catchUp(new AbortController().signal, BATCH);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.threadCpuUsage(cpu);
  await readStore.activate(collectionNameOf(projection), runner.collection.version);
  const documents = await readStore.find(collectionNameOf(projection), { where: {}, limit: 1_000_000 });
  await readStore.close();
  return {
    projection: projection.name,
    events,
    documents: documents.length,
    eventsPerSecond: events / seconds,
    cpuMicroseconds: (user + system) / events,
    plainUpsertsPerSecond: plainUpserts(directory, upserted(documents, events), runner.collection.indexes),
  };
}

/** Repeats the documents so that each event changes one. */
function upserted(documents: readonly JsonObject[], events: number): readonly JsonObject[] {
  if (documents.length * 10 > events) return documents;
  return Array.from({ length: events }, (_, n) => documents[n % documents.length]!);
}

function plainUpserts(
  directory: string,
  documents: readonly JsonObject[],
  indexes: readonly { readonly fields: readonly string[] }[],
): number {
  const database = new DatabaseSync(join(directory, `plain-${randomUUID()}.db`));
  const fields = [...new Set(indexes.flatMap((index) => index.fields))];
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE documents (id TEXT PRIMARY KEY, doc TEXT, ${fields.join(', ')});
    ${indexes.map((index, n) => `CREATE INDEX i${n} ON documents (${index.fields.join(', ')}, id);`).join('\n')}
  `);
  const values = ['id', 'doc', ...fields];
  const upsert = database.prepare(
    `INSERT INTO documents (${values.join(', ')}) VALUES (${values.map(() => '?').join(', ')})
     ON CONFLICT (id) DO UPDATE SET ${values.map((name) => `${name} = excluded.${name}`).join(', ')}`,
  );
  const start = performance.now();
  for (let at = 0; at < documents.length; at += BATCH) {
    database.exec('BEGIN');
    for (const document of documents.slice(at, at + BATCH)) {
      const indexed = fields.map((field) => (document[field] ?? null) as string | number | null);
      upsert.run(document['id'] as string, JSON.stringify(document), ...indexed);
    }
    database.exec('COMMIT');
  }
  const seconds = (performance.now() - start) / 1000;
  database.close();
  return documents.length / seconds;
}

/** Sixteen calls are recorded together, as they are when sixteen connections wait for their answers. */
async function live(log: SqliteEventStore, directory: string, rounds: number): Promise<LiveFigures> {
  const callsAtOnce = 16;
  const writer = new EventWriter(log);
  const record = async () => {
    const cpu = process.cpuUsage();
    for (let round = 0; round < rounds; round += 1) await writer.append('metered', callsAtOnce, ...aCall());
    const { user, system } = process.cpuUsage(cpu);
    return (user + system) / (rounds * callsAtOnce);
  };
  await record();
  const without = await record();
  const seen = new Map<string, { position: string; live: boolean }>();
  let wake = () => {};
  const host = await startProjectionHost({
    eventLog: { adapter: 'sqlite', directory },
    readStore: { adapter: 'sqlite', directory: join(directory, 'live') },
    projections: PROJECTIONS_MODULE,
    onAdvance(advances) {
      for (const advance of advances) seen.set(advance.collection, advance);
      wake();
    },
  });
  const visible = async (position: string) => {
    while (!(
      seen.get(collectionNameOf(inferences))?.live && seen.get(collectionNameOf(inferences))!.position >= position
    ))
      await new Promise<void>((resolve) => (wake = resolve));
  };
  await visible((await log.head()).position!);
  while ((await host.status()).some(({ state }) => state !== 'live')) await new Promise((next) => setTimeout(next, 20));
  await record();
  const withHost = await record();
  await visible((await log.head()).position!);
  const waits: number[] = [];
  for (let n = 0; n < 50; n += 1) {
    await new Promise((next) => setTimeout(next, 10));
    const position = await writer.append('metered', 1, ...aCall());
    const start = performance.now();
    await visible(position);
    waits.push(performance.now() - start);
  }
  await host.close();
  return {
    calls: rounds * callsAtOnce,
    cpuMicrosecondsWithout: without,
    cpuMicrosecondsWith: withHost,
    medianMsUntilVisible: median(waits),
  };
}

export function showProjections({ rebuilds, live: figures }: ProjectionFigures): void {
  const table = new Table({
    head: ['rebuild of', 'events', 'documents', 'events/s', 'CPU us/event', 'plain upserts/s'],
  });
  const round = (value: number) => Math.round(value).toLocaleString('en');
  for (const row of rebuilds)
    table.push([
      row.projection,
      round(row.events),
      round(row.documents),
      round(row.eventsPerSecond),
      row.cpuMicroseconds.toFixed(1),
      round(row.plainUpsertsPerSecond),
    ]);
  console.log(table.toString());
  const { cpuMicrosecondsWithout, cpuMicrosecondsWith, medianMsUntilVisible } = figures;
  console.log(
    `a recorded call, 16 at once: ${cpuMicrosecondsWithout.toFixed(0)} us of CPU to store it, ` +
      `${(cpuMicrosecondsWith - cpuMicrosecondsWithout).toFixed(0)} us more with all projections live; ` +
      `visible ${medianMsUntilVisible.toFixed(2)} ms after it was acknowledged`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const figures = await benchProjections();
  showProjections(figures);
  console.log(JSON.stringify({ bench: 'projections', ...figures }));
}
