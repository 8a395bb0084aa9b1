import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { storedRows } from '#rows/formats/index.js';
import { NotFoundError } from '#domain/errors.js';
import { generationJobDecider } from '#domain/generation-job/index.js';
import { streamName } from '#domain/streams.js';
import {
  generationJobDocument,
  generationJobs,
  type GenerationJobDocument,
} from '#projections/generation-jobs/projection.js';
import { generationJobDocuments } from '#projections/generation-jobs/queries.js';
import { documentAsOf } from '#application/as-of.js';
import { ResourceQuery } from '../messages.js';
import { LiveGeneration } from './live-progress.js';
import type { GenerationJobRecord } from '#apps/api/routes/generation/responses.js';

/** Share of the progress when the rows are generated; storing them is the rest. */
const MADE_PERCENT = 95;

export class GetGenerationJob extends ResourceQuery<string, GenerationJobRecord> {}

@QueryHandler(GetGenerationJob)
export class GetGenerationJobHandler implements IQueryHandler<GetGenerationJob> {
  constructor(
    private readonly application: Application,
    private readonly live: LiveGeneration,
  ) {}

  async execute({ caller, input: id, asOf }: GetGenerationJob): Promise<GenerationJobRecord> {
    const job = asOf
      ? await documentAsOf(this.application, caller, asOf, {
          ...{ what: 'generation job', projection: generationJobs, stream: streamName('generation', id), id },
          leftOut: ({ status, made }) => (status === 'generating' && !made ? ['progress_percent'] : []),
        })
      : await this.find(id);
    if (job?.workspaceId !== caller.workspaceId) throw new NotFoundError('generation job', id);
    const record = generationJobRecord(job, asOf ? 0 : this.live.fractionOf(id, job.attempt));
    if (job.status !== 'ready' || job.datasetName !== null || job.made === null) return record;
    return {
      ...record,
      data: await Array.fromAsync(storedRows(this.application.ports.objectStore, job.made.object.key)),
    };
  }

  /** Reads the log if the read model does not have the job yet. */
  private async find(id: string): Promise<GenerationJobDocument | null> {
    const seen = await generationJobDocuments.get(this.application.ports.readStore, id);
    if (seen) return seen;
    const job = await this.application.load(generationJobDecider, id);
    return job.status === 'none' ? null : generationJobDocument(job);
  }
}

/** @param fraction progress of the present attempt, as far as known */
function generationJobRecord(job: GenerationJobDocument, fraction: number): GenerationJobRecord {
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
  };
}
