import type { GenerationJob } from '#use-cases/generation/queries.js';
import type { GenerationJobRecord } from './responses.js';

/** Share of the progress when the rows are generated; storing them is the rest. */
const MADE_PERCENT = 95;

export function generationJobRecord({ document: job, fraction, rows: data }: GenerationJob): GenerationJobRecord {
  const { made, rows } = job;
  return {
    job_id: job.id,
    status: job.status,
    task_type: rows.taskType,
    dataset_name: job.datasetName,
    version_number: job.versionNumber === null ? null : String(job.versionNumber),
    count: made?.count ?? 0,
    progress_percent: job.status === 'ready' ? 100 : made ? MADE_PERCENT : Math.floor(MADE_PERCENT * fraction),
    error: job.error,
    created_at: job.createdAt,
    model_id: job.generator,
    num_examples: rows.count,
    seed: rows.seed,
    project_id: job.projectId,
    distinct_share: made?.distinctShare ?? null,
    warnings: [...(made?.warnings ?? [])],
    ...(data && { data }),
  };
}
