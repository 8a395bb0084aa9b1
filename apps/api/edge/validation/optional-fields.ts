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

export const optionalFlag = (more: object = {}) => ApiPropertyOptional({ type: Boolean, nullable: true, ...more });
