import type { TrainingJobDocument, TrainingJobStatus } from '#projections/training-jobs/projection.js';

export const TERMINAL: ReadonlySet<TrainingJobStatus> = new Set(['complete', 'deployed', 'failed', 'cancelled']);

/**
 * @param fraction of the running attempt as its runner reported it; null: none has
 * @returns 0 to 100
 */
export function progressPercent(
  { status, currentEpoch, configuration }: TrainingJobDocument,
  fraction: number | null,
): number {
  if (status === 'complete' || status === 'deployed') return 100;
  const told = status === 'running' ? (fraction ?? 0) : 0;
  const percent = 100 * Math.max(currentEpoch / configuration.epochs, told);
  return Math.min(99, Math.round(percent * 10) / 10);
}
