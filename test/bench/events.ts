import Table from 'cli-table3';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { openSqliteEventReader, openSqliteEventStore, type Durability } from '#event-store/sqlite/index.js';
import { expectedAfter, type EventStore, type EventToAppend } from '#event-store/port.js';

/**
 * Appends, replay and catching up on the embedded event store, beside plain SQLite inserts of the same events in
 * transactions of the same sizes, with the same durability, in the same run.
 */

export interface AppendFigures {
  readonly callers: number;
  /** Events in each append. */
  readonly batch: number;
  readonly eventsPerSecond: number;
  readonly medianMs: number;
  /** Of the whole process, for each append. */
  readonly cpuMicroseconds: number;
  /** Mean appends in one commit. */
  readonly group: number;
  readonly plainEventsPerSecond: number;
}

export interface EventFigures {
  readonly durability: Durability;
  readonly appends: readonly AppendFigures[];
  readonly replayEventsPerSecond: number;
  readonly filteredReplayEventsPerSecond: number;
  readonly catchUpEventsPerSecond: number;
}

const CASES = [
  { callers: 1, batch: 1 },
  { callers: 1, batch: 16 },
  { callers: 16, batch: 1 },
  { callers: 64, batch: 1 },
  { callers: 256, batch: 1 },
];

/** @param secondsEach how long each case of appends runs */
export async function benchEvents(durability: Durability, secondsEach = 2): Promise<EventFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'anneal-bench-'));
  let appends = 0;
  let groups = 0;
  const store = await openSqliteEventStore({
    directory,
    durability,
    onGroup: ({ calls }) => {
      appends += calls;
      groups += 1;
    },
  });
  try {
    await appendFor(store, 64, 1, 0.5);
    const figures: AppendFigures[] = [];
    for (const { callers, batch } of CASES) {
      appends = groups = 0;
      const measured = await appendFor(store, callers, batch, secondsEach);
      const group = appends / groups;
      const plainEventsPerSecond = plainInserts(directory, durability, Math.round(group * batch), secondsEach / 2);
      figures.push({ callers, batch, ...measured, group, plainEventsPerSecond });
    }
    const rate = (after: () => Promise<number>) => eventsPerSecond(after);
    return {
      durability,
      appends: figures,
      replayEventsPerSecond: await rate(() => replay(directory)),
      filteredReplayEventsPerSecond: await rate(() => replay(directory, ['bench-even.v1'])),
      catchUpEventsPerSecond: await rate(() => catchUp(directory)),
    };
  } finally {
    await store.close();
    await rm(directory, { recursive: true });
  }
}

/** So many callers at once, each waiting for its own answer before its next append. */
async function appendFor(store: EventStore, callers: number, batch: number, seconds: number) {
  const end = performance.now() + seconds * 1000;
  const latencies: number[] = [];
  const caller = async () => {
    const stream = `bench-${randomUUID()}`;
    let revision = -1;
    while (performance.now() < end) {
      const events = Array.from({ length: batch }, (_, n) => anEvent(revision + 1 + n));
      const start = performance.now();
      ({ revision } = await store.append(stream, expectedAfter(revision), events));
      latencies.push(performance.now() - start);
    }
  };
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  await Promise.all(Array.from({ length: callers }, caller));
  const elapsed = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    eventsPerSecond: (latencies.length * batch) / elapsed,
    medianMs: latencies.sort((a, b) => a - b)[latencies.length >> 1]!,
    cpuMicroseconds: (user + system) / latencies.length,
  };
}

/** The least that keeps such events: one table, one index for its streams, so many rows a transaction. */
function plainInserts(directory: string, durability: Durability, rows: number, seconds: number): number {
  const database = new DatabaseSync(join(directory, `plain-${randomUUID()}.db`));
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${durability};
    CREATE TABLE events (
      position INTEGER PRIMARY KEY, stream TEXT, revision INTEGER, type TEXT, id TEXT, data TEXT, metadata TEXT
    );
    CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
  `);
  const insert = database.prepare(
    'INSERT INTO events (stream, revision, type, id, data, metadata) VALUES (?,?,?,?,?,?)',
  );
  const streams = Array.from({ length: rows }, () => `bench-${randomUUID()}`);
  const start = performance.now();
  let revision = 0;
  while (performance.now() < start + seconds * 1000) {
    database.exec('BEGIN');
    for (const stream of streams) {
      const { id, type, data, metadata } = anEvent(revision);
      insert.run(stream, revision, type, id, JSON.stringify(data), JSON.stringify(metadata));
    }
    database.exec('COMMIT');
    revision += 1;
  }
  const elapsed = (performance.now() - start) / 1000;
  database.close();
  return (revision * rows) / elapsed;
}

async function replay(directory: string, types?: readonly string[]): Promise<number> {
  const reader = openSqliteEventReader({ directory });
  let count = 0;
  for await (const _ of reader.readAll(types && { filter: { types } })) count += 1;
  await reader.close();
  return count;
}

async function catchUp(directory: string): Promise<number> {
  const reader = openSqliteEventReader({ directory });
  const abort = new AbortController();
  let count = 0;
  for await (const message of reader.subscribe({ after: null, signal: abort.signal })) {
    if (message.kind === 'events') count += message.events.length;
    else if (message.kind === 'caught-up') abort.abort();
  }
  await reader.close();
  return count;
}

async function eventsPerSecond(read: () => Promise<number>): Promise<number> {
  const start = performance.now();
  return (await read()) / ((performance.now() - start) / 1000);
}

const who = randomUUID();

/** About 500 bytes, as a training epoch has. */
function anEvent(revision: number): EventToAppend {
  const commandId = randomUUID();
  return {
    id: randomUUID(),
    type: revision % 2 === 0 ? 'bench-even.v1' : 'bench-odd.v1',
    data: {
      jobId: who,
      epoch: revision,
      trainLoss: 0.123456,
      validationLoss: 0.234567,
      learningRate: 0.001,
      seconds: 1.25,
    },
    metadata: {
      workspaceId: who,
      actor: `user:${who}`,
      correlationId: commandId,
      causationId: commandId,
      commandId,
      occurredAt: '2030-01-02T03:04:05.678Z',
    },
  };
}

function show(figures: EventFigures): void {
  const table = new Table({
    head: [
      'callers',
      'events/append',
      'events/s',
      'median ms',
      'CPU us/append',
      'appends/commit',
      'plain inserts/s',
      'of plain',
    ],
  });
  for (const row of figures.appends) {
    const ofPlain = row.eventsPerSecond / row.plainEventsPerSecond;
    table.push([
      row.callers,
      row.batch,
      Math.round(row.eventsPerSecond).toLocaleString('en'),
      row.medianMs.toFixed(2),
      Math.round(row.cpuMicroseconds),
      row.group.toFixed(1),
      Math.round(row.plainEventsPerSecond).toLocaleString('en'),
      `${Math.round(ofPlain * 100)}%`,
    ]);
  }
  console.log(`event appends, durability ${figures.durability}\n${table.toString()}`);
  const rates = {
    replay: figures.replayEventsPerSecond,
    'replay of one type in two': figures.filteredReplayEventsPerSecond,
    'subscription, catching up': figures.catchUpEventsPerSecond,
  };
  for (const [name, rate] of Object.entries(rates))
    console.log(`${name}: ${Math.round(rate).toLocaleString('en')} events/s`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const durability of ['full', 'normal'] as const) {
    const figures = await benchEvents(durability);
    show(figures);
    console.log(JSON.stringify({ bench: 'events', ...figures }));
  }
}
