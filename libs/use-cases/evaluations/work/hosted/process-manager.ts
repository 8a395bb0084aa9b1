import type { Application } from '#application/application.js';
import type { Decoders } from '#calls/index.js';
import type { EvaluationEvent } from '#domain/evaluation/index.js';
import type { AskingTiming } from '#evaluations/hosted-answers.js';
import type { Handlers } from '#log/projector/handlers.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import { inTurns } from '#primitives/fair-share/turns.js';
import { HostedEvaluationWork } from './hosted-work.js';

/** Evaluations that lack the answers of a hosted model, or a judge's verdicts, by id, oldest first. */
type Unanswered = ReadonlyMap<string, UnansweredEvaluation>;

interface UnansweredEvaluation {
  readonly evaluationId: string;
  readonly workspaceId: string;
}

/** Calls of a worker for all its evaluations. */
const CALLS_AT_ONCE = 16;
const LOOKED_AT = 64;

/** Has hosted models answer the rows of evaluations, and judge answers; a runner then computes the figures. */
export function hostedEvaluations(
  application: Application,
  decoders: Pick<Decoders, 'find' | 'run'>,
  timing: AskingTiming = {},
): ProcessManager<Unanswered, UnansweredEvaluation, EvaluationEvent> {
  const work = new HostedEvaluationWork(application, { decoders, slots: new FairSlots(CALLS_AT_ONCE), timing });
  return {
    name: 'hosted-evaluations',
    initial: new Map(),
    on: UNANSWERED,
    pending: (unanswered) => [...inTurns(unanswered.values()).take(LOOKED_AT)],
    key: ({ evaluationId }) => evaluationId,
    workspaceOf: ({ workspaceId }) => workspaceId,
    async execute({ evaluationId }, signal) {
      if (!signal.aborted) await work.advance(evaluationId, signal);
    },
  };
}

const UNANSWERED: Handlers<Unanswered, EvaluationEvent> = {
  'evaluation-requested.v1'(unanswered, { data: { evaluationId, workspaceId, hosted } }) {
    return hosted ? new Map(unanswered).set(evaluationId, { evaluationId, workspaceId }) : unanswered;
  },
  'evaluation-answered.v1'(unanswered, { data: { evaluationId, awaitsJudge }, metadata: { workspaceId } }) {
    return awaitsJudge && workspaceId !== null
      ? new Map(unanswered).set(evaluationId, { evaluationId, workspaceId })
      : without(unanswered, evaluationId);
  },
  'evaluation-judged.v1': (unanswered, { data }) => without(unanswered, data.evaluationId),
  'evaluation-failed.v1': (unanswered, { data }) => without(unanswered, data.evaluationId),
  'evaluation-deleted.v1': (unanswered, { data }) => without(unanswered, data.evaluationId),
};

function without(unanswered: Unanswered, evaluationId: string): Unanswered {
  if (!unanswered.has(evaluationId)) return unanswered;
  const others = new Map(unanswered);
  others.delete(evaluationId);
  return others;
}
