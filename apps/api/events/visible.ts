import type { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { erasureDecider, type ErasureState } from '#domain/erasure/index.js';
import type { EventRecord } from './dto.js';
import type { RecordedEvent } from '#ports/event-store/port.js';

/** Events whose data are what a call said. */
export const isContent = ({ type }: Pick<RecordedEvent, 'type'>): boolean =>
  type === 'call-content.v1' || type === 'inference-imported.v1';

/** What a caller had erased of the content that this event has or quotes, though the log still has it; null for nothing. */
export async function erasureOf(
  application: Application,
  event: Pick<RecordedEvent, 'type' | 'data'>,
): Promise<ErasureState> {
  if (!isContent(event) && event.type !== 'feedback-given.v1') return null;
  return application.load(erasureDecider, event.data['inferenceId'] as string);
}

/**
 * An event as its workspace sees it: content that a caller had erased is not shown, nor what corrections quote of it, though the
 * log still has it.
 * @param event with what calls said decrypted
 */
export async function shownOf(application: Application, event: RecordedEvent): Promise<EventRecord> {
  const erased = await erasureOf(application, event);
  if (erased === null) return recordOf(event);
  const { data } = event;
  const { inferenceId, workspaceId, erasedAt } = erased;
  const left = isContent(event)
    ? { inferenceId, workspaceId, content: null }
    : { ...data, correctedOutput: null, notes: null };
  return recordOf({ ...event, data: { ...left, erasedAt } });
}

const recordOf = ({ id, type, stream, revision, position, data, metadata }: RecordedEvent): EventRecord => ({
  id,
  type,
  stream,
  revision,
  position,
  data,
  actor: metadata.actor,
  correlation_id: metadata.correlationId,
  causation_id: metadata.causationId,
  occurred_at: metadata.occurredAt,
});

/** Whether an event is of the caller's workspace: the only ones that it is shown. */
export const ownedBy =
  ({ workspaceId }: Caller) =>
  ({ metadata }: Pick<RecordedEvent, 'metadata'>): boolean =>
    metadata.workspaceId === workspaceId;
