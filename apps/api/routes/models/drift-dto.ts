import { ApiProperty } from '@nestjs/swagger';
import { PSI_BAND_NAMES, MIN_COMPARED } from '#domain/drift/index.js';
import { QueryInteger } from '../../edge/validation/index.js';
import { MAX_VERSION } from './dto.js';

export class DriftQuery {
  @QueryInteger({ min: 1, max: 52, default: 8 }, 'Number of weeks, up to the current one') weeks = 8;
  @QueryInteger({ min: 1, max: MAX_VERSION }, 'Default: the version in use') version?: number;
}

const INTEGER = { type: 'integer' } as const;
const NUMBER_OR_NULL = { type: Number, nullable: true } as const;

export class DriftIndex {
  @ApiProperty({ description: 'Population stability index' }) psi!: number;
  @ApiProperty({ enum: PSI_BAND_NAMES, description: 'Below 0.1, below 0.25, and from there on' })
  band!: string;
}

const index = (description: string): PropertyDecorator =>
  ApiProperty({
    type: DriftIndex,
    nullable: true,
    description: `${description}. null: fewer than ${MIN_COMPARED} on either side`,
  });

export class DriftIndicesRecord {
  @index('Shares of the labels that were found') labels!: DriftIndex | null;
  @index('Of the least certain answer of a call; null against the training, whose rows have none')
  confidence!: DriftIndex | null;
  @index('Of the texts') length!: DriftIndex | null;
  @index('Share of words that the training has not seen') unseen_words!: DriftIndex | null;
}

class DriftAgainst {
  @ApiProperty({ type: DriftIndicesRecord, nullable: true, description: 'The rows that the version learned' })
  training!: DriftIndicesRecord | null;
  @ApiProperty({ type: DriftIndicesRecord, nullable: true, description: 'null if it has no calls' })
  previous_week!: DriftIndicesRecord | null;
}

class DriftLabel {
  @ApiProperty() label!: string;
  @ApiProperty({ description: 'Of the labels that were found' }) share!: number;
  @ApiProperty() training_share!: number;
}

export class DriftWeekRecord {
  @ApiProperty({ description: 'ISO 8601, UTC', example: '2030-W01' }) week!: string;
  @ApiProperty({ format: 'date', description: 'Monday of the week' }) begins!: string;
  @ApiProperty(INTEGER) calls!: number;
  @ApiProperty({ ...INTEGER, description: 'A call may have several' }) texts!: number;
  @ApiProperty({ type: [DriftLabel], description: 'Of the training, the most frequent first, at most 50' })
  labels!: DriftLabel[];
  @ApiProperty({ description: 'Of texts in which nothing was found, among the labels' }) no_label_share!: number;
  @ApiProperty({ description: 'Of labels that the training does not have' }) other_labels_share!: number;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Share, about; null without a training or words' })
  unseen_words!: number | null;
  @ApiProperty({ type: DriftAgainst }) against!: DriftAgainst;
}

class DriftTraining {
  @ApiProperty({ ...INTEGER, description: 'With a text' }) rows!: number;
  @ApiProperty({ description: 'Share of the words of a new row that would be unseen, were it like the others' })
  unseen_words!: number;
}

export class ModelDrift {
  @ApiProperty() model!: string;
  @ApiProperty(INTEGER) version!: number;
  @ApiProperty({ type: String, nullable: true }) training_job_id!: string | null;
  @ApiProperty({ type: DriftTraining, nullable: true }) training!: DriftTraining | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why there is no training to compare with' })
  training_unavailable!: string | null;
  @ApiProperty({ type: [DriftWeekRecord], description: 'Those with calls, newest first' }) weeks!: DriftWeekRecord[];
}
