import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProjectionHost } from '#apps/worker/projection-host/start.js';
import {
  expectedAfter,
  StreamNotFoundError,
  type AppendResult,
  type EventStore,
  type EventToAppend,
} from '#event-store/port.js';
import { openSqliteEventStore } from '#event-store/sqlite/index.js';
import { WRITTEN } from './projections.js';
import { randomNumbers } from './random.js';

/**
 * A write load that is made to be killed: `node load.js <folder> <seed>`. Several callers append to streams of their own,
 * with the projections running beside; each acknowledged event is a line of standard output, `stream revision id`,
 * written synchronously after its acknowledgement. Goes on until it is killed.
 */
const CALLERS = 12;
const STREAMS_OF_EACH = 4;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [directory, seed] = process.argv.slice(2) as [string, string];
  // Nobody is left to kill it.
  process.on('disconnect', () => process.exit());
  const store = await openSqliteEventStore({ directory });
  await startProjectionHost(locations(directory, 'live'));
  const random = randomNumbers(Number(seed));
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => appendForEver(store, caller, random)));
}

/** Where the projections find the log of a folder and put the documents of that name. */
export function locations(directory: string, name: string) {
  return {
    eventLog: { adapter: 'sqlite', directory },
    readStore: { adapter: 'sqlite', directory: join(directory, name) },
    projections: import.meta.resolve('./projections.js'),
  } as const;
}

async function appendForEver(store: EventStore, caller: number, random: () => number): Promise<never> {
  const below = (bound: number) => Math.floor(random() * bound);
  const revisions = new Map<string, number>();
  for (;;) {
    const stream = `crash-${caller}-${below(STREAMS_OF_EACH)}`;
    const last = revisions.get(stream) ?? (await lastRevision(store, stream));
    const events = written(last, 1 + below(5));
    const once = () => store.append(stream, expectedAfter(last), events);
    // Now and then the same append twice at once, as a caller that repeats does.
    const [result, repeated] = await Promise.all(below(10) === 0 ? [once(), once()] : [once()]);
    if (repeated && repeated.position !== result.position) throw new Error(`${stream} was written twice`);
    acknowledge(stream, last, events, result);
    revisions.set(stream, result.revision);
  }
}

function acknowledge(stream: string, last: number, events: readonly EventToAppend[], { revision }: AppendResult): void {
  if (revision !== last + events.length) throw new Error(`${stream} is at ${revision} after ${last}`);
  writeSync(1, events.map(({ id }, index) => `${stream} ${last + 1 + index} ${id}\n`).join(''));
  process.send?.('acknowledged');
}

async function lastRevision(store: EventStore, stream: string): Promise<number> {
  try {
    const [last] = await Array.fromAsync(store.readStream(stream, { direction: 'backwards', limit: 1 }));
    return last!.revision;
  } catch (error) {
    if (error instanceof StreamNotFoundError) return -1;
    throw error;
  }
}

function written(last: number, count: number): readonly EventToAppend[] {
  const append = randomUUID();
  const occurredAt = new Date().toISOString();
  const metadata = {
    workspaceId: null,
    actor: 'system:crash',
    correlationId: append,
    causationId: append,
    commandId: append,
    occurredAt,
  };
  return Array.from({ length: count }, (_, index) => ({
    id: randomUUID(),
    type: WRITTEN,
    data: { n: last + 1 + index, append, of: count },
    metadata,
  }));
}
