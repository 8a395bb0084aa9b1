import { servedOf } from '#use-cases/training-jobs/queries/checkpoints.js';
import {
  datasetsHeldOut,
  fieldsOfSettings,
  type ConfidenceFigures,
  type DatasetPin,
  type LabelFigures,
  type TrainingMetrics,
} from '#domain/training-job/index.js';
import type { TrainingCheckpointDocument } from '#projections/training-checkpoints/projection.js';
import type { EpochPoint, TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { classTaskRecord } from '../../datasets/versions/record.js';
import { progressPercent, TERMINAL } from '#use-cases/training-jobs/progress.js';
import type { Told } from '#use-cases/training-jobs/told-by-runners.js';
import type {
  ConfidenceFigures as ConfidenceFiguresRecord,
  FinishedEpoch,
  JobDataset,
  TrainingCheckpoint,
  TrainingJobRecord,
  TrainingMetrics as TrainingMetricsRecord,
  UsedDataset,
} from './responses.js';

const NOTHING_TOLD: Told = { fraction: null, deployment: 'not_deployed', waitingReason: null };

/** A training job as the interface shows it. */
export function trainingJobRecord(
  job: TrainingJobDocument,
  { fraction, deployment, waitingReason }: Told = NOTHING_TOLD,
): TrainingJobRecord {
  const { configuration, status } = job;
  return {
    id: job.id,
    model_name: job.modelName,
    named_model: job.named?.name ?? null,
    base_model: job.baseModel.id,
    training_type: configuration.trainingType,
    datasets: datasetsRecord(job),
    exclude_texts_of: (job.excludedTexts ?? []).map(datasetRecord),
    status,
    normalized_status: status === 'deployed' ? 'complete' : status,
    is_terminal_status: TERMINAL.has(status),
    progress_percent: progressPercent(job, fraction),
    current_epoch: job.currentEpoch,
    validation_data_percentage: configuration.validationShare,
    ...fieldsOfSettings(configuration),
    ...(configuration.decoder && decoderRecord(configuration.decoder)),
    task_type: job.taskType,
    labels: [...job.labels],
    ...(job.classTasks && { class_tasks: job.classTasks.map(classTaskRecord) }),
    project_id: job.projectId,
    root_job_id: job.rootJobId,
    start_checkpoint_id: job.startFrom?.checkpointId ?? null,
    deployment_status: deployment,
    error_message: job.errorMessage,
    created_at: job.createdAt,
    updated_at: job.updatedAt,
    started_at: job.startedAt,
    completed_at: job.completedAt,
    ...(waitingReason !== null && { waiting_reason: waitingReason }),
    ...(job.metrics && { metrics: metricsRecord(job.metrics, job.taskType === 'decoder') }),
  };
}

function datasetsRecord(job: TrainingJobDocument): UsedDataset[] {
  const whole = new Set(datasetsHeldOut(job));
  return job.datasets.map((pin) => ({ ...datasetRecord(pin), ...(whole.has(pin) && { held_out: true }) }));
}

const datasetRecord = ({ name, versionNumber, versionId, rows }: DatasetPin): JobDataset => ({
  ...{ name, version: String(versionNumber), dataset_id: versionId, sample_size: rows },
});

const decoderRecord = ({
  packing,
  gradientCheckpointing,
  loadIn4bit,
  beta,
}: NonNullable<TrainingJobDocument['configuration']['decoder']>) => ({
  packing,
  gradient_checkpointing: gradientCheckpointing,
  load_in_4bit: loadIn4bit,
  dpo_beta: beta,
});

/** The finished epochs of a job, in their order; also of one that still runs, failed or was stopped. */
export const learningCurveRecord = ({ learningCurve }: Pick<TrainingJobDocument, 'learningCurve'>): FinishedEpoch[] =>
  learningCurve.map(epochRecord);

export const epochRecord = ({ epoch, step, ...losses }: EpochPoint): FinishedEpoch => ({
  epoch,
  step,
  training_loss: losses.trainingLoss,
  validation_loss: losses.validationLoss,
  f1: losses.f1,
  learning_rate: losses.learningRate,
});

function metricsRecord(metrics: TrainingMetrics, isDecoder: boolean): TrainingMetricsRecord {
  const { f1, precision, recall, judgedRows, overlappingRows } = metrics;
  return {
    f1,
    precision,
    recall,
    eval_f1_score: f1,
    eval_precision: precision,
    eval_recall: recall,
    macro_f1: metrics.macroF1,
    accuracy: metrics.accuracy,
    judged_on: judgedRows !== null && (isDecoder ? metrics.finalValidationLoss : f1) !== null ? 'validation' : null,
    judged_rows: judgedRows,
    overlapping_rows: overlappingRows,
    excluded_rows: metrics.excludedRows ?? null,
    rows_with_vectors: metrics.rowsWithVectors ?? null,
    figures_note: isDecoder ? decoderNote(metrics, judgedRows ?? 0, overlappingRows) : figuresNote(metrics),
    heads: headsRecord(metrics.heads),
    per_entity: perEntityRecord(metrics.perLabel),
    final_training_loss: metrics.finalTrainingLoss,
    final_validation_loss: metrics.finalValidationLoss,
    best_validation_loss: metrics.bestValidationLoss,
    ...(metrics.rewards && { reward_accuracy: metrics.rewards.accuracy, reward_margin: metrics.rewards.margin }),
  };
}

const headsRecord = (heads: TrainingMetrics['heads']): TrainingMetricsRecord['heads'] =>
  Object.fromEntries(
    Object.entries(heads).map(([head, { confidence, ...figures }]) => [
      head,
      { ...figures, ...(confidence && { confidence: confidenceRecord(confidence) }) },
    ]),
  );

export const confidenceRecord = ({
  rows,
  threshold,
  answerError,
  candidateError,
  curve,
}: ConfidenceFigures): ConfidenceFiguresRecord => ({
  rows,
  threshold,
  calibration_error: answerError,
  candidate_calibration_error: candidateError,
  thresholds: curve.map((point) => ({ ...point })),
});

/** Why figures are missing or unreliable; null if they are fine. */
function figuresNote({ f1, heads, judgedRows, overlappingRows, rowsWithVectors }: TrainingMetrics): string | null {
  if (judgedRows === null)
    return 'Measured by an earlier release, which on jobs without held-out rows judged training rows.';
  if (f1 === null)
    return 'No row labelled for what was trained could be held out, and rows that were trained on would flatter the model: evaluate it on a dataset.';
  const unmeasured = Object.keys(heads).filter((head) => heads[head]!.f1 === null);
  const notes = [
    ...(unmeasured.length > 0
      ? [`No held-out row is labelled for ${unmeasured.join(' and ')}: figures are without.`]
      : []),
    ...(overlappingRows ? [overlapNote(overlappingRows, judgedRows, 'held-out rows')] : []),
    ...(rowsWithVectors === undefined
      ? []
      : [
          `The words of ${rowsWithVectors} rows were read by their vectors, all others by their form alone: more do not fit in memory.`,
        ]),
  ];
  return notes.length === 0 ? null : notes.join(' ');
}

function decoderNote(
  { finalValidationLoss, rewards }: TrainingMetrics,
  judgedRows: number,
  overlappingRows: number | null,
): string {
  if (finalValidationLoss === null)
    return 'No row could be held out, so that the validation loss was not measured: evaluate it on a dataset.';
  const losses = rewards
    ? 'the losses are those of preference tuning, 0.6931 where neither answer is preferred'
    : 'the losses are nats per token of the answers';
  const note = `Generated text has no F1, precision or recall: ${losses}, and evaluations compare answers.`;
  return overlappingRows ? `${note} ${overlapNote(overlappingRows, judgedRows, 'held-out rows')}` : note;
}

/** @param rows their name, in the plural */
export const overlapNote = (overlapping: number, of: number, rows: string): string =>
  `${overlapping} of ${of} ${rows} have a text that the model learned from: the figures flatter it.`;

export const perEntityRecord = (
  perLabel: Readonly<Record<string, LabelFigures>>,
): TrainingMetricsRecord['per_entity'] =>
  Object.fromEntries(
    Object.entries(perLabel).map(([label, { f1, precision, recall, support }]) => [
      label,
      { f1, precision, recall, support },
    ]),
  );

/** Checkpoints in the order of their steps. */
export function checkpointRecords(checkpoints: readonly TrainingCheckpointDocument[]): TrainingCheckpoint[] {
  const best = servedOf(checkpoints)?.id;
  return checkpoints.map((checkpoint) => ({
    id: checkpoint.id,
    job_id: checkpoint.jobId,
    epoch: checkpoint.epoch,
    step: checkpoint.step,
    training_loss: checkpoint.trainingLoss,
    validation_loss: checkpoint.validationLoss,
    f1: checkpoint.f1,
    learning_rate: checkpoint.learningRate,
    is_best: checkpoint.id === best,
    is_final: checkpoint.isFinal,
    created_at: checkpoint.createdAt,
  }));
}
