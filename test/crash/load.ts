import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProjectionHost } from '#log/projector/thread/start.js';
import {
  expectedAfter,
  StreamNotFoundError,
  type AppendResult,
  type EventStore,
  type EventToAppend,
} from '#ports/event-store/port.js';
import { openSqliteEventStore, type SqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { ERASABLE, ERASED, WRITTEN, type Written } from './projections.js';
import { randomNumbers } from '#primitives/random-numbers.js';

/**
 * A write load that is made to be killed: `node load.js <folder> <seed>`. Several callers append to streams of their own
 * and delete some of them, with the projections running beside. Goes on until it is killed.
 *
 * Facts that are certain go to standard output, synchronously: `stored <stream> <revision> <id>` after the
 * acknowledgement of an event, `held <id of its append>` after that of an event that is held until the append, `erasing <stream>` before a deletion, `erased <stream>` after its acknowledgement.
 */
const CALLERS = 12;
const STREAMS_OF_EACH = 4;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [directory, seed] = process.argv.slice(2) as [string, string];
  // The parent that would kill it is gone.
  process.on('disconnect', () => process.exit());
  const store = await openSqliteEventStore({ directory });
  await startProjectionHost(locations(directory, 'live'));
  const random = randomNumbers(Number(seed));
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => appendForEver(store, caller, random)));
}

/** The log of a folder, and the place of its documents under this name. */
export function locations(directory: string, name: string) {
  return {
    eventLog: { adapter: 'sqlite', directory },
    readStore: { adapter: 'sqlite', directory: join(directory, name) },
    projections: import.meta.resolve('./projections.js'),
  } as const;
}

async function appendForEver(store: SqliteEventStore, caller: number, random: () => number): Promise<never> {
  const below = (bound: number) => Math.floor(random() * bound);
  const revisions = new Map<string, number>();
  const append = async (stream: string, events: (last: number) => readonly EventToAppend[]) => {
    const last = revisions.get(stream) ?? (await lastRevision(store, stream));
    const own = events(last);
    const inPlaceOf = stream.startsWith('kept') && below(2) === 0 ? await held(store, stream, own[0]!) : [];
    const once = () => store.append(stream, expectedAfter(last), own, inPlaceOf);
    // Repeats some appends concurrently, as a caller that retries does.
    const [result, repeated] = await Promise.all(below(10) === 0 ? [once(), once()] : [once()]);
    if (repeated && repeated.position !== result.position) throw new Error(`${stream} was written twice`);
    acknowledge(stream, last, own, result);
    revisions.set(stream, result.revision);
  };
  for (;;) {
    const choice = below(STREAMS_OF_EACH);
    const stream = choice === 0 ? `${ERASABLE}-${caller}` : `kept-${caller}-${choice}`;
    if (choice === 0 && (revisions.get(stream) ?? -1) >= 0 && below(6) === 0) {
      await append(`erasure-${caller}`, (last) => written(last, 1, { type: ERASED, stream }));
      say(`erasing ${stream}\n`);
      await store.deleteStream(stream);
      say(`erased ${stream}\n`);
      revisions.set(stream, -1);
    } else await append(stream, (last) => written(last, 1 + below(5), { type: WRITTEN, stream }));
  }
}

/** Holds an event by the id of the append. */
async function held({ held: beside }: SqliteEventStore, stream: string, first: EventToAppend): Promise<string[]> {
  const id = (first.data as Written).append;
  await beside.hold([{ ...first, id, stream }]);
  say(`held ${id}\n`);
  return [id];
}

function acknowledge(stream: string, last: number, events: readonly EventToAppend[], { revision }: AppendResult): void {
  if (revision !== last + events.length) throw new Error(`${stream} is at ${revision} after ${last}`);
  say(events.map(({ id }, index) => `stored ${stream} ${last + 1 + index} ${id}\n`).join(''));
  process.send?.('acknowledged');
}

function say(lines: string): void {
  writeSync(1, lines);
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

function written(
  last: number,
  count: number,
  { type, stream }: { readonly type: string; readonly stream: string },
): readonly EventToAppend[] {
  const append = randomUUID();
  const causes = { correlationId: append, causationId: append, commandId: append };
  const metadata = { workspaceId: null, actor: 'system:crash', ...causes, occurredAt: new Date().toISOString() };
  return Array.from({ length: count }, (_, index) => {
    const data: Written = { n: last + 1 + index, append, of: count, stream };
    return { id: randomUUID(), type, data, metadata };
  });
}
