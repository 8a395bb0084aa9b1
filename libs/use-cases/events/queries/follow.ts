import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { Position, RecordedEvent } from '#ports/event-store/port.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { requirePosition, Selection, type EventFilters } from '../selection.js';

/** A selected event, or the position up to which all events have been considered. */
export type LogNews =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'checkpoint'; readonly position: Position };

interface EventsToFollow extends EventFilters {
  /** The last position that the caller knows; absent: only new events are told. */
  readonly after?: Position;
}

/**
 * The selected events after a position, as they happen, until the signal aborts.
 * @throws InvalidError for an invalid filter or position
 */
export class FollowEvents extends CallerQuery<EventsToFollow, (signal: AbortSignal) => AsyncIterable<LogNews>> {}

@QueryHandler(FollowEvents)
export class FollowEventsHandler implements IQueryHandler<FollowEvents> {
  constructor(private readonly application: Application) {}

  async execute({ caller, input }: FollowEvents) {
    const selection = new Selection(this.application, caller, input);
    if (input.after !== undefined) await requirePosition(this.application, 'after', input.after);
    const after = input.after ?? (await this.application.storedEvents.head()).position;
    return (signal: AbortSignal) => this.news(selection, after, signal);
  }

  private async *news(selection: Selection, after: Position | null, signal: AbortSignal): AsyncGenerator<LogNews> {
    const { filter } = selection;
    for await (const message of this.application.storedEvents.subscribe({ after, filter, signal })) {
      if (message.kind === 'checkpoint') yield message;
      if (message.kind !== 'events') continue;
      for (const event of message.events) {
        const shown = selection.has(event) ? await selection.shown(event) : null;
        if (shown !== null) yield { kind: 'event', event: shown };
        if (signal.aborted) return;
      }
      // A client continues from here, even if none of these events was its own.
      yield { kind: 'checkpoint', position: message.events.at(-1)!.position };
    }
  }
}
