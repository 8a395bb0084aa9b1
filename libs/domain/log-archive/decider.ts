import type { Decider } from '../decider.js';
import { LOG_ARCHIVE_EVENT_TYPES, type LogArchiveEvent } from './events.js';
import { evolve, NOT_ARCHIVED, type LogArchive } from './state.js';

/** Id of the one stream. */
export const LOG_ARCHIVE = 'archive';

type RecordArchived = { readonly type: 'record-archived' } & Omit<LogArchiveEvent['data'], 'archivedAt'>;

/** The part of the log that is archived. One stream for the whole installation. */
export const logArchiveDecider: Decider<RecordArchived, LogArchiveEvent, LogArchive> = {
  category: 'log',
  eventTypes: LOG_ARCHIVE_EVENT_TYPES,
  initial: NOT_ARCHIVED,
  decide({ type: _, ...archived }, state, env) {
    // Another command went on from the same position.
    if (archived.after !== state.to) return [];
    return [{ type: 'log-archived.v1', data: { ...archived, archivedAt: env.now } }];
  },
  evolve,
};
