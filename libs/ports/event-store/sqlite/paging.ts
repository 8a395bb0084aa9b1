import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordedEvent } from '../port.js';
import { PAGE_CHARACTERS } from './log-rows.js';
import type { Page } from './pages.js';

const FIRST_PAGE = 32;
const MAX_PAGE = 512;

/**
 * Events of one page after another, from `start`, at most `limit` of them. Between pages the event loop gets its turn, so
 * that a long read keeps no request waiting. Pages begin small and grow while their events are small.
 */
export async function* paged(
  read: (from: number, limit: number) => Page | Promise<Page>,
  start: number,
  limit = Infinity,
): AsyncGenerator<RecordedEvent> {
  let from = start;
  let left = limit;
  let size = FIRST_PAGE;
  while (left > 0) {
    const page = await read(from, Math.min(size, left));
    for (const event of page.events) yield event;
    if (page.last) return;
    from = page.next;
    left -= page.events.length;
    const mean = page.characters / Math.max(1, page.events.length);
    size = Math.max(1, Math.min(MAX_PAGE, size * 4, Math.floor(PAGE_CHARACTERS / (mean + 1))));
    await nextTurn();
  }
}
