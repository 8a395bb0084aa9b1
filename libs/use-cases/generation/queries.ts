import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { storedRows } from '#rows/formats/index.js';
import { NotFoundError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { generationJobDecider } from '#domain/generation-job/index.js';
import { streamName } from '#domain/streams.js';
import {
  generationJobDocument,
  generationJobs,
  type GenerationJobDocument,
} from '#projections/generation-jobs/projection.js';
import { generationJobDocuments } from '#projections/generation-jobs/queries.js';
import { documentAsOf } from '#application/as-of.js';
import { ResourceQuery } from '../commands-and-queries.js';
import { LiveGeneration } from './live-progress.js';

export interface GenerationJob {
  readonly document: GenerationJobDocument;
  /** Progress of the present attempt, 0 to 1, as far as known. */
  readonly fraction: number;
  /** null: not made yet, or stored by a dataset. */
  readonly rows: readonly JsonObject[] | null;
}

export class GetGenerationJob extends ResourceQuery<string, GenerationJob> {}

@QueryHandler(GetGenerationJob)
export class GetGenerationJobHandler implements IQueryHandler<GetGenerationJob> {
  constructor(
    private readonly application: Application,
    private readonly live: LiveGeneration,
  ) {}

  async execute({ caller, input: id, asOf }: GetGenerationJob): Promise<GenerationJob> {
    const job = asOf
      ? await documentAsOf(this.application, caller, asOf, {
          ...{ what: 'generation job', projection: generationJobs, stream: streamName('generation', id), id },
          leftOut: ({ status, made }) => (status === 'generating' && !made ? ['progress_percent'] : []),
        })
      : await this.find(id);
    if (job?.workspaceId !== caller.workspaceId) throw new NotFoundError('generation job', id);
    const { status, datasetName, made, erasedAt } = job;
    const rows =
      status !== 'ready' || datasetName !== null || made === null || erasedAt !== null
        ? null
        : await Array.fromAsync(storedRows(this.application.ports.objectStore, made.object.key));
    return { document: job, fraction: asOf ? 0 : this.live.fractionOf(id, job.attempt), rows };
  }

  /** Reads the log if the read model does not have the job yet. */
  private async find(id: string): Promise<GenerationJobDocument | null> {
    const seen = await generationJobDocuments.get(this.application.ports.readStore, id);
    if (seen) return seen;
    const job = await this.application.load(generationJobDecider, id);
    return job.status === 'none' ? null : generationJobDocument(job);
  }
}
