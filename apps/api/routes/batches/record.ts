import type { BatchProgress } from '#calls/batch-lines.js';
import type { BatchDocument } from '#projections/batches/projection.js';
import { BATCH_ID, FILE_ID } from '#use-cases/files/ids.js';
import { unixSeconds } from '../files/unix-seconds.js';
import type { BatchObject } from './dto.js';

/** @param progress of one that has not ended; null if none is known */
export function batchRecord(batch: BatchDocument, progress: BatchProgress | null): BatchObject {
  const { end, cancelRequestedAt } = batch;
  const endedAt = (outcome: string) => (end?.outcome === outcome ? unixSeconds(end.endedAt) : null);
  const fileId = (versionId: string | null | undefined) => (versionId ? FILE_ID.write(versionId) : null);
  const { completed = 0, failed = 0 } = end ?? progress ?? {};
  const createdAt = unixSeconds(batch.createdAt);
  return {
    id: BATCH_ID.write(batch.id),
    object: 'batch',
    endpoint: batch.endpoint,
    errors: end?.error ? { object: 'list', data: [{ ...end.error, line: null, param: null }] } : null,
    input_file_id: FILE_ID.write(batch.input.versionId),
    completion_window: '24h',
    status: end?.outcome ?? (cancelRequestedAt === null ? 'in_progress' : 'cancelling'),
    output_file_id: fileId(end?.outputVersionId),
    error_file_id: fileId(end?.errorVersionId),
    created_at: createdAt,
    in_progress_at: createdAt,
    expires_at: unixSeconds(batch.expiresAt),
    completed_at: endedAt('completed'),
    failed_at: endedAt('failed'),
    expired_at: endedAt('expired'),
    cancelling_at: cancelRequestedAt === null ? null : unixSeconds(cancelRequestedAt),
    cancelled_at: endedAt('cancelled'),
    request_counts: { total: batch.requests, completed, failed },
    metadata: batch.metadata,
  };
}
