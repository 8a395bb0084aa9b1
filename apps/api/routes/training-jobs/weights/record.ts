import type { SeenExport } from '#use-cases/training-jobs/seen-export.js';
import type { ModelExport } from '../reading/responses.js';

/** An export as the interface shows it. */
export function exportRecord({ state, fraction, waitingReason }: SeenExport): ModelExport {
  const { status, request } = state;
  return {
    job_id: request.jobId,
    format: request.format,
    status,
    ...(waitingReason !== null && { waiting_reason: waitingReason }),
    progress_percent: status === 'complete' ? 100 : Math.floor(100 * (fraction ?? 0)),
    error_message: status === 'failed' ? state.reason : null,
    size_bytes: status === 'complete' ? state.archive.size : null,
    sha256: status === 'complete' ? state.archive.sha256 : null,
    created_at: state.requestedAt,
    completed_at: status === 'complete' ? state.completedAt : null,
  };
}
