import { isInVain } from '../training-job/index.js';
import type { CallsUsage, EvaluationEvent, EvaluationRequest, StoredAnswers } from './events.js';

export const EVALUATION_STATUSES = ['queued', 'running', 'complete', 'failed'] as const;
export type EvaluationStatus = (typeof EVALUATION_STATUSES)[number];

export type EvaluationState =
  | { readonly status: 'none' }
  | (Evaluation & { readonly status: EvaluationStatus })
  | (Evaluation & {
      readonly status: 'deleted';
      readonly deletedAt: string;
      /** Whether everything stored has been removed. */
      readonly erased: boolean;
    });

interface Evaluation {
  readonly request: EvaluationRequest;
  readonly requestedAt: string;
  /** The attempt that may be claimed, or is claimed; from 1. */
  readonly attempt: number;
  readonly runnerId: string | null;
  /** Attempts lost to their own process. */
  readonly lostInVain: number;
  /** Answers of a hosted model, or for a judge, once there. */
  readonly answers: StoredAnswers | null;
  /** Cost of the answers; null if they were free, or are not there. */
  readonly answersUsage: CallsUsage | null;
  /** Verdicts of a judge, once there. */
  readonly verdicts: StoredAnswers | null;
  /** When rows and answers were erased; absent while they are kept. */
  readonly predictionsErasedAt?: string;
}

export function evolve(state: EvaluationState, event: EvaluationEvent): EvaluationState {
  if (event.type === 'evaluation-requested.v1') {
    const { requestedAt, ...request } = event.data;
    const nothing = { runnerId: null, lostInVain: 0, answers: null, answersUsage: null, verdicts: null };
    return { status: 'queued', request, requestedAt, attempt: 1, ...nothing };
  }
  if (state.status === 'none') return state;
  if (state.status === 'deleted') return event.type === 'evaluation-erased.v1' ? { ...state, erased: true } : state;
  switch (event.type) {
    case 'evaluation-attempt-claimed.v1':
      return { ...state, status: 'running', runnerId: event.data.runnerId };
    case 'evaluation-attempt-lost.v1':
      return {
        ...state,
        attempt: state.attempt + 1,
        runnerId: null,
        lostInVain: state.lostInVain + (isInVain(event.data) ? 1 : 0),
      };
    case 'evaluation-answered.v1':
      return { ...nextStep(state), answers: event.data.answers, answersUsage: event.data.usage };
    case 'evaluation-judged.v1':
      return { ...nextStep(state), verdicts: event.data.verdicts };
    case 'evaluation-completed.v1':
      return { ...state, status: 'complete' };
    case 'evaluation-failed.v1':
      return { ...state, status: 'failed' };
    case 'evaluation-predictions-erased.v1':
      return { ...state, predictionsErasedAt: event.data.erasedAt };
    case 'evaluation-deleted.v1':
      return { ...state, status: 'deleted', deletedAt: event.data.deletedAt, erased: false };
    case 'evaluation-erased.v1':
      return state;
  }
}

/** Another runner or worker continues. */
const nextStep = <State extends Evaluation>(state: State): State => ({
  ...state,
  attempt: state.attempt + 1,
  runnerId: null,
  lostInVain: 0,
});

/** A worker's next step for an open evaluation; null if it is a runner's turn. */
export function hostedStep({
  request,
  answers,
  verdicts,
}: Pick<Evaluation, 'request' | 'answers' | 'verdicts'>): 'answer' | 'judge' | null {
  if (request.hosted && answers === null) return 'answer';
  return request.judge && answers !== null && verdicts === null ? 'judge' : null;
}
