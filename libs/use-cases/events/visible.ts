import type { Application } from '#application/application.js';
import { may, type Caller } from '#application/caller.js';
import { erasureDecider } from '#domain/erasure/index.js';
import { feedbackErasureDecider, withoutTexts, type FeedbackGiven } from '#domain/feedback/index.js';
import {
  generationJobDecider,
  withoutTexts as withoutRequestTexts,
  type RowsRequest,
} from '#domain/generation-job/index.js';
import { userDecider } from '#domain/user/index.js';
import { datasetVersionDocuments } from '#projections/dataset-versions/queries.js';
import { withoutContent, type CallMetered } from '#domain/inference/index.js';
import type { JsonObject } from '#domain/json.js';
import type { RecordedEvent } from '#ports/event-store/port.js';

/** Whether an event's texts are content that the caller may not see: what calls, verdicts and rows of datasets say. */
export const isWithheldFrom = (caller: Caller, event: Pick<RecordedEvent, 'type' | 'data'>): boolean =>
  !may(caller, 'content') && (isContent(event) || isVerdict(event) || Object.hasOwn(QUOTES_ROWS, event.type));

/** Events that have a call's content. */
const isContent = ({ type, data }: Pick<RecordedEvent, 'type' | 'data'>): boolean =>
  type === 'call-content.v1' || type === 'inference-imported.v1' || hasContent({ type, data });

/** Whether it is the event of a call that has its content too, opened or as it was stored. */
const hasContent = ({ type, data }: Pick<RecordedEvent, 'type' | 'data'>): boolean =>
  type === 'call-metered.v1' && (data['content'] !== undefined || data['sealed'] !== undefined);

/** Events that quote the content of a call. */
const isVerdict = ({ type }: Pick<RecordedEvent, 'type'>): boolean =>
  type === 'feedback-given.v1' || type === 'review-skipped.v1';

/** What is shown instead of texts that quote rows of a dataset. */
const QUOTES_ROWS: Readonly<Record<string, (data: JsonObject) => JsonObject>> = {
  'dataset-version-failed.v1': () => ({ reason: null, rowErrors: null }),
  'dataset-version-ready.v1': () => ({ leftOutReasons: null }),
  'generation-job-requested.v1': ({ rows }) => ({ rows: withoutRequestTexts(rows as RowsRequest) }),
  'generation-job-failed.v1': () => ({ reason: null }),
};

/** The erasure of what this event has or quotes, though the log may still have it; null for none. */
export async function erasureOf(
  application: Application,
  event: Pick<RecordedEvent, 'type' | 'data'>,
): Promise<{ readonly erasedAt: string } | null> {
  if (event.type === 'user-registered.v1') {
    const user = await application.load(userDecider, event.data['userId'] as string);
    return user.status === 'none' ? null : user.erasure;
  }
  if (event.type.startsWith('generation-job-')) {
    const job = await application.load(generationJobDecider, event.data['jobId'] as string);
    return job.status === 'none' || job.erasedAt === null ? null : { erasedAt: job.erasedAt };
  }
  if (Object.hasOwn(QUOTES_ROWS, event.type)) return purgeOf(application, event.data['versionId'] as string);
  if (!isContent(event) && !isVerdict(event)) return null;
  const { inferenceId, at } = event.data as { readonly inferenceId: string; readonly at: string };
  const erasure = await application.load(erasureDecider, inferenceId);
  if (erasure !== null || isContent(event)) return erasure;
  const { kept, erasedAt } = await application.load(feedbackErasureDecider, inferenceId);
  return erasedAt === null || kept.includes(at) ? null : { erasedAt };
}

async function purgeOf(application: Application, versionId: string): Promise<{ readonly erasedAt: string } | null> {
  const version = await datasetVersionDocuments.get(application.ports.readStore, versionId);
  return version?.status === 'deleted' && version.purgedAt !== undefined ? { erasedAt: version.purgedAt } : null;
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
  if (Object.hasOwn(QUOTES_ROWS, type)) return { ...data, ...QUOTES_ROWS[type]!(data) };
  if (type === 'review-skipped.v1') return { ...data, reason: null };
  if (hasContent(event)) return { ...withoutContent(data as CallMetered['data']), content: null };
  const { inferenceId, workspaceId } = data;
  return isContent(event) ? { inferenceId, workspaceId, content: null } : withoutTexts(data as FeedbackGiven['data']);
}

/** Whether an event belongs to the caller's workspace: others are never shown. */
export const ownedBy =
  ({ workspaceId }: Caller) =>
  ({ metadata }: Pick<RecordedEvent, 'metadata'>): boolean =>
    metadata.workspaceId === workspaceId;
