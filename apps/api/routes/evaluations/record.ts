import {
  measuredDataset,
  type CallsUsage,
  type EngineName,
  type EvaluationMetrics,
  type FigureIntervals,
  type GenerationFigures,
  type JudgePin,
} from '#domain/evaluation/index.js';
import { dollars } from '#domain/inference/index.js';
import type { EvaluationDocument } from '#projections/evaluations/projection.js';
import type { ComparedFigure } from '#evaluations/comparison.js';
import type { SeenEvaluation } from '#use-cases/evaluations/queries/evaluations.js';
import type { Comparison } from '#use-cases/evaluations/queries/comparison.js';
import { overlapNote, perEntityRecord } from '../training-jobs/reading/record.js';
import type {
  ComparedFigure as ComparedFigureRecord,
  Confusions,
  EvaluationComparison,
  EvaluationEngine,
  EvaluationRecord,
  EvaluationWarning,
  FigureIntervals as FigureIntervalsRecord,
  HeadCalibration,
  GenerationFigures as GenerationFiguresRecord,
  HostedUsage,
  JudgeRecord,
} from './responses.js';

/**
 * An evaluation in the form of the interface. Figures are null until it is complete.
 * @param seen `waitingReason`: why no runner can begin it; null if one can, or has. `fraction`: of the rows that are answered
 */
export function evaluationRecord(
  evaluation: EvaluationDocument,
  { waitingReason, fraction }: Omit<SeenEvaluation, 'evaluation'> = { waitingReason: null, fraction: null },
): EvaluationRecord {
  const { metrics, model } = evaluation;
  const { f1, precision, recall, macroF1, accuracy } = metrics ?? NO_FIGURES;
  return {
    id: evaluation.id,
    model_id: evaluation.modelId,
    base_model: model.baseModel.id,
    dataset_name: evaluation.datasetName,
    version_number: String(measuredDataset(evaluation)?.versionNumber ?? ''),
    status: evaluation.status,
    progress_percent: percentOf(evaluation.status, fraction),
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
      heads: metrics.heads,
      per_entity: perEntityRecord(metrics.perLabel),
      confusions: metrics.confusions ? confusionsRecord(metrics.confusions) : null,
      calibration: metrics.calibration ? calibrationRecord(metrics.calibration) : null,
      intervals: metrics.intervals ? intervalsRecord(metrics.intervals) : null,
      generation: metrics.generation ? generationRecord(metrics.generation) : null,
    },
    usage: evaluation.usage && usageRecord(evaluation.usage),
    judge: evaluation.judge ? judgeRecord(evaluation.judge) : null,
    judge_usage: evaluation.judgeUsage && usageRecord(evaluation.judgeUsage),
    sample_count: evaluation.sampleCount,
    max_answer_tokens: evaluation.maxAnswerTokens ?? null,
    overlapping_rows: metrics?.overlappingRows ?? null,
    warnings: warningsOf(evaluation),
    engine: engineRecord(evaluation.answeredBy ?? evaluation.engine),
    automatic: evaluation.automatic,
    training_job_id: evaluation.trainingJobId,
    folds: evaluation.crossValidation?.folds ?? null,
    project_id: evaluation.projectId,
    error_message: evaluation.errorMessage,
    created_at: evaluation.createdAt,
    completed_at: evaluation.completedAt,
    ...(evaluation.predictionsErasedAt !== undefined && { predictions_erased_at: evaluation.predictionsErasedAt }),
    ...(waitingReason !== null && { waiting_reason: waitingReason }),
  };
}

const engineRecord = ({ name, version }: EngineName): EvaluationEngine => ({ name, version });

function percentOf(status: EvaluationDocument['status'], fraction: number | null): number | null {
  if (status === 'queued' || status === 'complete') return status === 'queued' ? 0 : 100;
  return fraction === null ? null : Math.floor(100 * fraction);
}

function warningsOf({ metrics, sampleCount }: EvaluationDocument): EvaluationWarning[] {
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

const confusionsRecord = ({ total, shown }: NonNullable<EvaluationMetrics['confusions']>): Confusions => ({
  total,
  truncated: shown.length < total,
  pairs: [...shown],
});

const calibrationRecord = (
  byHead: NonNullable<EvaluationMetrics['calibration']>,
): Readonly<Record<string, HeadCalibration>> =>
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

const intervalsRecord = ({ perLabel, ...intervals }: FigureIntervals): FigureIntervalsRecord => ({
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
}: GenerationFigures): GenerationFiguresRecord => ({
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

const judgeRecord = ({ modelId, provider, model, rubric, promptVersion }: JudgePin): JudgeRecord => ({
  ...{ model_id: modelId, provider, provider_model: model, rubric, prompt_version: promptVersion },
});

const usageRecord = ({ calls, inputTokens, outputTokens, costPicodollars }: CallsUsage): HostedUsage => ({
  ...{ calls, input_tokens: inputTokens, output_tokens: outputTokens, cost: dollars(costPicodollars) },
});

const NO_FIGURES = { f1: null, precision: null, recall: null, macroF1: null, accuracy: null };

/** Two evaluations on the same rows, by each figure. */
export const comparisonRecord = ({ one, two, correct, answers, f1 }: Comparison): EvaluationComparison => ({
  ...{ evaluation_id: one.id, with_evaluation_id: two.id, model_id: one.modelId, with_model_id: two.modelId },
  ...{ dataset_name: one.datasetName, version_number: String(measuredDataset(one)?.versionNumber ?? '') },
  sample_count: one.sampleCount,
  figures: {
    correct: comparedRecord(correct),
    ...(answers
      ? {
          exact_match: orNull(answers.exactMatch),
          normalized_exact_match: orNull(answers.normalizedExactMatch),
          rouge_l: orNull(answers.rougeL),
          bleu: orNull(answers.bleu),
          json_validity: orNull(answers.validity),
          json_field_f1: orNull(answers.fieldF1),
          judge: orNull(answers.judge),
        }
      : { f1: orNull(f1) }),
  },
});

const orNull = (figure: ComparedFigure | undefined): ComparedFigureRecord | null =>
  figure ? comparedRecord(figure) : null;

const comparedRecord = ({ value, other, difference, pValue, test, ...rows }: ComparedFigure): ComparedFigureRecord => ({
  value: six(value),
  with_value: six(other),
  difference: {
    value: six(difference.value),
    low: difference.low === null ? null : six(difference.low),
    high: difference.high === null ? null : six(difference.high),
  },
  ...rows,
  p_value: pValue,
  test,
});

const six = (value: number): number => Math.round(value * 1e6) / 1e6;
