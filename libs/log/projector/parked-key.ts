import type { Position, RecordedEvent } from '#ports/event-store/port.js';

/** A key whose events wait, because one of them failed. */
export interface ParkedKey {
  readonly [field: string]: string | number | null;
  /** The document's id; `stream:<name>` if the key of an event is unknown. */
  readonly key: string;
  /** The failed event's id; then its position. */
  readonly eventId: string;
  readonly eventType: string;
  readonly position: Position;
  /** A place before it to read on from, null for the start. */
  readonly after: Position | null;
  /** The last event that waits. */
  readonly last: Position;
  /** Number of waiting events. */
  readonly events: number;
  /** Number of retries that failed. */
  readonly retries: number;
  readonly error: string;
}

const MAX_ERROR_CHARACTERS = 500;

export const parkedFirst = (key: string, event: RecordedEvent, after: Position | null, error: unknown): ParkedKey => ({
  key,
  eventId: event.id,
  eventType: event.type,
  position: event.position,
  after,
  last: event.position,
  events: 1,
  retries: 0,
  error: (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, MAX_ERROR_CHARACTERS),
});
