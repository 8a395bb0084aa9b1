import { ApiProperty } from '@nestjs/swagger';

export class HealthStatus {
  @ApiProperty({ enum: ['ok', 'unavailable'] }) status!: string;
}

export class Readiness extends HealthStatus {
  @ApiProperty({ required: false, description: 'Whether the log accepts writes; reads do not depend on it.' })
  writes?: boolean;
}

const PARTS = {
  type: 'object',
  additionalProperties: { type: 'object', properties: { status: { type: 'string' } }, additionalProperties: true },
} as const;

export class HealthExplained {
  @ApiProperty({ enum: ['ok', 'damaged', 'error'] }) status!: string;
  @ApiProperty({ ...PARTS, description: 'Working components, by name.' }) info!: object;
  @ApiProperty({ ...PARTS, description: 'Failing components, by name.' }) error!: object;
  @ApiProperty({ ...PARTS, description: 'All components, by name.' }) details!: object;
}
