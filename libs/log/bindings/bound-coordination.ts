import { LOG_COORDINATION_BOUND, type LogCoordinationBound } from '#domain/log/events.js';
import { streamName } from '#domain/streams.js';
import type { EventStore, EventToAppend } from '#ports/event-store/port.js';
import { binding, lastBinding } from './log-bindings.js';

export const COORDINATION_STREAM = streamName('log', 'coordination');

/** The id of the coordination that the log names; null if it names none. */
export async function boundCoordination(store: EventStore): Promise<{ id: string | null; revision: number }> {
  const last = await lastBinding(store, COORDINATION_STREAM);
  return last
    ? { id: (last.data as LogCoordinationBound['data']).coordination, revision: last.revision }
    : { id: null, revision: -1 };
}

/** The event that binds a log to this coordination. */
export const coordinationBound = (coordination: string, replaced: string | null): EventToAppend =>
  binding<LogCoordinationBound>(LOG_COORDINATION_BOUND, 'system:coordination', { coordination, replaced });
