import type { Application } from '#application/application.js';
import type { CommandContext } from '#log/context.js';
import { NotFoundError } from '#domain/errors.js';
import { evaluationDecider, type EvaluationCommand, type EvaluationState } from '#domain/evaluation/index.js';
import { keptAnswersOf, lossCauseOf, type EvaluationWork, type ReportRequest } from '#gpu-runner/contract/work.js';
import { OPEN_EVALUATIONS } from './dispatch/open-work.js';
import type { AttemptedWork } from './attempted-work.js';
import { removeStored } from '../erasure/work/reaper/stored.js';

/** Attempts at evaluations, in the evaluations' own streams. */
export const evaluationAttempts: AttemptedWork = {
  kind: 'evaluation',
  on: OPEN_EVALUATIONS,

  async claim(application, { id, attempt, runnerId }, context): Promise<EvaluationWork> {
    const command = { type: 'claim-evaluation-attempt', evaluationId: id, attempt, runnerId } as const;
    const state = await run(application, command, context);
    if (state.status !== 'running') throw new NotFoundError('evaluation', id);
    const { request, answers, verdicts } = state;
    return { kind: 'evaluation', attempt, request, ...(answers && { answers }), ...(verdicts && { verdicts }) };
  },

  async lose(application, { id, attempt }, reason, context) {
    const lost = { attempt, reason, cause: 'runner' } as const;
    const command = { type: 'lose-evaluation-attempt', evaluationId: id, ...lost } as const;
    await application.execute(evaluationDecider, id, command, context);
  },

  async record(application, request, context) {
    const { id, attempt, runnerId } = request;
    const command = commandOf(request);
    const state = command ? await run(application, command, context) : await application.load(evaluationDecider, id);
    // The attempts' kept answers are in the object that the event names.
    if (request.report.kind === 'evaluated' || request.report.kind === 'answered')
      await application.ports.objectStore.deletePrefix(keptAnswersOf(id));
    // The stored data of a failed evaluation is never shown.
    if (state.status === 'deleted' || state.status === 'failed')
      await removeStored(application.ports, { kind: 'evaluation', id });
    return state.status === 'running' && state.attempt === attempt && state.runnerId === runnerId;
  },
};

/** An evaluation keeps no log: lines are dropped. */
function commandOf({ id: evaluationId, attempt, report }: ReportRequest): EvaluationCommand | null {
  switch (report.kind) {
    case 'evaluated': {
      const { kind: _, ...outcome } = report;
      return { type: 'complete-evaluation', evaluationId, attempt, ...outcome };
    }
    case 'answered': {
      const { kind: _, ...answered } = report;
      return { type: 'record-answers', evaluationId, attempt, ...answered, usage: null };
    }
    case 'failed':
      return { type: 'fail-evaluation', evaluationId, attempt, reason: report.reason };
    case 'lost': {
      const lost = { attempt, reason: report.reason, cause: lossCauseOf(report) };
      return { type: 'lose-evaluation-attempt', evaluationId, ...lost };
    }
    default:
      return null;
  }
}

/** Every event of an evaluation carries its workspace. */
async function run(
  application: Application,
  command: EvaluationCommand,
  context: CommandContext,
): Promise<EvaluationState> {
  const { evaluationId } = command;
  const before = await application.load(evaluationDecider, evaluationId);
  if (before.status === 'none') throw new NotFoundError('evaluation', evaluationId);
  const { workspaceId } = before.request;
  const { state } = await application.execute(evaluationDecider, evaluationId, command, { ...context, workspaceId });
  return state;
}
