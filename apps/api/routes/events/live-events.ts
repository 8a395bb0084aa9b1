import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import type { JsonObject } from '#domain/json.js';
import type { Position } from '#ports/event-store/port.js';
import type { LiveMessage } from '../../edge/live-messages.js';
import type { LiveEventsQuery } from './dto.js';
import { requirePosition, Selection } from '#use-cases/events/selection.js';

/** Events of workspaces as they happen; the ids of messages are positions of the log. */
@Injectable()
export class LiveEvents {
  constructor(private readonly application: Application) {}

  /**
   * The selected events after a position, by default new ones only.
   * @param lastEventId the position that the client continues from
   * @throws InvalidError for an invalid filter or position
   */
  async follow(caller: Caller, query: LiveEventsQuery, lastEventId: string | undefined) {
    const selection = new Selection(this.application, caller, query);
    const given = lastEventId || query.after;
    if (given !== undefined) await requirePosition(this.application, 'after', given);
    const after = given ?? (await this.application.storedEvents.head()).position;
    return (signal: AbortSignal) => this.messages(selection, after, signal);
  }

  private async *messages(
    selection: Selection,
    after: Position | null,
    signal: AbortSignal,
  ): AsyncGenerator<LiveMessage> {
    const { filter } = selection;
    for await (const message of this.application.storedEvents.subscribe({ after, filter, signal })) {
      if (message.kind === 'checkpoint') yield checkpoint(message.position);
      if (message.kind !== 'events') continue;
      for (const event of message.events) {
        const shown = selection.has(event) ? await selection.shown(event) : null;
        if (shown !== null)
          yield { id: event.position, data: { type: 'event', event: shown as unknown as JsonObject } };
        if (signal.aborted) return;
      }
      // A client continues from here, even if none of these events was its own.
      yield checkpoint(message.events.at(-1)!.position);
    }
  }
}

const checkpoint = (position: Position): LiveMessage => ({ id: position, data: { type: 'checkpoint', position } });
