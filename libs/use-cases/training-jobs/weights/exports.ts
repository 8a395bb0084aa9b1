import { CommandHandler, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { ConflictError, InvalidError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import {
  EXPORT_FORMATS,
  exportIdOf,
  modelExportDecider,
  type ExportFormat,
  type ModelExportState,
} from '#domain/model-export/index.js';
import type { FinishedJob } from '#domain/training-job/index.js';
import { modelExportsDocuments } from '#projections/model-exports/queries.js';
import { baseModelSha256, Engines } from '#gpu-runner/contract/engines.js';
import { needsOfExport } from '#gpu-runner/contract/needs.js';
import { WorkQueues } from '../../limits/work-queues.js';
import { CallerCommand, CallerQuery } from '../../messages.js';
import { finishedJob } from './finished-job.js';
import { LiveProgress } from '../reading/live-progress.js';

interface ExportOfJob {
  readonly jobId: string;
  readonly format: ExportFormat;
}

export class ExportModel extends CallerCommand<ExportOfJob, JsonObject> {}

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
  async execute({ caller, identity, input: { jobId, format } }: ExportModel): Promise<JsonObject> {
    const job = await finishedJob(this.application, caller, jobId, 'exported');
    const exportId = exportIdOf(jobId, format);
    const before = await this.application.load(modelExportDecider, exportId);
    if (before.status !== 'none' && before.status !== 'failed') return exportRecord(job, format, before, this.progress);
    await requireExportable(this.engines, job, format);
    const { workspaceId, userId } = caller;
    await this.application.storage.requireRoom(workspaceId, { bytes: 1 });
    const { engine, baseModel } = job.request;
    const asked = { exportId, jobId, workspaceId, userId, format, engine, baseModel };
    const command = { type: 'request-model-export', ...asked } as const;
    const context = callerContext(caller, identity);
    const { state } = await this.queues.enter('exports', caller, () =>
      this.application.execute(modelExportDecider, exportId, command, context, [modelExportsDocuments.name]),
    );
    return exportRecord(job, format, state, this.progress);
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

export class ListExports extends CallerQuery<string, JsonObject> {}

@QueryHandler(ListExports)
export class ListExportsHandler implements IQueryHandler<ListExports> {
  constructor(
    private readonly application: Application,
    private readonly progress: LiveProgress,
  ) {}

  async execute({ caller, input: jobId }: ListExports): Promise<JsonObject> {
    const job = await finishedJob(this.application, caller, jobId, 'exported');
    const all = await Promise.all(
      EXPORT_FORMATS.map(async (format) => {
        const state = await this.application.load(modelExportDecider, exportIdOf(jobId, format));
        return state.status === 'none' ? [] : [exportRecord(job, format, state, this.progress)];
      }),
    );
    const exports = all.flat();
    return { success: true, job_id: jobId, exports, count: exports.length };
  }
}

function exportRecord(
  { request: { jobId } }: FinishedJob,
  format: ExportFormat,
  state: ModelExportState,
  progress: LiveProgress,
): JsonObject {
  if (state.status === 'none') throw new Error('an export was asked for, and is not there');
  const { status, attempt } = state;
  const fraction = status === 'running' ? progress.fractionOf('export', exportIdOf(jobId, format), attempt) : null;
  const needs = status === 'queued' ? needsOfExport(state.request) : null;
  const waitingReason = needs && progress.lacking(needs);
  return {
    job_id: jobId,
    format,
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
