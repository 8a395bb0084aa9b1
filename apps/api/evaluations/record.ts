import type { EvaluationMetrics } from '#domain/evaluation/index.js';
import type { JsonObject } from '#domain/json.js';
import type { EvaluationDocument } from '#projections/evaluations/projection.js';
import { overlapNote, perEntityRecord } from '../training-jobs/record.js';

/** An evaluation as the interface shows it. Figures are null until it is complete. */
export function evaluationRecord(evaluation: EvaluationDocument): JsonObject {
  const { metrics, model, datasets } = evaluation;
  const { f1, precision, recall, macroF1, accuracy } = metrics ?? NO_FIGURES;
  return {
    id: evaluation.id,
    model_id: evaluation.modelId,
    base_model: model.baseModel.id,
    dataset_name: evaluation.datasetName,
    version_number: String(datasets[0]?.versionNumber ?? ''),
    status: evaluation.status,
    f1,
    precision,
    recall,
    f1_score: f1,
    precision_score: precision,
    recall_score: recall,
    accuracy,
    // For decoders only, which the engines here do not evaluate yet.
    bleu_score: null,
    rouge_l_score: null,
    exact_match: null,
    macro_f1: macroF1,
    metrics: metrics && {
      per_entity: perEntityRecord(metrics.perLabel),
      heads: metrics.heads,
      confusions: metrics.confusions ? confusionsRecord(metrics.confusions) : null,
      calibration: metrics.calibration ? calibrationRecord(metrics.calibration) : null,
    },
    sample_count: evaluation.sampleCount,
    overlapping_rows: metrics?.overlappingRows ?? null,
    warnings: warningsOf(evaluation),
    automatic: evaluation.automatic,
    training_job_id: evaluation.trainingJobId,
    project_id: evaluation.projectId,
    error_message: evaluation.errorMessage,
    created_at: evaluation.createdAt,
    completed_at: evaluation.completedAt,
  };
}

function warningsOf({ metrics, sampleCount }: EvaluationDocument): readonly JsonObject[] {
  const overlapping = metrics?.overlappingRows ?? 0;
  if (overlapping === 0) return [];
  return [{ code: 'overlaps_training_rows', message: overlapNote(overlapping, sampleCount!, 'rows') }];
}

const confusionsRecord = ({ total, shown }: NonNullable<EvaluationMetrics['confusions']>): JsonObject => ({
  total,
  truncated: shown.length < total,
  pairs: shown,
});

const calibrationRecord = (byHead: NonNullable<EvaluationMetrics['calibration']>): JsonObject =>
  Object.fromEntries(
    Object.entries(byHead).map(([head, { expectedError, bins }]) => [
      head,
      {
        expected_calibration_error: expectedError,
        bins: bins.map(({ count, meanConfidence, accuracy }, at) => ({
          from: at / bins.length,
          to: (at + 1) / bins.length,
          count,
          mean_confidence: meanConfidence,
          accuracy,
        })),
      },
    ]),
  );

const NO_FIGURES = { f1: null, precision: null, recall: null, macroF1: null, accuracy: null };
