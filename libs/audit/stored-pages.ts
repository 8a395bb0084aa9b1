import type { EventReader, RecordedEvent } from '#ports/event-store/port.js';
import type { StoredEvent } from './entries.js';

const PAGE = 256;

/**
 * Events of the log after a position, in pages, with the texts that both stores keep: the output of `JSON.stringify` at
 * the append.
 * @param log yields events as stored
 * @param until position of the last event, inclusive; default: the end
 */
export async function* storedPages(
  log: Pick<EventReader, 'readAll'>,
  after: string | null,
  until: string | null = null,
): AsyncGenerator<readonly StoredEvent[]> {
  let page: StoredEvent[] = [];
  for await (const event of log.readAll({ after })) {
    if (until !== null && event.position > until) break;
    page.push(storedTexts(event));
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** The events up to a position, inclusive. */
export async function* upTo(
  pages: AsyncIterable<readonly StoredEvent[]>,
  until: string,
): AsyncGenerator<readonly StoredEvent[]> {
  for await (const page of pages) {
    yield page.filter(({ position }) => position <= until);
    if (page.at(-1)!.position >= until) return;
  }
}

export const storedTexts = ({ position, stream, revision, type, id, data, metadata }: RecordedEvent): StoredEvent => ({
  ...{ position, stream, revision, type, id, data: JSON.stringify(data), metadata: JSON.stringify(metadata) },
});
