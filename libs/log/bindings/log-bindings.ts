import { v7 as uuid7 } from 'uuid';
import type { LogEvent } from '#domain/log/events.js';
import {
  StreamNotFoundError,
  type EventStore,
  type EventToAppend,
  type RecordedEvent,
} from '#ports/event-store/port.js';

/** The last event of a stream that binds the log to something outside it; null if the log is not bound. */
export async function lastBinding(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
): Promise<RecordedEvent | null> {
  try {
    for await (const event of store.readStream(stream, { direction: 'backwards', limit: 1 })) return event;
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
  return null;
}

/** An event that binds the log from now on. @param by the user of the operating system; null: the installation itself */
export function binding<Event extends LogEvent>(
  type: Event['type'],
  actor: `system:${string}`,
  data: Omit<Event['data'], 'boundAt'>,
  by: string | null = null,
): EventToAppend {
  const commandId = uuid7();
  const boundAt = new Date().toISOString();
  const ids = { correlationId: commandId, causationId: commandId, commandId };
  return {
    id: commandId,
    type,
    data: { ...data, boundAt },
    metadata: { workspaceId: null, actor, ...ids, occurredAt: boundAt, ...(by !== null && { by }) },
  };
}
