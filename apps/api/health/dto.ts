import { ApiProperty } from '@nestjs/swagger';

export class HealthStatus {
  @ApiProperty({ enum: ['ok', 'unavailable'] }) status!: string;
}

export class Readiness extends HealthStatus {
  @ApiProperty({ required: false, description: 'Whether the log takes writes; reads go on without.' }) writes?: boolean;
}

const PARTS = {
  type: 'object',
  additionalProperties: { type: 'object', properties: { status: { type: 'string' } }, additionalProperties: true },
} as const;

export class HealthExplained {
  @ApiProperty({ enum: ['ok', 'error'] }) status!: string;
  @ApiProperty({ ...PARTS, description: 'The parts that work, by name.' }) info!: object;
  @ApiProperty({ ...PARTS, description: 'The parts that do not.' }) error!: object;
  @ApiProperty({ ...PARTS, description: 'All of them.' }) details!: object;
}
