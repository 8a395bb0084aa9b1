import type { EvaluationEvent } from '#domain/evaluation/index.js';
import type { Checkpoint, TrainingJobEvent, TrainingMetrics, TrainingRequest } from '#domain/training-job/index.js';

/** Events of a training job and of an evaluation as the deciders write them, for whoever reads events. */
export const at = (second: number): string => new Date(Date.UTC(2030, 0, 1, 0, 0, second)).toISOString();

export const trainingRequest = (jobId: string): TrainingRequest => ({
  jobId,
  workspaceId: 'w1',
  userId: 'u1',
  modelName: 'support',
  baseModel: { id: 'anneal/base', sha256: 'aa' },
  engine: { name: 'builtin', version: '1' },
  startFrom: null,
  rootJobId: null,
  datasets: [
    {
      name: 'd',
      versionId: 'v',
      versionNumber: 1,
      object: { key: 'k', size: 1, sha256: 'bb' },
      rows: 10,
      heads: ['entities'],
    },
  ],
  configuration: {
    trainingType: 'lora',
    epochs: 3,
    learningRate: 0.01,
    batchSize: 8,
    validationShare: 0.1,
    earlyStoppingPatience: 3,
    loraR: 16,
    loraAlpha: 32,
    loraDropout: 0.1,
    scheduler: 'linear',
    warmupRatio: 0.1,
    weightDecay: 0.01,
    saveSteps: 0,
    seed: 3407,
    splitSeed: 3407,
    multiLabel: false,
  },
  taskType: 'ner',
  labels: ['person'],
  projectId: null,
});

export const metrics: TrainingMetrics = {
  f1: 0.9,
  precision: 0.8,
  recall: 1,
  macroF1: 0.7,
  accuracy: 0.6,
  perLabel: { person: { f1: 0.9, precision: 0.8, recall: 1, support: 5 } },
  heads: {},
  judgedRows: 5,
  overlappingRows: 0,
  finalTrainingLoss: 0.3,
  finalValidationLoss: 0.2,
  bestValidationLoss: 0.1,
};

export const artifact = { objectPrefix: 'jobs/j1/1/artifact', files: [{ name: 'a', sha256: 'cc', size: 1 }] };

export const losses = { trainingLoss: 1, validationLoss: 2, f1: 0.5, learningRate: 0.01 };

export const checkpoint = (checkpointId: string, epoch: number): Checkpoint => ({
  checkpointId,
  attempt: 1,
  epoch,
  step: epoch * 10,
  isBest: true,
  isFinal: false,
  endsEpoch: true,
  folder: artifact,
  ...losses,
});

export const jobRequested = (jobId: string): TrainingJobEvent => ({
  type: 'training-job-requested.v1',
  data: { ...trainingRequest(jobId), requestedAt: at(0) },
});
export const attemptClaimed = (jobId: string, attempt: number): TrainingJobEvent => ({
  type: 'training-attempt-claimed.v1',
  data: { jobId, attempt, runnerId: 'host/b1', claimedAt: at(attempt) },
});
export const attemptLost = (jobId: string, attempt: number): TrainingJobEvent => ({
  type: 'training-attempt-lost.v2',
  data: { jobId, attempt, reason: 'silent', cause: 'child', lostAt: at(10) },
});
export const epochCompleted = (jobId: string, epoch: number): TrainingJobEvent => ({
  type: 'training-epoch-completed.v1',
  data: { jobId, attempt: 1, epoch, step: epoch * 10, ...losses, completedAt: at(20 + epoch) },
});
export const checkpointSaved = (jobId: string, each: Checkpoint): TrainingJobEvent => ({
  type: 'training-checkpoint-saved.v1',
  data: { jobId, ...each, savedAt: at(30) },
});
export const jobCompleted = (jobId: string): TrainingJobEvent => ({
  type: 'training-job-completed.v1',
  data: { jobId, attempt: 1, epochsRun: 3, metrics, artifact, completedAt: at(40) },
});
export const jobFailed = (jobId: string): TrainingJobEvent => ({
  type: 'training-job-failed.v1',
  data: { jobId, reason: 'No row is labelled.', failedAt: at(40) },
});
export const jobCancelled = (jobId: string): TrainingJobEvent => ({
  type: 'training-job-cancelled.v1',
  data: { jobId, cancelledAt: at(40) },
});
export const jobDeployed = (jobId: string): TrainingJobEvent => ({
  type: 'training-job-deployed.v1',
  data: { jobId, deployedAt: at(50) },
});
export const jobDeleted = (jobId: string): TrainingJobEvent => ({
  type: 'training-job-deleted.v1',
  data: { jobId, deletedAt: at(59) },
});
export const checkpointDeleted = (jobId: string, checkpointId: string): TrainingJobEvent => ({
  type: 'training-checkpoint-deleted.v1',
  data: { jobId, checkpointId },
});

export const evaluationRequested = (evaluationId: string): EvaluationEvent => ({
  type: 'evaluation-requested.v1',
  data: {
    evaluationId,
    workspaceId: 'w1',
    userId: 'u1',
    model: { id: 'j1', baseModel: { id: 'anneal/base', sha256: 'aa' }, adapter: artifact },
    engine: { name: 'builtin', version: '1' },
    datasets: trainingRequest('j1').datasets,
    heldOut: null,
    maxExamples: null,
    projectId: null,
    automatic: false,
    trainingJobId: 'j1',
    requestedAt: at(0),
  },
});
export const evaluationClaimed = (evaluationId: string): EvaluationEvent => ({
  type: 'evaluation-attempt-claimed.v1',
  data: { evaluationId, attempt: 1, runnerId: 'host/b1', claimedAt: at(1) },
});
export const evaluationCompleted = (evaluationId: string): EvaluationEvent => {
  const {
    judgedRows: _j,
    overlappingRows: _o,
    finalTrainingLoss: _f,
    finalValidationLoss: _v,
    bestValidationLoss: _b,
    ...figures
  } = metrics;
  const predictions = { name: 'predictions.jsonl', objectKey: 'k', sha256: 'dd', size: 9 };
  const data = { evaluationId, attempt: 1, metrics: figures, sampleCount: 10, predictions, completedAt: at(2) };
  return { type: 'evaluation-completed.v1', data };
};
export const evaluationFailed = (evaluationId: string): EvaluationEvent => ({
  type: 'evaluation-failed.v1',
  data: { evaluationId, reason: 'The adapter is damaged.', failedAt: at(2) },
});
export const evaluationDeleted = (evaluationId: string): EvaluationEvent => ({
  type: 'evaluation-deleted.v1',
  data: { evaluationId, deletedAt: at(3) },
});
