import { ApiProperty } from '@nestjs/swagger';
import { HOLD_KINDS, RETENTION_KINDS } from '#domain/retention/index.js';
import { MAX_REASON } from '#use-cases/retention/commands.js';
import { BodyInteger, BodyOneOf, BodyText, QueryText } from '../../edge/validation/index.js';

const MAX_DAYS = 36_500;
const DAYS = { min: 1, max: MAX_DAYS, optional: true } as const;

export class RetentionBody {
  @BodyInteger({ ...DAYS, description: 'Days, not below the floor; null keeps them. Unchanged if absent.' })
  calls?: number | null;
  @BodyInteger({ ...DAYS, description: 'Days, not below the floor; null keeps them. Unchanged if absent.' })
  feedback?: number | null;
  @BodyInteger({ ...DAYS, description: 'Days after the end of a training job; null keeps them. Unchanged if absent.' })
  job_logs?: number | null;
  @BodyInteger({ ...DAYS, description: 'Days; null keeps them. Unchanged if absent.' })
  dataset_versions?: number | null;
  @BodyInteger({
    ...DAYS,
    description:
      'Days from the end of an evaluation to the erasure of its predictions; null keeps them. Unchanged if absent.',
  })
  evaluations?: number | null;
  @BodyInteger({
    ...DAYS,
    description:
      'Days from the end of a training job to its deletion with all its files, unless its model is in use; null keeps them. Unchanged if absent.',
  })
  training_jobs?: number | null;
}

class RetentionRule {
  @ApiProperty({
    enum: RETENTION_KINDS,
    description: '`calls`: with the feedback on them; `feedback`: what verdicts quote, which stay.',
  })
  kind!: string;
  @ApiProperty({ type: 'integer', nullable: true, description: 'As it was set; null: not set.' }) days!: number | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Within the bounds; null: kept for ever.' })
  days_in_force!: number | null;
}

export class RetentionRecord {
  @ApiProperty({
    type: 'integer',
    description: 'The operator’s minimum: calls and their feedback are kept for at least this many days.',
  })
  floor_days!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The operator’s maximum: nothing is kept longer; null: none.',
  })
  ceiling_days!: number | null;
  @ApiProperty({ type: [RetentionRule] }) rules!: readonly RetentionRule[];
}

export class HoldBody {
  @BodyOneOf(HOLD_KINDS, {
    description: 'What the hold covers. `model`: calls that named it; `job`: its log; `datasets`: all of them.',
  })
  kind!: (typeof HOLD_KINDS)[number];
  @BodyText({
    max: 200,
    optional: true,
    description: 'The id of a `call`, `model`, `job` or `evaluation`; the name of a `dataset`.',
  })
  id?: string | null;
  @BodyInteger({ min: 1, max: 1_000_000, optional: true, description: 'For `dataset`: one version. Default: all.' })
  version?: number | null;
  @BodyText({ max: MAX_REASON, description: 'The reason; shown to the workspace and stored on the log.' })
  reason!: string;
}

export class ReleaseQuery {
  @QueryText(`Required. The reason for the release, at most ${MAX_REASON} characters.`) reason?: string;
}

export class HoldRecord {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ enum: HOLD_KINDS }) kind!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'What it covers: a call, a model, a job, a dataset or an evaluation.',
  })
  covers_id!: string | null;
  @ApiProperty({ type: 'integer', nullable: true }) version!: number | null;
  @ApiProperty() reason!: string;
  @ApiProperty({ format: 'date-time' }) placed_at!: string;
}

export class HoldList {
  @ApiProperty({ type: [HoldRecord], description: 'Open ones, the oldest first.' }) holds!: readonly HoldRecord[];
}

export class HoldReleased {
  @ApiProperty() success!: boolean;
  @ApiProperty() message!: string;
}
