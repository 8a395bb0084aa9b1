import { createHash } from 'node:crypto';
import { isLogCreated } from '#ports/event-store/log-created.js';
import {
  AppendOutcomeUnknownError,
  expectedAfter,
  StreamNotFoundError,
  type EventReader,
  type EventStore,
  type RecordedEvent,
} from '#ports/event-store/port.js';
import { MigrationRefusedError } from './refused.js';

interface LogCopy {
  /** With events as they are stored: contents stay encrypted, and older shapes older. */
  readonly from: EventReader;
  readonly to: EventStore;
  readonly onProgress?: (events: number) => void;
  readonly signal: AbortSignal;
}

/** Events of one append, and their bytes as JSON (about half of what both adapters take). */
const MAX_EVENTS = 100;
const MAX_BYTES = 400_000;
const TRIES = 5;

/**
 * Appends the events of a log to another one, in the same order, each with its id, revision, data and metadata. The n-th event of one is
 * the n-th of the other; positions are the adapter's own. What the target has already is compared, not written again.
 * @throws MigrationRefusedError when the target has other events
 */
export async function copyLog({ from, to, onProgress, signal }: LogCopy): Promise<void> {
  const there = to.readAll()[Symbol.asyncIterator]();
  let isThere = true;
  let done = 0;
  let batch: RecordedEvent[] = [];
  let bytes = 0;
  const append = async () => {
    if (batch.length > 0) await appended(to, batch);
    [batch, bytes] = [[], 0];
  };
  for await (const event of presentEvents(from)) {
    signal.throwIfAborted();
    if (isThere) {
      const next = await there.next();
      isThere = !next.done;
      if (!next.done && lineOf(next.value) !== lineOf(event))
        throw new MigrationRefusedError(
          `the target has another event (${next.value.id}) in place of ${event.id}: give an empty place, or the one where the copy began`,
        );
    }
    if (!isThere) {
      const size = lineOf(event).length;
      const [last] = batch;
      if (last && (last.stream !== event.stream || batch.length >= MAX_EVENTS || bytes + size > MAX_BYTES))
        await append();
      batch.push(event);
      bytes += size;
    }
    done += 1;
    onProgress?.(done);
  }
  await append();
  if (isThere && !(await there.next()).done)
    throw new MigrationRefusedError('the target has events that the source does not have: it was used since');
}

/** @throws AppendOutcomeUnknownError when the store does not answer */
async function appended(to: EventStore, events: readonly RecordedEvent[]): Promise<void> {
  const [first] = events;
  for (let left = TRIES; ; left -= 1)
    try {
      // The same ids at the same revision are recognised.
      await to.append(first!.stream, expectedAfter(first!.revision - 1), events.map(toAppend));
      return;
    } catch (error) {
      if (!(error instanceof AppendOutcomeUnknownError) || left === 0) throw error;
    }
}

const toAppend = ({ id, type, data, metadata }: RecordedEvent) => ({ id, type, data, metadata });

export interface LogDigest {
  readonly events: number;
  /** Over each event but its position, in order; lower-case hex. */
  readonly sha256: string;
}

/** Reads a log from start to end. Logs with the same digest say the same. */
export async function digestOfLog(log: EventReader, onProgress?: (events: number) => void): Promise<LogDigest> {
  const hash = createHash('sha256');
  let events = 0;
  for await (const event of presentEvents(log)) {
    hash.update(lineOf(event));
    events += 1;
    onProgress?.(events);
  }
  return { events, sha256: hash.digest('hex') };
}

/** Without those of deleted streams, which a server keeps until it is scavenged. */
async function* presentEvents(log: EventReader): AsyncGenerator<RecordedEvent> {
  const deleted = new Set<string>();
  for await (const event of log.readAll()) {
    // Only whole streams are deleted.
    if (event.revision === 0 && log.positions === 'sparse' && (await isDeleted(log, event.stream)))
      deleted.add(event.stream);
    if (!deleted.has(event.stream)) yield event;
  }
}

async function isDeleted(log: EventReader, stream: string): Promise<boolean> {
  try {
    for await (const _ of log.readStream(stream, { limit: 1 })) return false;
  } catch (error) {
    if (error instanceof StreamNotFoundError) return true;
    throw error;
  }
  return true;
}

/** The first event has its own stream in each adapter. */
const lineOf = (event: RecordedEvent): string => {
  const { stream, revision, id, type, data, metadata } = event;
  return `${JSON.stringify([isLogCreated(event) ? '' : stream, revision, id, type, data, metadata])}\n`;
};
