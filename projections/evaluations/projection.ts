import {
  measuredDataset,
  type CallsUsage,
  type EngineName,
  type EvaluationEvent,
  type EvaluationMetrics,
  type EvaluationRequest,
  type StoredPredictions,
} from '#domain/evaluation/index.js';
import type { Projection } from '#log/projector/projection.js';

type EvaluationStatus = 'queued' | 'running' | 'complete' | 'failed';

/** The present state of an evaluation; the predictions are an object, referenced here. */
export type EvaluationDocument = Omit<EvaluationRequest, 'evaluationId'> & {
  readonly id: string;
  /** Fields for filters of lists; those in `model` and of the measured one of `datasets`. */
  readonly modelId: string;
  readonly datasetName: string;
  readonly status: EvaluationStatus;
  /** The engine that generated the answers. Absent: `engine`, or none yet. */
  readonly answeredBy?: EngineName;
  readonly metrics: EvaluationMetrics | null;
  readonly sampleCount: number | null;
  /** null before completion, and once they are erased. */
  readonly predictions: StoredPredictions | null;
  /** Absent while they are kept. */
  readonly predictionsErasedAt?: string;
  /** Calls of a hosted model, once all rows are answered. */
  readonly usage: CallsUsage | null;
  /** Calls of a judge, once all answers are graded. */
  readonly judgeUsage: CallsUsage | null;
  readonly errorMessage: string | null;
  readonly createdAt: string;
  readonly completedAt: string | null;
};

export const evaluations: Projection<EvaluationDocument, EvaluationEvent> = {
  name: 'evaluations',
  version: 5,
  indexes: [
    { fields: ['workspaceId', 'createdAt'] },
    { fields: ['workspaceId', 'status'] },
    { fields: ['workspaceId', 'modelId', 'createdAt'] },
    { fields: ['workspaceId', 'projectId', 'createdAt'] },
    { fields: ['workspaceId', 'trainingJobId', 'createdAt'] },
  ],
  key: ({ data }) => data.evaluationId,
  on: {
    'evaluation-requested.v1': (_, { data }) => requestedEvaluation(data),
    'evaluation-attempt-claimed.v1': (evaluation) => evaluation && { ...evaluation, status: 'running' },
    'evaluation-answered.v1': (evaluation, { data: { usage, engine } }) =>
      evaluation && { ...evaluation, usage, ...(engine && { answeredBy: engine }) },
    'evaluation-judged.v1': (evaluation, { data: { usage } }) => evaluation && { ...evaluation, judgeUsage: usage },
    'evaluation-completed.v1': (evaluation, { data: { metrics, sampleCount, predictions, completedAt, engine } }) =>
      evaluation && {
        ...{ ...evaluation, status: 'complete', metrics, sampleCount, predictions, completedAt },
        ...(engine && { answeredBy: engine }),
      },
    'evaluation-failed.v1': (evaluation, { data }) =>
      evaluation && { ...evaluation, status: 'failed', errorMessage: data.reason, completedAt: data.failedAt },
    'evaluation-predictions-erased.v1': (evaluation, { data: { erasedAt } }) =>
      evaluation && { ...evaluation, predictions: null, predictionsErasedAt: erasedAt },
    'evaluation-deleted.v1': () => null,
  },
};

/** An evaluation right after its request. */
export function requestedEvaluation({
  evaluationId,
  requestedAt,
  ...request
}: EvaluationRequest & { readonly requestedAt: string }): EvaluationDocument {
  return {
    ...request,
    id: evaluationId,
    modelId: request.model.id,
    datasetName: measuredDataset(request)?.name ?? '',
    status: 'queued',
    metrics: null,
    sampleCount: null,
    predictions: null,
    usage: null,
    judgeUsage: null,
    errorMessage: null,
    createdAt: requestedAt,
    completedAt: null,
  };
}
