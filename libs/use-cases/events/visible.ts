import type { Application } from '#application/application.js';
import { may, type Caller } from '#application/caller.js';
import { erasureDecider } from '#domain/erasure/index.js';
import { feedbackErasureDecider, withoutTexts, type FeedbackGiven } from '#domain/feedback/index.js';
import { userDecider } from '#domain/user/index.js';
import type { JsonObject } from '#domain/json.js';
import type { RecordedEvent } from '#ports/event-store/port.js';

/** Whether an event's texts are content that the caller may not see: what calls and verdicts say. */
export const isWithheldFrom = (caller: Caller, event: Pick<RecordedEvent, 'type'>): boolean =>
  !may(caller, 'content') && (isContent(event) || event.type === 'feedback-given.v1');

/** Events whose data are a call's content. */
const isContent = ({ type }: Pick<RecordedEvent, 'type'>): boolean =>
  type === 'call-content.v1' || type === 'inference-imported.v1';

/** The erasure of what this event has or quotes, though the log may still have it; null for none. */
export async function erasureOf(
  application: Application,
  event: Pick<RecordedEvent, 'type' | 'data'>,
): Promise<{ readonly erasedAt: string } | null> {
  if (event.type === 'user-registered.v1') {
    const user = await application.load(userDecider, event.data['userId'] as string);
    return user.status === 'none' ? null : user.erasure;
  }
  if (!isContent(event) && event.type !== 'feedback-given.v1') return null;
  const { inferenceId, at } = event.data as { readonly inferenceId: string; readonly at: string };
  const erasure = await application.load(erasureDecider, inferenceId);
  if (erasure !== null || isContent(event)) return erasure;
  const { kept, erasedAt } = await application.load(feedbackErasureDecider, inferenceId);
  return erasedAt === null || kept.includes(at) ? null : { erasedAt };
}

/**
 * An event as its workspace sees it, without content that a caller had erased and quotes of it in corrections, even if
 * the log still has them.
 * Content is not shown to a caller without that permission.
 * @param event with call contents decrypted
 */
export async function shownOf(application: Application, caller: Caller, event: RecordedEvent): Promise<RecordedEvent> {
  const erased = await erasureOf(application, event);
  if (erased === null && isWithheldFrom(caller, event))
    return { ...event, data: { ...leftOf(event), withheld: 'content' } };
  if (erased === null) return event;
  return { ...event, data: { ...leftOf(event), erasedAt: erased.erasedAt } };
}

function leftOf(event: RecordedEvent): JsonObject {
  const { type, data } = event;
  if (type === 'user-registered.v1') return { ...data, email: null };
  const { inferenceId, workspaceId } = data;
  return isContent(event) ? { inferenceId, workspaceId, content: null } : withoutTexts(data as FeedbackGiven['data']);
}

/** Whether an event belongs to the caller's workspace: others are never shown. */
export const ownedBy =
  ({ workspaceId }: Caller) =>
  ({ metadata }: Pick<RecordedEvent, 'metadata'>): boolean =>
    metadata.workspaceId === workspaceId;
