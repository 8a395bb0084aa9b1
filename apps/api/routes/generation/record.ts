import type { GenerationJob } from '#use-cases/generation/queries.js';
import type { ErasedGenerationJob } from '#use-cases/generation/commands/erase.js';
import { cite } from '#use-cases/events/log-reader.js';
import type { ErasedGenerationJob as Erasure, GenerationJobRecord } from './responses.js';

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
    ...(job.erasedAt !== null && { erased_at: job.erasedAt }),
    ...(data && { data }),
  };
}

export const erasureOf = ({ event, remains }: ErasedGenerationJob): Erasure => ({
  success: true,
  message: 'the texts and rows of the generation job are erased',
  certificate: {
    object: 'generation_erasure_certificate',
    job_id: event.data.jobId,
    erased_at: event.metadata.occurredAt,
    erased_by: event.metadata.actor,
    keys: event.data.keys,
    event: cite(event),
    remains,
  },
});
