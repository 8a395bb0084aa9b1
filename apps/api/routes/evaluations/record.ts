import type {
  CallsUsage,
  EvaluationMetrics,
  FigureIntervals,
  GenerationFigures,
  JudgePin,
} from '#domain/evaluation/index.js';
import { dollars } from '#domain/inference/index.js';
import type { JsonObject } from '#domain/json.js';
import type { EvaluationDocument } from '#projections/evaluations/projection.js';
import { overlapNote, perEntityRecord } from '../training-jobs/reading/record.js';

/**
 * An evaluation in the form of the interface. Figures are null until it is complete.
 * @param waitingReason why no runner can begin it; null if one can, or has
 */
export function evaluationRecord(evaluation: EvaluationDocument, waitingReason: string | null = null): JsonObject {
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
    bleu_score: metrics?.generation?.bleu.value ?? null,
    rouge_l_score: metrics?.generation?.rougeL.value ?? null,
    exact_match: metrics?.generation?.exactMatch.value ?? null,
    macro_f1: macroF1,
    metrics: metrics && {
      per_entity: perEntityRecord(metrics.perLabel),
      heads: metrics.heads,
      confusions: metrics.confusions ? confusionsRecord(metrics.confusions) : null,
      calibration: metrics.calibration ? calibrationRecord(metrics.calibration) : null,
      intervals: metrics.intervals ? intervalsRecord(metrics.intervals) : null,
      generation: metrics.generation ? generationRecord(metrics.generation) : null,
    },
    usage: evaluation.usage && usageRecord(evaluation.usage),
    judge: evaluation.judge ? judgeRecord(evaluation.judge) : null,
    judge_usage: evaluation.judgeUsage && usageRecord(evaluation.judgeUsage),
    sample_count: evaluation.sampleCount,
    overlapping_rows: metrics?.overlappingRows ?? null,
    warnings: warningsOf(evaluation),
    automatic: evaluation.automatic,
    training_job_id: evaluation.trainingJobId,
    project_id: evaluation.projectId,
    error_message: evaluation.errorMessage,
    created_at: evaluation.createdAt,
    completed_at: evaluation.completedAt,
    ...(waitingReason !== null && { waiting_reason: waitingReason }),
  };
}

function warningsOf({ metrics, sampleCount }: EvaluationDocument): readonly JsonObject[] {
  const overlapping = metrics?.overlappingRows ?? 0;
  const { malformed = 0, refused = 0 } = metrics?.generation?.judge ?? {};
  const unscored = `The judge gave ${malformed + refused} of ${sampleCount} answers no score: ${malformed} replies were not of the form asked for, and its provider refused ${refused}.`;
  return [
    ...(overlapping > 0
      ? [{ code: 'overlaps_training_rows', message: overlapNote(overlapping, sampleCount!, 'rows') }]
      : []),
    ...(malformed + refused > 0 ? [{ code: 'unscored_answers', message: unscored }] : []),
  ];
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

const intervalsRecord = ({ perLabel, ...intervals }: FigureIntervals): JsonObject => ({
  ...intervals,
  per_entity: perLabel,
});

const generationRecord = ({
  exactMatch,
  normalizedExactMatch,
  rougeL,
  bleu,
  json,
  perplexity,
  judge,
}: GenerationFigures): JsonObject => ({
  exact_match: exactMatch,
  normalized_exact_match: normalizedExactMatch,
  rouge_l: rougeL,
  bleu,
  json: json && {
    rows: json.rows,
    validity: json.validity,
    field_f1: json.fieldF1,
    field_precision: json.fieldPrecision,
    field_recall: json.fieldRecall,
  },
  perplexity: perplexity ?? null,
  judge: judge ?? null,
});

const judgeRecord = ({ modelId, provider, model, rubric, promptVersion }: JudgePin): JsonObject => ({
  ...{ model_id: modelId, provider, provider_model: model, rubric, prompt_version: promptVersion },
});

const usageRecord = ({ calls, inputTokens, outputTokens, costPicodollars }: CallsUsage): JsonObject => ({
  ...{ calls, input_tokens: inputTokens, output_tokens: outputTokens, cost: dollars(costPicodollars) },
});

const NO_FIGURES = { f1: null, precision: null, recall: null, macroF1: null, accuracy: null };
