import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsNotEmpty, IsOptional, IsString, Max, Min } from 'class-validator';

export class ReadEventsQuery {
  @ApiProperty({ example: 'job-0199a7c2-5b1e-7c11-9d0e-3a4f5b6c7d8e', description: 'The stream: `<category>-<id>`.' })
  @IsString()
  @IsNotEmpty()
  stream!: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, default: 0, description: 'First revision to read.' })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  from: number = 0;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 1000, default: 100 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1000)
  limit: number = 100;
}

export class EventRecord {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'training-job-requested.v1' }) type!: string;
  @ApiProperty() stream!: string;
  @ApiProperty({ type: 'integer' }) revision!: number;
  @ApiProperty({ description: 'Place in the whole log; string order is log order.' }) position!: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) data!: unknown;
  @ApiProperty({ example: 'user:0f2c', description: 'Who caused it.' }) actor!: string;
  @ApiProperty() correlation_id!: string;
  @ApiProperty() causation_id!: string;
  @ApiProperty({ format: 'date-time' }) occurred_at!: string;
}

export class EventPage {
  @ApiProperty({ type: [EventRecord] }) events!: EventRecord[];
  @ApiProperty({ type: Number, nullable: true, description: '`from` of the next page, null at the end.' })
  next_from!: number | null;
}
