import Table from 'cli-table3';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqliteEventReader, openSqliteEventStore, type Durability } from '#ports/event-store/sqlite/index.js';
import { expectedAfter, type EventStore, type EventToAppend } from '#ports/event-store/port.js';
import { PlainInserts } from './plain-inserts.js';
import { scaled } from './size.js';

/**
 * Appends, replay and catching up on the embedded event store. Appends stand beside plain SQLite inserts of the same
 * events, in transactions of the same sizes, with the same durability; the two take turns, so that whatever else the
 * machine does meets both.
 */

export interface AppendFigures {
  /** Concurrent callers, each with streams of its own, waiting for an answer before the next append. */
  readonly callers: number;
  /** Events in each append. */
  readonly batch: number;
  readonly eventsPerSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  /** CPU of the whole process per append, callers included. */
  readonly cpuMicroseconds: number;
  /** Mean appends in one commit. */
  readonly group: number;
  /** A table with an index on stream and revision. */
  readonly plainPerSecond: number;
  /** A table without any index. */
  readonly barePerSecond: number;
}

export interface EventFigures {
  readonly durability: Durability;
  readonly appends: readonly AppendFigures[];
  readonly replayPerSecond: number;
  readonly filteredReplayPerSecond: number;
  readonly catchUpPerSecond: number;
}

const CASES = [
  { callers: 1, batch: 1 },
  { callers: 1, batch: 16 },
  { callers: 16, batch: 1 },
  { callers: 64, batch: 1 },
  { callers: 256, batch: 1 },
];
const TURN_SECONDS = scaled(400, 20) / 1_000;
/** Most streams are short: a job, a key, a feedback. */
const STREAM_LENGTH = 20;

/** @param turns how often each case of appends and what it is compared with take turns */
export async function benchEvents(durability: Durability, turns = 4): Promise<EventFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'anneal-bench-'));
  const groups: number[] = [];
  const store = await openSqliteEventStore({ directory, durability, onGroup: ({ calls }) => groups.push(calls) });
  try {
    await new Appending(store, 64, 1).run(TURN_SECONDS);
    const appends: AppendFigures[] = [];
    for (const { callers, batch } of CASES) {
      const appending = new Appending(store, callers, batch);
      const streamLength = STREAM_LENGTH;
      const plain = new PlainInserts(directory, durability, { indexed: true, streamLength, anEvent });
      const bare = new PlainInserts(directory, durability, { indexed: false, streamLength, anEvent });
      groups.length = 0;
      for (let turn = 0; turn < turns; turn += 1) {
        await appending.run(TURN_SECONDS);
        const rows = Math.max(1, Math.round(mean(groups) * batch));
        plain.run(rows, TURN_SECONDS);
        bare.run(rows, TURN_SECONDS);
      }
      const rates = { plainPerSecond: plain.rate, barePerSecond: bare.rate };
      appends.push({ callers, batch, ...appending.figures(), group: mean(groups), ...rates });
      plain.close();
      bare.close();
    }
    return {
      durability,
      appends,
      replayPerSecond: await perSecond(() => replay(directory)),
      filteredReplayPerSecond: await perSecond(() => replay(directory, ['bench-even.v1'])),
      catchUpPerSecond: await perSecond(() => catchUp(directory)),
    };
  } finally {
    await store.close();
    await rm(directory, { recursive: true });
  }
}

class Appending {
  private readonly latencies: number[] = [];
  private readonly streams: { name: string; revision: number }[];
  private seconds = 0;
  private cpu = 0;

  constructor(
    private readonly store: EventStore,
    callers: number,
    private readonly batch: number,
  ) {
    this.streams = Array.from({ length: callers }, newStream);
  }

  async run(seconds: number): Promise<void> {
    const [start, cpu] = [performance.now(), process.cpuUsage()];
    const end = start + seconds * 1000;
    await Promise.all(this.streams.map((stream) => this.appendUntil(end, stream)));
    this.seconds += (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    this.cpu += user + system;
  }

  figures() {
    const { length } = this.latencies;
    const sorted = this.latencies.toSorted((a, b) => a - b);
    return {
      eventsPerSecond: (length * this.batch) / this.seconds,
      medianMs: sorted[Math.floor(length * 0.5)]!,
      p99Ms: sorted[Math.floor(length * 0.99)]!,
      cpuMicroseconds: this.cpu / length,
    };
  }

  private async appendUntil(end: number, stream: { name: string; revision: number }): Promise<void> {
    while (performance.now() < end) {
      if (stream.revision + 1 >= STREAM_LENGTH * this.batch) Object.assign(stream, newStream());
      const events = Array.from({ length: this.batch }, (_, n) => anEvent(stream.revision + 1 + n));
      const start = performance.now();
      const { revision } = await this.store.append(stream.name, expectedAfter(stream.revision), events);
      this.latencies.push(performance.now() - start);
      stream.revision = revision;
    }
  }
}

const newStream = () => ({ name: `bench-${randomUUID()}`, revision: -1 });

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

async function perSecond(read: () => Promise<number>): Promise<number> {
  const start = performance.now();
  return (await read()) / ((performance.now() - start) / 1000);
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0) / numbers.length;

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

const HEAD = [
  ['callers', 'events in', 'events/s', 'median', 'p99', 'CPU us', 'appends', 'plain', 'of', 'no index', 'of'],
  ['at once', 'an append', '', 'ms', 'ms', 'each', 'a commit', 'inserts/s', 'plain', 'inserts/s', 'that'],
].reduce((above, below) => above.map((word, column) => `${word}\n${below[column]}`));

function show({ durability, appends, ...replays }: EventFigures): void {
  const table = new Table({ head: HEAD, style: { head: [], border: [], compact: true } });
  const percent = (part: number, whole: number) => `${Math.round((part / whole) * 100)}%`;
  for (const row of appends) {
    table.push([
      row.callers,
      row.batch,
      whole(row.eventsPerSecond),
      row.medianMs.toFixed(2),
      row.p99Ms.toFixed(1),
      Math.round(row.cpuMicroseconds),
      row.group.toFixed(1),
      whole(row.plainPerSecond),
      percent(row.eventsPerSecond, row.plainPerSecond),
      whole(row.barePerSecond),
      percent(row.eventsPerSecond, row.barePerSecond),
    ]);
  }
  console.log(`event appends, durability ${durability}\n${table.toString()}`);
  console.log(
    `replay ${whole(replays.replayPerSecond)} events/s, of one type in two ${whole(replays.filteredReplayPerSecond)}, ` +
      `subscription catching up ${whole(replays.catchUpPerSecond)}`,
  );
}

const whole = (rate: number): string => Math.round(rate).toLocaleString('en');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const durability of ['full', 'normal'] as const) {
    const figures = await benchEvents(durability, durability === 'full' ? 4 : 2);
    show(figures);
    console.log(JSON.stringify({ bench: 'events', ...figures }));
  }
}
