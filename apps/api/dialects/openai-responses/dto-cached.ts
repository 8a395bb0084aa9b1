import { ApiPropertyOptional } from '@nestjs/swagger';
import type { JsonObject } from '#domain/json.js';

const CACHE_CONTROL = {
  type: 'object',
  additionalProperties: true,
  nullable: true,
  description: 'A cache marker, passed on unchanged to models that support it.',
} as const;

export class CachedPart {
  @ApiPropertyOptional(CACHE_CONTROL) cache_control?: JsonObject | null;
}
