import { ApiPropertyOptional } from '@nestjs/swagger';

// Fields of bodies that may be absent or null.

export const optionalText = (description?: string) =>
  ApiPropertyOptional({
    type: String,
    minLength: 1,
    nullable: true,
    ...(description !== undefined && { description }),
  });

export const optionalShare = (more: object = {}) =>
  ApiPropertyOptional({ type: Number, minimum: 0, maximum: 1, nullable: true, ...more });

/** Confidence from which an answer is returned. */
export const THRESHOLD = {
  description:
    "Default: each trained head's own (`confidence` in the job's `metrics.heads`), else 0.5. A single class is answered whatever its confidence.",
} as const;

export const optionalFlag = (more: object = {}) => ApiPropertyOptional({ type: Boolean, nullable: true, ...more });
