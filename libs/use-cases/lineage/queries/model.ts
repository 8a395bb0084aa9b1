import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { NotFoundError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { modelBom } from '../cyclonedx.js';
import { LearnedFrom } from '../learned-from.js';
import { runEvents } from '../openlineage.js';

interface Exported {
  readonly jobId: string;
  readonly format: 'openlineage' | 'cyclonedx';
}

export class ExportLineage extends CallerQuery<Exported, JsonObject | readonly JsonObject[]> {}

/** Exports the lineage of a training job in a format of other tools. */
@QueryHandler(ExportLineage)
export class ExportLineageHandler implements IQueryHandler<ExportLineage> {
  constructor(
    private readonly application: Application,
    private readonly learned: LearnedFrom,
  ) {}

  /** @throws NotFoundError unknown, or of another workspace */
  async execute({ caller: { workspaceId }, input: { jobId, format } }: ExportLineage) {
    const { training } = await this.learned.trainings(workspaceId, jobId);
    if (training.length === 0) throw new NotFoundError('training job', jobId);
    const { listed: datasets } = await this.learned.datasets(workspaceId, training);
    if (format === 'cyclonedx') return modelBom({ training, datasets });
    const { logId } = await this.application.ports.eventStore.head();
    return runEvents({ training, datasets, namespace: `anneal://${logId}/${workspaceId}` });
  }
}
