import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { DomainEvent } from '#domain/decider.js';
import { streamName, type StreamCategory } from '#domain/streams.js';
import { StreamNotFoundError, type ReadStreamOptions, type RecordedEvent } from '#ports/event-store/port.js';
import type { EventCitation } from '#apps/api/routes/events/citation-dto.js';

/** A recorded event of one of these types. */
export type Recorded<Event extends DomainEvent> = Event extends DomainEvent
  ? Omit<RecordedEvent, 'type' | 'data'> & Event
  : never;

/** The place of a fact in the log. */
export const cite = ({ type, position, stream, revision, metadata }: RecordedEvent): EventCitation => ({
  ...{ type, position, stream, revision },
  time: metadata.occurredAt,
});

/** Reads streams of one workspace, event by event, so that each fact can name its event. */
@Injectable()
export class LogReader {
  constructor(private readonly application: Application) {}

  /** The workspace's events of a stream that are wanted, in order; none if there is no such stream. */
  async events<Event extends DomainEvent>(
    workspaceId: string,
    [category, id]: readonly [StreamCategory, string],
    isWanted: (event: Recorded<Event>) => boolean = () => true,
    options: ReadStreamOptions = {},
  ): Promise<readonly Recorded<Event>[]> {
    const found: Recorded<Event>[] = [];
    try {
      for await (const recorded of this.application.ports.eventStore.readStream(streamName(category, id), options)) {
        const event = recorded as unknown as Recorded<Event>;
        const isOwn = recorded.metadata.workspaceId === workspaceId || recorded.data['workspaceId'] === workspaceId;
        if ((isOwn || isWork(recorded)) && isWanted(event)) found.push(event);
      }
    } catch (error) {
      if (!(error instanceof StreamNotFoundError)) throw error;
    }
    return found;
  }
}

/** Events of workers and runners about a workspace's job may name no workspace; their stream belongs to one. */
const isWork = ({ metadata }: RecordedEvent): boolean => metadata.workspaceId === null;
