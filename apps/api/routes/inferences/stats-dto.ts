import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { VERDICTS } from '#domain/feedback/index.js';
import { GROUPS } from '#use-cases/inferences/queries/stats.js';
import { QueryText } from '../../edge/validation/index.js';
import { InferenceFilters } from './filters-dto.js';

export class InferenceStatsQuery extends InferenceFilters {
  @QueryText(`One or two of ${GROUPS.join(', ')}, separated by a comma. Default: all calls form one group.`)
  group_by?: string;
}

class LatencyPercentiles {
  @ApiProperty({ type: Number, nullable: true }) p50!: number | null;
  @ApiProperty({ type: Number, nullable: true }) p95!: number | null;
  @ApiProperty({ type: Number, nullable: true }) p99!: number | null;
}

/** A count of each verdict, in the place of the first. */
const VerdictCount: PropertyDecorator = (target) => {
  for (const verdict of VERDICTS) ApiProperty({ type: 'integer' })(target, verdict);
};

class VerdictCounts {
  @VerdictCount correct!: number;
  @ApiProperty({ type: 'integer', description: 'Calls without feedback.' }) none!: number;
}

class ConfusedLabels {
  @ApiProperty({ type: String, nullable: true, description: 'null if the answer missed it.' })
  answered!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'null if it should not have been answered.' })
  corrected!: string | null;
  @ApiProperty({ type: 'integer' }) count!: number;
}

export class InferenceGroup {
  @ApiPropertyOptional({ type: String, nullable: true, description: 'Id or name of the model.' }) model?: string | null;
  @ApiPropertyOptional({ type: String, nullable: true, description: 'Version of a named model, else training job.' })
  version?: string | null;
  @ApiPropertyOptional({ type: String, nullable: true, description: 'null for answers without labels.' })
  label?: string | null;
  @ApiPropertyOptional({ type: String, nullable: true }) project?: string | null;
  @ApiPropertyOptional({ description: 'UTC: `2030-01-02`.' }) day?: string;
  @ApiPropertyOptional({ description: 'UTC: `2030-01-02T03`.' }) hour?: string;
  @ApiPropertyOptional({ enum: [...VERDICTS, 'none'] }) verdict?: string;
  @ApiProperty({ type: 'integer' }) count!: number;
  @ApiProperty({ type: 'integer', description: 'Calls with status `failed`.' }) failed!: number;
  @ApiProperty({ type: VerdictCounts }) verdicts!: VerdictCounts;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Share of correct verdicts among correct and incorrect ones.',
  })
  accuracy!: number | null;
  @ApiProperty({ type: LatencyPercentiles, description: 'Accurate to one percent.' }) latency_ms!: LatencyPercentiles;
  @ApiProperty({ description: 'USD' }) cost!: number;
  @ApiProperty({ type: [ConfusedLabels], description: 'From corrections, the most frequent first, at most 100.' })
  confusion!: readonly ConfusedLabels[];
}

export class InferenceStats {
  @ApiProperty({ type: [String] }) group_by!: readonly string[];
  @ApiProperty({ type: [InferenceGroup] }) groups!: readonly InferenceGroup[];
}
