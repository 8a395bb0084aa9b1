import { CallerQuery } from '../../commands-and-queries.js';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { NotFoundError } from '#domain/errors.js';
import { StreamNotFoundError, type RecordedEvent } from '#ports/event-store/port.js';
import { MAX_PAGE_BYTES } from '../../calls/answer-budget.js';
import { ownedBy, shownOf } from '../visible.js';

interface StreamPage {
  readonly stream: string;
  /** The first revision. */
  readonly from: number;
  readonly limit: number;
}

interface EventPage {
  readonly events: readonly RecordedEvent[];
  /** `from` of the next page; null at the end. */
  readonly nextFrom: number | null;
}

export class ReadEvents extends CallerQuery<StreamPage, EventPage> {}

/** Events as stored: an auditor does not see them in a newer shape. */
@QueryHandler(ReadEvents)
export class ReadEventsHandler implements IQueryHandler<ReadEvents> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError when the stream does not exist, or has no event of the caller's workspace */
  async execute({ caller, input: { stream, from, limit } }: ReadEvents): Promise<EventPage> {
    const isOwn = ownedBy(caller);
    const { events, isFull } = await this.read(stream, from, limit);
    const own = events.filter(isOwn);
    // Past the end of another's stream there is as little as in none.
    if (own.length === 0 && (events.length > 0 || from === 0 || !(await this.read(stream, 0, 1)).events.some(isOwn)))
      throw new NotFoundError('stream', stream);
    const last = events.at(-1);
    const shown = await Array.fromAsync(own, (event) => shownOf(this.application, caller, event));
    return { events: shown, nextFrom: last && isFull ? last.revision + 1 : null };
  }

  /** A page ends after `limit` events, or with the event that passes its limit of bytes. */
  private async read(stream: string, fromRevision: number, limit: number) {
    const events: RecordedEvent[] = [];
    let bytes = 0;
    try {
      for await (const event of this.application.openedEvents.readStream(stream, { fromRevision, limit })) {
        events.push(event);
        bytes += JSON.stringify(event.data).length;
        if (bytes > MAX_PAGE_BYTES) return { events, isFull: true };
      }
    } catch (error) {
      if (error instanceof StreamNotFoundError) throw new NotFoundError('stream', stream);
      throw error;
    }
    return { events, isFull: events.length === limit };
  }
}
