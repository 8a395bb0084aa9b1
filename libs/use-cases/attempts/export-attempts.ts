import type { Application } from '#application/application.js';
import type { CommandContext } from '#log/context.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import { modelExportDecider, type ModelExportCommand, type ModelExportState } from '#domain/model-export/index.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import { lossCauseOf, type ExportWork, type ReportRequest } from '#gpu-runner/contract/work.js';
import { OPEN_EXPORTS } from './dispatch/open-work.js';
import { ObjectStoreUnavailableError } from '#ports/object-store/port.js';
import { removeStored } from '../erasure/work/reaper/stored.js';
import type { AttemptedWork } from './attempted-work.js';

/** Attempts at exports of trained models, in the exports' own streams. They end with the job that trained the model. */
export const exportAttempts: AttemptedWork = {
  kind: 'export',
  on: OPEN_EXPORTS,

  async claim(application, { id, attempt, runnerId }, context): Promise<ExportWork> {
    const before = await requested(application, id);
    const { jobId, format } = before.request;
    const job = await application.load(trainingJobDecider, jobId);
    if (job.status !== 'complete' && job.status !== 'deployed')
      throw new ConflictError(`training job ${jobId} is ${job.status}`);
    await removeSpentArchives(
      application,
      await run(application, { type: 'claim-export-attempt', exportId: id, attempt, runnerId }, context),
    );
    const { request, artifact, metrics } = job;
    return { kind: 'export', attempt, exportId: id, format, job: { request, artifact, metrics } };
  },

  async lose(application, { id, attempt }, reason, context) {
    const lost = { attempt, reason, cause: 'runner' } as const;
    const command = { type: 'lose-export-attempt', exportId: id, ...lost } as const;
    await removeSpentArchives(application, (await application.execute(modelExportDecider, id, command, context)).state);
  },

  async record(application, request, context) {
    const { id, attempt, runnerId } = request;
    const { jobId } = (await requested(application, id)).request;
    const job = await application.load(trainingJobDecider, jobId);
    if (job.status === 'deleted') {
      // An archive that was stored after the deletion must be removed here; the reaper may have finished.
      await removeStored(application.ports, { kind: 'job', id: jobId });
      return false;
    }
    const command = commandOf(request);
    const state = command ? await run(application, command, context) : await application.load(modelExportDecider, id);
    if (command) await removeSpentArchives(application, state);
    return state.status === 'running' && state.attempt === attempt && state.runnerId === runnerId;
  },
};

/** An export keeps no log: lines are dropped. */
function commandOf({ id: exportId, attempt, report }: ReportRequest): ModelExportCommand | null {
  switch (report.kind) {
    case 'exported':
      return { type: 'complete-export', exportId, attempt, archive: report.archive };
    case 'failed':
      return { type: 'fail-export', exportId, attempt, reason: report.reason };
    case 'lost': {
      const lost = { attempt, reason: report.reason, cause: lossCauseOf(report) };
      return { type: 'lose-export-attempt', exportId, ...lost };
    }
    default:
      return null;
  }
}

/**
 * Removes archives that lost attempts had stored, and that of a failed one. The state may be stale: no archive of a
 * later attempt is touched. Leftovers of a crash here are removed with the job's folder.
 */
async function removeSpentArchives({ ports }: Application, state: ModelExportState): Promise<void> {
  if (state.status === 'none') return;
  const { jobId, format } = state.request;
  const last = state.status === 'failed' ? state.attempt : state.attempt - 1;
  const attemptOf = (key: string) => Number(/(\d+)\.tar$/.exec(key)?.[1]);
  try {
    for await (const { key } of ports.objectStore.list(`jobs/${jobId}/exports/${format}/`))
      if (attemptOf(key) <= last) await ports.objectStore.delete(key);
  } catch (error) {
    if (!(error instanceof ObjectStoreUnavailableError)) throw error;
  }
}

async function requested(
  application: Application,
  exportId: string,
): Promise<Exclude<ModelExportState, { status: 'none' }>> {
  const state = await application.load(modelExportDecider, exportId);
  if (state.status === 'none') throw new NotFoundError('export', exportId);
  return state;
}

/** Every event of an export carries its workspace. */
async function run(
  application: Application,
  command: ModelExportCommand,
  context: CommandContext,
): Promise<ModelExportState> {
  const { exportId } = command;
  const { workspaceId } = (await requested(application, exportId)).request;
  const { state } = await application.execute(modelExportDecider, exportId, command, { ...context, workspaceId });
  return state;
}
