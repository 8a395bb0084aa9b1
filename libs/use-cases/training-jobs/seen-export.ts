import { exportIdOf, type ModelExportState } from '#domain/model-export/index.js';
import { needsOfExport } from '#gpu-runner/contract/needs.js';
import type { LiveProgress } from './live-progress.js';

type KnownExport = Exclude<ModelExportState, { readonly status: 'none' }>;

/** An export, with what runners last reported about it. */
export interface SeenExport {
  readonly state: KnownExport;
  /** Progress, 0 to 1; null until a runner has reported it. */
  readonly fraction: number | null;
  /** Why no runner can begin it; null if one can, or has. */
  readonly waitingReason: string | null;
}

export function seenExport(state: KnownExport, progress: LiveProgress): SeenExport {
  const { status, attempt, request } = state;
  const id = exportIdOf(request.jobId, request.format);
  const needs = status === 'queued' ? needsOfExport(request) : null;
  return {
    state,
    fraction: status === 'running' ? progress.fractionOf('export', id, attempt) : null,
    waitingReason: needs && progress.lacking(needs),
  };
}
