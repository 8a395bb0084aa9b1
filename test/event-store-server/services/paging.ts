import type { EventLog } from '../log/event-log.js';
import { placeInLog } from '../log/places.js';
import type { Direction, StoredEvent } from '../log/tables.js';
import { invalidPosition } from '../protocol/errors.js';
import type { LogPosition } from '../protocol/read-request.js';

/** Events fetched at once. */
export const PAGE = 500;

/** @param next the page behind the last event given, null at first */
export function* pagesOf(
  next: (last: StoredEvent | null) => readonly StoredEvent[],
): Generator<readonly StoredEvent[]> {
  let page = next(null);
  while (page.length > 0) {
    yield page;
    page = next(page.at(-1)!);
  }
}

/**
 * Beyond the end there is nothing to read, and nothing before it either.
 * @throws ServiceError when there is no such place
 */
export function startInLog(log: EventLog, from: LogPosition | 'start' | 'end', direction: Direction): number {
  if (from === 'start') return 0;
  if (from === 'end') return Number.MAX_SAFE_INTEGER;
  if (direction === 'forwards' && Number(from.commit) > log.end) return Number.MAX_SAFE_INTEGER;
  const place = placeInLog(log.tables, from.commit, from.prepare);
  if (place === null) throw invalidPosition(from.commit, from.prepare);
  return place;
}
