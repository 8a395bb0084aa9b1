import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { streamName } from '#domain/streams.js';
import { logCreated, type NewLog } from '../log-created.js';
import { LogLostError } from '../log-lost.js';
import { isFinal } from './errors.js';
import {
  AppendOutcomeUnknownError,
  EventStoreUnavailableError,
  NO_STREAM,
  StreamNotFoundError,
  WrongExpectedRevisionError,
  type EventStore,
} from '../port.js';

/** The stream that all processes try to create: only one of them can make the log. */
const STREAM = streamName('log', 'created');
const RETRY_MS = 250;

/** Id of the log's first event; null for an empty log. */
export async function readLogId(store: Pick<EventStore, 'readStream'>): Promise<string | null> {
  try {
    for await (const event of store.readStream(STREAM, { limit: 1 })) return event.id;
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
  return null;
}

interface EnsureLogOptions extends NewLog {
  readonly deadlineMs: number;
  /** Stores that remember a log; if one does, no new log is created. */
  readonly remembers?: readonly string[] | undefined;
}

/**
 * Appends the log's first event unless it exists. Retries until the deadline while the store is unreachable, and does not
 * if it refuses.
 * @returns the log's id
 * @throws LogLostError when it is missing although it once existed
 */
export async function ensureLog(
  store: Pick<EventStore, 'readStream' | 'append' | 'head'>,
  { deadlineMs, facts, origin, remembers = [] }: EnsureLogOptions,
): Promise<string> {
  const deadline = performance.now() + deadlineMs;
  const { logId: newId, occurredAt } = origin ?? { logId: randomUUID(), occurredAt: new Date().toISOString() };
  const { event } = logCreated(newId, occurredAt, facts);
  for (;;) {
    try {
      const logId = await readLogId(store);
      if (logId !== null) {
        await readable(store);
        return logId;
      }
      if (remembers.length > 0)
        throw new LogLostError(
          `EventStoreDB holds no event log, but there was one: ${remembers.join(', ')}. Restore the server's backup, or ` +
            'connect to the server that has the log',
        );
      await store.append(STREAM, NO_STREAM, [event]);
    } catch (error) {
      const again =
        error instanceof WrongExpectedRevisionError ||
        error instanceof AppendOutcomeUnknownError ||
        error instanceof EventStoreUnavailableError;
      if (!again || isFinal(error) || performance.now() > deadline) throw error;
      await sleep(RETRY_MS);
    }
  }
}

/** @throws EventStoreUnavailableError when the log cannot be read, although a stream can */
async function readable(store: Pick<EventStore, 'head'>): Promise<void> {
  try {
    await store.head();
  } catch (error) {
    if (!isFinal(error)) throw error;
    const message = "the user may not read $all: its metadata must say so ('$acl', '$r')";
    throw new EventStoreUnavailableError(message, { cause: error });
  }
}
