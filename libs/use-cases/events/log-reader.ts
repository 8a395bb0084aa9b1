import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { DomainEvent } from '#domain/decider.js';
import { streamName, type StreamCategory } from '#domain/streams.js';
import { StreamNotFoundError, type ReadStreamOptions, type RecordedEvent } from '#ports/event-store/port.js';

/** The event of the log that a fact comes from. */
export interface EventCitation {
  readonly type: string;
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly time: string;
  /** Of two people, who confirmed it. */
  readonly confirmed_by?: string;
  /** What the person said of why, where they did, and the ticket that they named. */
  readonly reason?: string;
  readonly ticket?: string;
  /** Where proofs were asked for; null until a checkpoint covers the event. */
  readonly proof?: EventProof | null;
}

/** Proof that the log has an event. */
export interface EventProof {
  /** Number of the leaf of the audit tree. */
  readonly leaf_index: number;
  /** The salted digest of the event's id, data and metadata. */
  readonly digest: string;
  /** Hashes from the sibling of the leaf upwards, in base64 (RFC 9162). */
  readonly inclusion_proof: readonly string[];
}

/** A recorded event of one of these types. */
export type Recorded<Event extends DomainEvent> = Event extends DomainEvent
  ? Omit<RecordedEvent, 'type' | 'data'> & Event
  : never;

/** The place of a fact in the log. */
export const cite = ({ type, position, stream, revision, metadata }: RecordedEvent): EventCitation => ({
  ...{ type, position, stream, revision },
  time: metadata.occurredAt,
  ...(metadata.confirmedBy !== undefined && { confirmed_by: metadata.confirmedBy }),
  ...(metadata.reason !== undefined && { reason: metadata.reason }),
  ...(metadata.ticket !== undefined && { ticket: metadata.ticket }),
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
