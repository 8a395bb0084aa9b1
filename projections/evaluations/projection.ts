import type { EvaluationEvent, EvaluationMetrics, EvaluationRequest } from '#domain/evaluation/index.js';
import type { StoredFile } from '#domain/training-job/index.js';
import type { Projection } from '#projector/projection.js';

export type EvaluationStatus = 'queued' | 'running' | 'complete' | 'failed';

/** An evaluation as it stands; the predictions themselves are an object, named here. */
export type EvaluationDocument = Omit<EvaluationRequest, 'evaluationId'> & {
  readonly id: string;
  /** What lists are filtered by; the same as in `model` and `datasets`. */
  readonly modelId: string;
  readonly datasetName: string;
  readonly status: EvaluationStatus;
  readonly metrics: EvaluationMetrics | null;
  readonly sampleCount: number | null;
  readonly predictions: (StoredFile & { readonly objectKey: string }) | null;
  readonly errorMessage: string | null;
  readonly createdAt: string;
  readonly completedAt: string | null;
};

export const evaluations: Projection<EvaluationDocument> = {
  name: 'evaluations',
  version: 1,
  handles: [
    'evaluation-requested.v1',
    'evaluation-attempt-claimed.v1',
    'evaluation-completed.v1',
    'evaluation-failed.v1',
    'evaluation-deleted.v1',
  ],
  indexes: [
    { fields: ['workspaceId', 'createdAt'] },
    { fields: ['workspaceId', 'status'] },
    { fields: ['workspaceId', 'modelId', 'createdAt'] },
    { fields: ['workspaceId', 'projectId', 'createdAt'] },
    { fields: ['workspaceId', 'trainingJobId', 'createdAt'] },
  ],
  key: (event) => (event as unknown as EvaluationEvent).data.evaluationId,
  apply: (evaluation, recorded) => {
    const event = recorded as unknown as EvaluationEvent;
    if (event.type === 'evaluation-requested.v1') return requestedEvaluation(event.data);
    if (event.type === 'evaluation-deleted.v1') return null;
    return evaluation && advance(evaluation, event);
  },
};

/** An evaluation as it is when it has just been asked for. */
export function requestedEvaluation({
  evaluationId,
  requestedAt,
  ...request
}: EvaluationRequest & { readonly requestedAt: string }): EvaluationDocument {
  return {
    ...request,
    id: evaluationId,
    modelId: request.model.id,
    datasetName: request.datasets[0]?.name ?? '',
    status: 'queued',
    metrics: null,
    sampleCount: null,
    predictions: null,
    errorMessage: null,
    createdAt: requestedAt,
    completedAt: null,
  };
}

function advance(evaluation: EvaluationDocument, event: EvaluationEvent): EvaluationDocument {
  switch (event.type) {
    case 'evaluation-attempt-claimed.v1':
      return { ...evaluation, status: 'running' };
    case 'evaluation-completed.v1': {
      const { metrics, sampleCount, predictions, completedAt } = event.data;
      return { ...evaluation, status: 'complete', metrics, sampleCount, predictions, completedAt };
    }
    case 'evaluation-failed.v1':
      return { ...evaluation, status: 'failed', errorMessage: event.data.reason, completedAt: event.data.failedAt };
    default:
      return evaluation;
  }
}
