import { LOG_KEYS_BOUND, type LogKeysBound } from '#domain/log/events.js';
import { streamName } from '#domain/streams.js';
import type { EventStore, EventToAppend } from '#ports/event-store/port.js';
import { binding, lastBinding } from './log-bindings.js';

export const KEYS_STREAM = streamName('log', 'keys');

/** The id of the key store that the log names; null if it names none. */
export async function boundKeys(store: EventStore): Promise<{ keyStore: string | null; revision: number }> {
  const last = await lastBinding(store, KEYS_STREAM);
  return last
    ? { keyStore: (last.data as LogKeysBound['data']).keyStore, revision: last.revision }
    : { keyStore: null, revision: -1 };
}

/** The event that binds a log to this key store. */
export const keysBound = (keyStore: string, replaced: string | null): EventToAppend =>
  binding<LogKeysBound>(LOG_KEYS_BOUND, 'system:content-keys', { keyStore, replaced });
