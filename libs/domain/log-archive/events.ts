import type { EventsOf, EventTypes } from '../decider.js';

export type LogArchiveEvent = EventsOf<{
  /** The stream `log-archive`: texts of recorded calls have moved from the log to its archive in the object store. */
  'log-archived.v1': {
    /** Position of the last event that was archived before; null for the first. */
    after: string | null;
    /** Position of the last one of these. */
    to: string;
    events: number;
    /** Objects of the archive. */
    segments: number;
    /** The time that the operator gave: all events are older. */
    before: string;
    /** The signed checkpoint of the tree that the archived events were compared with. */
    checkpoint: string;
    archivedAt: string;
  };
}>;

export const LOG_ARCHIVE_EVENT_TYPES: EventTypes<LogArchiveEvent> = { 'log-archived.v1': true };
