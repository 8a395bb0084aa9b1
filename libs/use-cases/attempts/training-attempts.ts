import type { Application } from '#application/application.js';
import type { CommandContext } from '#log/context.js';
import { NotFoundError } from '#domain/errors.js';
import { jobLogDecider } from '#domain/job-log/index.js';
import {
  isTrainingState,
  latestCheckpoint,
  trainingJobDecider,
  type TrainingJobCommand,
  type TrainingJobState,
} from '#domain/training-job/index.js';
import { lossCauseOf, type ReportRequest, type TrainingWork } from '#gpu-runner/contract/work.js';
import { OPEN_TRAINING } from './dispatch/open-work.js';
import type { AttemptedWork } from './attempted-work.js';
import { removeStored } from '../erasure/work/reaper/stored.js';

/** Attempts at training jobs, in the jobs' own streams. */
export const trainingAttempts: AttemptedWork = {
  kind: 'training',
  on: OPEN_TRAINING,

  async claim(application, { id, attempt, runnerId }, context): Promise<TrainingWork> {
    const command = { type: 'claim-training-attempt', jobId: id, attempt, runnerId } as const;
    const state = await run(application, command, context);
    if (state.status !== 'running') throw new NotFoundError('training job', id);
    return { kind: 'training', attempt, request: state.request, resume: latestCheckpoint(state.checkpoints) };
  },

  async lose(application, { id, attempt }, reason, context) {
    const lost = { attempt, reason, cause: 'runner' } as const;
    const command = { type: 'lose-training-attempt', jobId: id, ...lost } as const;
    await application.execute(trainingJobDecider, id, command, context);
  },

  async record(application, request, context) {
    if (request.report.kind === 'log') return recordLog(application, request, context);
    const command = commandOf(request);
    const state = command ? await run(application, command, context) : await load(application, request.id);
    await removeSpentState(application, state);
    // Files stored after the deletion must be removed here; the reaper may have finished.
    if (state.status === 'deleted') await removeStored(application.ports, { kind: 'job', id: request.id });
    return counts(state, request);
  },
};

const counts = (state: TrainingJobState, { attempt, runnerId }: ReportRequest): boolean =>
  state.status === 'running' && state.attempt === attempt && state.runnerId === runnerId;

function commandOf({ id: jobId, attempt, report }: ReportRequest): TrainingJobCommand | null {
  switch (report.kind) {
    case 'epoch': {
      const { kind: _, ...epoch } = report;
      return { type: 'record-epoch', jobId, attempt, ...epoch };
    }
    case 'checkpoint':
      return { type: 'save-checkpoint', jobId, checkpoint: report.checkpoint };
    case 'trained': {
      const { kind: _, ...trained } = report;
      return { type: 'complete-training', jobId, attempt, ...trained };
    }
    case 'failed':
      return { type: 'fail-training', jobId, attempt, reason: report.reason };
    case 'lost':
      return { type: 'lose-training-attempt', jobId, attempt, reason: report.reason, cause: lossCauseOf(report) };
    default:
      return null;
  }
}

/** Every event of a job carries its workspace. */
async function run(
  application: Application,
  command: TrainingJobCommand,
  context: CommandContext,
): Promise<TrainingJobState> {
  const before = await load(application, command.jobId);
  if (before.status === 'none') throw new NotFoundError('training job', command.jobId);
  const { workspaceId } = before.request;
  const { state } = await application.execute(trainingJobDecider, command.jobId, command, { ...context, workspaceId });
  return state;
}

async function recordLog(application: Application, request: ReportRequest, context: CommandContext): Promise<boolean> {
  const { id, attempt, report } = request;
  const state = await load(application, id);
  // Lines of a job that was deleted are not wanted: its log stream is about to go, or gone.
  if (state.status === 'none' || state.status === 'deleted') return false;
  if (report.kind === 'log') {
    const { block, lines } = report;
    const { workspaceId } = state.request;
    const command = { type: 'append-job-log', jobId: id, attempt, block, lines } as const;
    await application.execute(jobLogDecider, id, command, { ...context, workspaceId });
  }
  return counts(state, request);
}

/**
 * Removes the training state of the last checkpoint but one, and of the last when the job has ended: one that came
 * late, after a stop, may have followed another. Leftovers of a crash here are removed with the job's folder.
 */
async function removeSpentState({ ports }: Application, state: TrainingJobState): Promise<void> {
  if (state.status === 'none' || state.status === 'deleted') return;
  const latestFirst = state.checkpoints.toSorted((a, b) => b.step - a.step);
  const spent = latestFirst.slice(state.status === 'running' ? 1 : 0, 2);
  for (const { folder } of spent)
    for (const { name } of folder.files.filter(isTrainingState))
      await ports.objectStore.delete(`${folder.objectPrefix}/${name}`).catch(() => undefined);
}

const load = (application: Application, jobId: string): Promise<TrainingJobState> =>
  application.load(trainingJobDecider, jobId);
