import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { LabelFigures } from '../training-jobs/responses.js';
import { EVALUATION_STATUSES } from './dto.js';

const NUMBER_OR_NULL = { type: Number, nullable: true } as const;
const TEXT_OR_NULL = { type: String, nullable: true } as const;

export class Prediction {
  @ApiProperty({ type: 'integer', description: 'From 1, in the order of the rows that were evaluated' }) row!: number;
  @ApiProperty() text!: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) expected!: object;
  @ApiProperty({ type: 'object', additionalProperties: true }) predicted!: object;
  @ApiProperty() correct!: boolean;
}

class ConfusionRecord {
  @ApiProperty({ enum: ['entities', 'classification'] }) head!: string;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Null: nothing is there' }) expected!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Null: it was missed' }) predicted!: string | null;
  @ApiProperty({ type: 'integer' }) count!: number;
}

class Confusions {
  @ApiProperty({ type: 'integer', description: 'Different ones' }) total!: number;
  @ApiProperty({ description: 'Whether the list is cut: `total` counts all' }) truncated!: boolean;
  @ApiProperty({ type: [ConfusionRecord], description: 'The 100 most frequent' }) pairs!: ConfusionRecord[];
}

class CalibrationBin {
  @ApiProperty() from!: number;
  @ApiProperty({ description: 'Exclusive, but for the last' }) to!: number;
  @ApiProperty({ type: 'integer', description: 'Answers of such confidence' }) count!: number;
  @ApiProperty(NUMBER_OR_NULL) mean_confidence!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Share of them that is right' }) accuracy!: number | null;
}

class HeadCalibration {
  @ApiProperty({ description: 'Mean distance of confidence and accuracy, weighted by answers, 0 to 1' })
  expected_calibration_error!: number;
  @ApiProperty({ type: [CalibrationBin], description: 'Ten, the lowest first' }) bins!: CalibrationBin[];
}

class Calibration {
  @ApiPropertyOptional({ type: HeadCalibration }) entities?: HeadCalibration;
  @ApiPropertyOptional({ type: HeadCalibration }) classification?: HeadCalibration;
}

class EvaluationMetrics {
  @ApiProperty({ type: 'object', additionalProperties: { $ref: '#/components/schemas/LabelFigures' } })
  per_entity!: Record<string, LabelFigures>;
  @ApiProperty({ type: 'object', additionalProperties: true }) heads!: object;
  @ApiProperty({
    type: Confusions,
    nullable: true,
    description: 'Labels answered in the place of others; null for evaluations of older releases',
  })
  confusions!: Confusions | null;
  @ApiProperty({
    type: Calibration,
    nullable: true,
    description: 'Whether confidences tell the share of answers that is right; null for evaluations of older releases',
  })
  calibration!: Calibration | null;
}

class EvaluationWarning {
  @ApiProperty({ enum: ['overlaps_training_rows'] }) code!: string;
  @ApiProperty() message!: string;
}

/** Figures are micro over the facts of all heads (entities, classes, values of structures, relations), strictly compared; null until complete. */
export class EvaluationRecord {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty() model_id!: string;
  @ApiProperty() base_model!: string;
  @ApiProperty() dataset_name!: string;
  @ApiProperty() version_number!: string;
  @ApiProperty({ enum: EVALUATION_STATUSES }) status!: string;
  @ApiProperty(NUMBER_OR_NULL) f1!: number | null;
  @ApiProperty(NUMBER_OR_NULL) precision!: number | null;
  @ApiProperty(NUMBER_OR_NULL) recall!: number | null;
  @ApiProperty(NUMBER_OR_NULL) f1_score!: number | null;
  @ApiProperty(NUMBER_OR_NULL) precision_score!: number | null;
  @ApiProperty(NUMBER_OR_NULL) recall_score!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Share of rows whose every head is exactly right' })
  accuracy!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Of decoders only' }) bleu_score!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Of decoders only' }) rouge_l_score!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Of decoders only' }) exact_match!: number | null;
  @ApiProperty(NUMBER_OR_NULL) macro_f1!: number | null;
  @ApiProperty({ type: EvaluationMetrics, nullable: true }) metrics!: EvaluationMetrics | null;
  @ApiProperty({ type: 'integer', nullable: true }) sample_count!: number | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Rows whose text the model learned from, white space aside; null: not known, as of base models',
  })
  overlapping_rows!: number | null;
  @ApiProperty({ type: [EvaluationWarning] }) warnings!: EvaluationWarning[];
  @ApiProperty({ description: 'Started by the system when a training job completed' }) automatic!: boolean;
  @ApiProperty(TEXT_OR_NULL) training_job_id!: string | null;
  @ApiProperty(TEXT_OR_NULL) project_id!: string | null;
  @ApiProperty(TEXT_OR_NULL) error_message!: string | null;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ ...TEXT_OR_NULL, format: 'date-time' }) completed_at!: string | null;
  @ApiPropertyOptional({ type: [Prediction], description: 'A page of them; only where one evaluation is read' })
  predictions?: Prediction[];
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
