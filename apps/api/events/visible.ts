import type { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { erasureDecider, type ErasureState } from '#domain/erasure/index.js';
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

/** Whether an event is of the caller's workspace: the only ones that it is shown. */
export const ownedBy =
  ({ workspaceId }: Caller) =>
  ({ metadata }: Pick<RecordedEvent, 'metadata'>): boolean =>
    metadata.workspaceId === workspaceId;
