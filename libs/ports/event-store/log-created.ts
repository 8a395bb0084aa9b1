import type { LogCreated } from '#domain/log/events.js';
import { streamName } from '#domain/streams.js';
import type { EventReader, EventToAppend } from './port.js';

export const LOG_CREATED = 'log-created.v1' satisfies LogCreated['type'];

/** Facts in the first event beyond the log's id. */
export type LogFacts = Omit<LogCreated['data'], 'logId'>;

/** Identity of a log that is copied from elsewhere. */
export interface LogOrigin {
  readonly logId: string;
  /** When the log was created there. */
  readonly occurredAt: string;
}

/** What a log that is made now begins with. */
export interface NewLog {
  readonly facts?: LogFacts | undefined;
  /** Absent: a log of its own. */
  readonly origin?: LogOrigin | undefined;
}

/** A log's first event and its stream, which has no other event. The event's id is the log's id. */
export function logCreated(
  logId: string,
  now: string,
  facts: LogFacts = {},
): { readonly stream: string; readonly event: EventToAppend } {
  const metadata = {
    workspaceId: null,
    actor: 'system:event-store',
    correlationId: logId,
    causationId: logId,
    commandId: logId,
    occurredAt: now,
  };
  const data: LogCreated['data'] = { logId, ...facts };
  return { stream: streamName('log', logId), event: { id: logId, type: LOG_CREATED, data, metadata } };
}

/** Whether an event is the log's own first event, which belongs to no aggregate. */
export const isLogCreated = (event: { readonly type: string }): boolean => event.type === LOG_CREATED;

/** The facts in the first event of this log. */
export async function factsOf(store: Pick<EventReader, 'readAll'>): Promise<LogFacts> {
  for await (const { data } of store.readAll({ filter: { types: [LOG_CREATED] }, limit: 1 })) return data;
  return {};
}
