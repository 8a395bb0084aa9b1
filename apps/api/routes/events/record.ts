import { saidIn } from '#log/execute.js';
import type { RecordedEvent } from '#ports/event-store/port.js';
import type { LogNews } from '#use-cases/events/queries/follow.js';
import type { LiveMessage } from '../../edge/live-messages.js';
import type { EventRecord } from './dto.js';

export const eventRecord = ({ id, type, stream, revision, position, data, metadata }: RecordedEvent) =>
  ({
    ...{ id, type, stream, revision, position, data },
    actor: metadata.actor,
    correlation_id: metadata.correlationId,
    causation_id: metadata.causationId,
    occurred_at: metadata.occurredAt,
    ...said(metadata),
  }) satisfies EventRecord;

function said(metadata: RecordedEvent['metadata']) {
  const { confirmedBy, ...others } = saidIn(metadata);
  return { ...others, ...(confirmedBy !== undefined && { confirmed_by: confirmedBy }) };
}

/** News of the log as messages, whose ids are positions. */
export async function* messagesOf(news: AsyncIterable<LogNews>): AsyncGenerator<LiveMessage> {
  for await (const each of news)
    if (each.kind === 'event')
      yield { id: each.event.position, data: { type: 'event', event: eventRecord(each.event) } };
    else yield { id: each.position, data: { type: 'checkpoint', position: each.position } };
}
