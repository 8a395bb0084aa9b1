import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { ConflictError, InvalidError } from '#domain/errors.js';
import { exportIdOf, modelExportDecider, type ExportFormat } from '#domain/model-export/index.js';
import type { FinishedJob } from '#domain/training-job/index.js';
import { modelExportsDocuments } from '#projections/model-exports/queries.js';
import { baseModelSha256, Engines } from '#gpu-runner/contract/engines.js';
import { WorkQueues } from '../../limits/work-queues.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { finishedJob } from '../finished-job.js';
import { LiveProgress } from '../live-progress.js';
import { seenExport, type SeenExport } from '../seen-export.js';

interface ExportOfJob {
  readonly jobId: string;
  readonly format: ExportFormat;
}

export class ExportModel extends CallerCommand<ExportOfJob, SeenExport> {}

/** Has a runner write the model in a format, unless it has done so or is about to. */
@CommandHandler(ExportModel)
export class ExportModelHandler implements ICommandHandler<ExportModel> {
  constructor(
    private readonly application: Application,
    private readonly engines: Engines,
    private readonly progress: LiveProgress,
    private readonly queues: WorkQueues,
  ) {}

  /** @throws InvalidError, NotFoundError, ConflictError, QuotaExceededError, QueueFullError */
  async execute({ caller, identity, input: { jobId, format } }: ExportModel): Promise<SeenExport> {
    const job = await finishedJob(this.application, caller, jobId, 'exported');
    const exportId = exportIdOf(jobId, format);
    const before = await this.application.load(modelExportDecider, exportId);
    if (before.status !== 'none' && before.status !== 'failed') return seenExport(before, this.progress);
    await requireExportable(this.engines, job, format);
    const { workspaceId, userId } = caller;
    await this.application.storage.requireRoom(workspaceId, { bytes: 1 });
    const { engine, baseModel } = job.request;
    const asked = { exportId, jobId, workspaceId, userId, format, engine, baseModel };
    const command = { type: 'request-model-export', ...asked } as const;
    const context = callerContext(caller, identity);
    const { state } = await this.queues.enter('exports', caller, () =>
      this.application.execute(modelExportDecider, exportId, command, context, [modelExportsDocuments.collection]),
    );
    if (state.status === 'none') throw new Error('an export was asked for, and is not there');
    return seenExport(state, this.progress);
  }
}

/**
 * Refuses by name what no engine here can write.
 * @throws InvalidError the format is not one of the base model's
 * @throws ConflictError the base model is not here, or is another one than the model was trained on
 */
async function requireExportable(
  engines: Engines,
  { request: { jobId, baseModel } }: FinishedJob,
  format: ExportFormat,
): Promise<void> {
  const here = engines.baseModel(baseModel.id);
  if (!here) throw new ConflictError(`model ${jobId} needs base model ${baseModel.id}, which no engine here has`);
  const { exports = [], directory } = here.model;
  if (!exports.includes(format))
    throw new InvalidError({
      path: ['path', 'format'],
      message:
        exports.length === 0
          ? `models trained on ${baseModel.id} cannot be exported; GET /felix/training-jobs/${jobId}/download gives their weights`
          : `must be one of ${exports.join(', ')} for models trained on ${baseModel.id} (got ${format})`,
      type: 'not_allowed',
    });
  if ((await baseModelSha256(directory)) !== baseModel.sha256)
    throw new ConflictError(
      `model ${jobId} was trained on another release of base model ${baseModel.id}, which is not here; train it again on this one`,
    );
}
