import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { EXPORT_FORMATS, exportIdOf, modelExportDecider } from '#domain/model-export/index.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { finishedJob } from '../finished-job.js';
import { LiveProgress } from '../live-progress.js';
import { seenExport, type SeenExport } from '../seen-export.js';

/** The exports of a trained model, in the order of their formats. */
export class ListExports extends CallerQuery<string, readonly SeenExport[]> {}

@QueryHandler(ListExports)
export class ListExportsHandler implements IQueryHandler<ListExports> {
  constructor(
    private readonly application: Application,
    private readonly progress: LiveProgress,
  ) {}

  async execute({ caller, input: jobId }: ListExports): Promise<readonly SeenExport[]> {
    await finishedJob(this.application, caller, jobId, 'exported');
    const all = await Promise.all(
      EXPORT_FORMATS.map(async (format) => {
        const state = await this.application.load(modelExportDecider, exportIdOf(jobId, format));
        return state.status === 'none' ? [] : [seenExport(state, this.progress)];
      }),
    );
    return all.flat();
  }
}
