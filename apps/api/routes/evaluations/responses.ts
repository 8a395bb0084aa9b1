import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { SIGNIFICANCE_TESTS } from '#evaluations/comparison.js';
import { EVALUATION_STATUSES } from '#domain/evaluation/index.js';
import type { LabelFigures } from '../training-jobs/reading/responses.js';

const NUMBER_OR_NULL = { type: Number, nullable: true } as const;
const TEXT_OR_NULL = { type: String, nullable: true } as const;

export class Prediction {
  @ApiProperty({ type: 'integer', description: 'From 1, in the order of the rows that were evaluated' }) row!: number;
  @ApiProperty() text!: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) expected!: object;
  @ApiProperty({ type: 'object', additionalProperties: true }) predicted!: object;
  @ApiProperty() correct!: boolean;
  @ApiPropertyOptional({
    description:
      'Confidence in the whole answer: the product of its parts and of what was nearly answered. Of cross-validations',
  })
  certainty?: number;
}

class ConfusionRecord {
  @ApiProperty({ description: 'entities, classification, or a classification task by its name' }) head!: string;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'null: nothing was expected' }) expected!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'null: the label was missed' }) predicted!: string | null;
  @ApiProperty({ type: 'integer' }) count!: number;
}

export class Confusions {
  @ApiProperty({ type: 'integer', description: 'Number of different pairs' }) total!: number;
  @ApiProperty({ description: 'Whether the list is cut: `total` counts all' }) truncated!: boolean;
  @ApiProperty({ type: [ConfusionRecord], description: 'The 100 most frequent' }) pairs!: ConfusionRecord[];
}

class CalibrationBin {
  @ApiProperty() from!: number;
  @ApiProperty({ description: 'Exclusive, except in the last bin' }) to!: number;
  @ApiProperty({ type: 'integer', description: 'Answers in this range of confidence' }) count!: number;
  @ApiProperty(NUMBER_OR_NULL) mean_confidence!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Share of correct answers among them' }) accuracy!: number | null;
}

export class HeadCalibration {
  @ApiProperty({ description: 'Mean distance of confidence and accuracy, weighted by answers, 0 to 1' })
  expected_calibration_error!: number;
  @ApiProperty({ type: [CalibrationBin], description: 'Ten bins, lowest confidence first' }) bins!: CalibrationBin[];
}

class Measured {
  @ApiProperty() value!: number;
  @ApiProperty({ description: 'Lower bound of the 95% interval, by resampling the rows' }) low!: number;
  @ApiProperty({ description: 'Upper bound of the 95% interval' }) high!: number;
}

class JsonFigures {
  @ApiProperty({ type: 'integer', description: 'Rows whose expected answer is a JSON object or list' }) rows!: number;
  @ApiProperty({ type: Measured, description: 'Share of their answers that are JSON too' }) validity!: Measured;
  @ApiProperty({ type: Measured, description: 'Micro, over values at their paths' }) field_f1!: Measured;
  @ApiProperty({ type: Measured }) field_precision!: Measured;
  @ApiProperty({ type: Measured }) field_recall!: Measured;
}

class JudgeFigures {
  @ApiProperty({ type: Measured, nullable: true, description: 'Mean score, 1 to 5; null if there are no scores' })
  score!: Measured | null;
  @ApiProperty({ type: 'integer', description: 'Answers with a score' }) scored!: number;
  @ApiProperty({ type: 'integer', description: 'Replies of the judge in the wrong format; they get no score' })
  malformed!: number;
  @ApiProperty({ type: 'integer', description: "Answers that the judge's provider refused" }) refused!: number;
}

export class GenerationFigures {
  @ApiProperty({ type: Measured }) exact_match!: Measured;
  @ApiProperty({ type: Measured, description: 'Ignores case, punctuation, English articles and white space' })
  normalized_exact_match!: Measured;
  @ApiProperty({ type: Measured, description: 'Mean F1 of the longest common subsequence of words' })
  rouge_l!: Measured;
  @ApiProperty({ type: Measured, description: 'Of all answers as one corpus, up to four tokens' }) bleu!: Measured;
  @ApiProperty({ type: JsonFigures, nullable: true }) json!: JsonFigures | null;
  @ApiProperty({
    type: Measured,
    nullable: true,
    description:
      'Of the expected answers, at least 1. null if the model does not report it, and for evaluations of older releases',
  })
  perplexity!: Measured | null;
  @ApiProperty({ type: JudgeFigures, nullable: true, description: 'Null: no judge graded the answers' })
  judge!: JudgeFigures | null;
}

class Interval {
  @ApiProperty() low!: number;
  @ApiProperty() high!: number;
}

class LabelIntervals {
  @ApiProperty({ type: Interval }) f1!: Interval;
  @ApiProperty({ type: Interval }) precision!: Interval;
  @ApiProperty({ type: Interval }) recall!: Interval;
}

class HeadIntervals extends LabelIntervals {
  @ApiProperty({ type: Interval }) accuracy!: Interval;
}

const byName = (name: string) =>
  ({ type: 'object', additionalProperties: { $ref: `#/components/schemas/${name}` } }) as const;

@ApiExtraModels(LabelIntervals, HeadIntervals)
export class FigureIntervals extends HeadIntervals {
  @ApiProperty(byName('HeadIntervals')) heads!: Record<string, HeadIntervals>;
  @ApiProperty({ ...byName('LabelIntervals'), description: 'For the 500 most frequent labels' })
  per_entity!: Record<string, LabelIntervals>;
}

@ApiExtraModels(HeadCalibration)
class EvaluationMetrics {
  @ApiProperty({ type: 'object', additionalProperties: true }) heads!: object;
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/LabelFigures' },
    description: 'By label, with its head where several heads have one of that name: `person (entities)`',
  })
  per_entity!: Record<string, LabelFigures>;
  @ApiProperty({
    type: FigureIntervals,
    nullable: true,
    description:
      'The 95% interval of each figure, by resampling the rows. Of encoders only; null for evaluations of older releases',
  })
  intervals!: FigureIntervals | null;
  @ApiProperty({
    type: Confusions,
    nullable: true,
    description: 'Labels answered instead of others; null for evaluations of older releases',
  })
  confusions!: Confusions | null;
  @ApiProperty({
    ...byName('HeadCalibration'),
    nullable: true,
    description:
      'How well confidence matches the share of correct answers, by head: entities, classification, or a classification task by its name. Null for evaluations of older releases',
  })
  calibration!: Record<string, HeadCalibration> | null;
  @ApiProperty({ type: GenerationFigures, nullable: true, description: 'Decoders only, 0 to 1' })
  generation!: GenerationFigures | null;
}

export class EvaluationWarning {
  @ApiProperty({ enum: ['overlaps_training_rows', 'unscored_answers'] }) code!: string;
  @ApiProperty() message!: string;
}

export class JudgeRecord {
  @ApiProperty() model_id!: string;
  @ApiProperty() provider!: string;
  @ApiProperty({ description: "The model's name at the provider" }) provider_model!: string;
  @ApiProperty() rubric!: string;
  @ApiProperty({ type: 'integer', description: 'Version of the prompt around the rubric' })
  prompt_version!: number;
}

export class HostedUsage {
  @ApiProperty({ type: 'integer', description: 'Number of rows sent' }) calls!: number;
  @ApiProperty({ type: 'integer' }) input_tokens!: number;
  @ApiProperty({ type: 'integer' }) output_tokens!: number;
  @ApiProperty({ description: 'US dollars' }) cost!: number;
}

export class EvaluationEngine {
  @ApiProperty() name!: string;
  @ApiProperty() version!: string;
}

/** Figures are micro over the facts of all heads (entities, classes, values of structures, relations), strictly compared; null until complete. */
export class EvaluationRecord {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty() model_id!: string;
  @ApiProperty() base_model!: string;
  @ApiProperty() dataset_name!: string;
  @ApiProperty() version_number!: string;
  @ApiProperty({ enum: EVALUATION_STATUSES }) status!: string;
  @ApiProperty({
    ...{ type: 'integer', nullable: true, minimum: 0, maximum: 100 },
    description: 'Share of the rows that are answered; null if unknown, as while a provider answers',
  })
  progress_percent!: number | null;
  @ApiProperty(NUMBER_OR_NULL) f1!: number | null;
  @ApiProperty(NUMBER_OR_NULL) precision!: number | null;
  @ApiProperty(NUMBER_OR_NULL) recall!: number | null;
  @ApiProperty(NUMBER_OR_NULL) f1_score!: number | null;
  @ApiProperty(NUMBER_OR_NULL) precision_score!: number | null;
  @ApiProperty(NUMBER_OR_NULL) recall_score!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Share of rows on which every head is exactly right' })
  accuracy!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Of decoders only' }) bleu_score!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Of decoders only' }) rouge_l_score!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Of decoders only' }) exact_match!: number | null;
  @ApiProperty(NUMBER_OR_NULL) macro_f1!: number | null;
  @ApiProperty({ type: EvaluationMetrics, nullable: true }) metrics!: EvaluationMetrics | null;
  @ApiProperty({
    type: HostedUsage,
    nullable: true,
    description: 'Usage of a hosted model, once all rows are answered; null for other models',
  })
  usage!: HostedUsage | null;
  @ApiProperty({ type: JudgeRecord, nullable: true, description: 'Null: no judge grades the answers' })
  judge!: JudgeRecord | null;
  @ApiProperty({
    type: HostedUsage,
    nullable: true,
    description: 'Usage of the judge, once it has graded all answers',
  })
  judge_usage!: HostedUsage | null;
  @ApiProperty({ type: 'integer', nullable: true }) sample_count!: number | null;
  @ApiProperty({
    type: EvaluationEngine,
    description: 'The engine that answers; of a hosted model the provider, and the name of the model there',
  })
  engine!: EvaluationEngine;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Of the request' }) max_answer_tokens!: number | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Rows whose text the model was trained on, ignoring white space; null if unknown, as for base models',
  })
  overlapping_rows!: number | null;
  @ApiProperty({ type: [EvaluationWarning] }) warnings!: EvaluationWarning[];
  @ApiProperty({ description: 'Started by the system when a training job completed' }) automatic!: boolean;
  @ApiProperty(TEXT_OR_NULL) training_job_id!: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Of a cross-validation; else null' })
  folds!: number | null;
  @ApiProperty(TEXT_OR_NULL) project_id!: string | null;
  @ApiProperty(TEXT_OR_NULL) error_message!: string | null;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ ...TEXT_OR_NULL, format: 'date-time' }) completed_at!: string | null;
  @ApiPropertyOptional({
    description: 'Why it has not started; present only while no runner has the required engine and base model',
  })
  waiting_reason?: string;
  @ApiPropertyOptional({
    type: [Prediction],
    description: 'One page of predictions; only in the answer for a single evaluation',
  })
  predictions?: Prediction[];
  @ApiPropertyOptional({ format: 'date-time', description: 'When the predictions were erased, by retention' })
  predictions_erased_at?: string;
  @ApiPropertyOptional({ description: 'true if the caller may not see predictions, which are then left out.' })
  content_withheld?: boolean;
  @ApiPropertyOptional({ type: 'integer', description: 'Of the page of predictions' }) limit?: number;
  @ApiPropertyOptional({ type: 'integer', description: 'Of the page of predictions' }) offset?: number;
}

export class EvaluationList {
  @ApiProperty() success!: boolean;
  @ApiProperty({ type: [EvaluationRecord] }) evaluations!: EvaluationRecord[];
  @ApiProperty() count!: number;
  @ApiProperty() total!: number;
  @ApiProperty() has_more!: boolean;
}

class ComparedDifference {
  @ApiProperty({ description: '`value` minus `with_value`' }) value!: number;
  @ApiProperty({
    ...NUMBER_OR_NULL,
    description: 'Lower bound of the 95% interval, by resampling the rows; null for `correct`',
  })
  low!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Upper bound of the 95% interval' }) high!: number | null;
}

export class ComparedFigure {
  @ApiProperty({ description: 'Figure of this evaluation' }) value!: number;
  @ApiProperty({ description: 'Figure of the other evaluation' }) with_value!: number;
  @ApiProperty({ type: ComparedDifference }) difference!: ComparedDifference;
  @ApiProperty({ type: 'integer', description: 'Rows on which this model did better' }) wins!: number;
  @ApiProperty({ type: 'integer', description: 'Rows on which the other one did better' }) losses!: number;
  @ApiProperty({ type: 'integer' }) ties!: number;
  @ApiProperty({ description: 'Two-sided p-value' }) p_value!: number;
  @ApiProperty({ enum: SIGNIFICANCE_TESTS }) test!: string;
}

const FIGURE_OR_NULL = { type: ComparedFigure, nullable: true } as const;

class ComparedFigures {
  @ApiProperty({ type: ComparedFigure, description: 'Rows that are entirely right' }) correct!: ComparedFigure;
  @ApiPropertyOptional({
    ...FIGURE_OR_NULL,
    description:
      'Micro F1 over the facts of all heads. Encoders only; null for very many rows, and for evaluations of older releases',
  })
  f1?: ComparedFigure | null;
  @ApiPropertyOptional({ ...FIGURE_OR_NULL, description: 'This figure and those below are for decoders only' })
  exact_match?: ComparedFigure | null;
  @ApiPropertyOptional(FIGURE_OR_NULL) normalized_exact_match?: ComparedFigure | null;
  @ApiPropertyOptional(FIGURE_OR_NULL) rouge_l?: ComparedFigure | null;
  @ApiPropertyOptional(FIGURE_OR_NULL) bleu?: ComparedFigure | null;
  @ApiPropertyOptional({ ...FIGURE_OR_NULL, description: 'Over the rows whose expected answer is JSON' })
  json_validity?: ComparedFigure | null;
  @ApiPropertyOptional(FIGURE_OR_NULL) json_field_f1?: ComparedFigure | null;
  @ApiPropertyOptional({ ...FIGURE_OR_NULL, description: 'Only if the same judge scored all answers of both' })
  judge?: ComparedFigure | null;
}

export class EvaluationComparison {
  @ApiProperty({ format: 'uuid' }) evaluation_id!: string;
  @ApiProperty({ format: 'uuid' }) with_evaluation_id!: string;
  @ApiProperty() model_id!: string;
  @ApiProperty() with_model_id!: string;
  @ApiProperty() dataset_name!: string;
  @ApiProperty() version_number!: string;
  @ApiProperty({ type: 'integer' }) sample_count!: number;
  @ApiProperty({ type: ComparedFigures }) figures!: ComparedFigures;
}
