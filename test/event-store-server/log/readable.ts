import type { EventLog } from './event-log.js';
import { firstReadable, isSoftDeleted } from './streams.js';

/** What reads of a stream show: its row and first and last revision (first > last when all of it was truncated). */
export interface Readable {
  readonly kind: 'readable';
  readonly id: number;
  readonly first: number;
  readonly last: number;
}

export function readable(
  log: EventLog,
  name: string,
): Readable | { readonly kind: 'not-found' } | { readonly kind: 'deleted' } {
  if (log.isTombstoned(name)) return { kind: 'deleted' };
  const stream = log.stream(name);
  const { id, last, maxAgeSeconds } = stream;
  if (id === null || last < 0 || isSoftDeleted(stream)) return { kind: 'not-found' };
  const young =
    maxAgeSeconds === null ? 0 : (log.tables.firstSince(id, Date.now() - maxAgeSeconds * 1_000) ?? last + 1);
  return { kind: 'readable', id, first: Math.max(firstReadable(stream), young), last };
}
