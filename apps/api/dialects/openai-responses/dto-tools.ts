import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import type { JsonObject } from '#domain/json.js';
import { CachedPart } from './dto-cached.js';

/** Classes for the tools of `/v1/responses`. */

const MAX_TOOLS = 1000;
const refTo = (one: new () => unknown) => ({ $ref: getSchemaPath(one) });

export class ResponsesFunctionTool extends CachedPart {
  @ApiProperty({ enum: ['function'] }) type!: 'function';
  @ApiProperty({ minLength: 1 }) name!: string;
  @ApiPropertyOptional({ type: String, nullable: true }) description?: string | null;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, nullable: true, description: 'JSON schema.' })
  parameters?: JsonObject | null;

  @ApiPropertyOptional({ type: Boolean, nullable: true }) strict?: boolean | null;
}

class ResponsesToolFormat {
  @ApiProperty({ enum: ['text', 'grammar'] }) type!: string;
  @ApiPropertyOptional({ type: String, description: 'Syntax of a grammar.' }) syntax?: string;
  @ApiPropertyOptional({
    type: String,
    description: 'Definition of a grammar; passed on to the model, but not enforced.',
  })
  definition?: string;
}

/** A tool whose input is a text. */
export class ResponsesCustomTool extends CachedPart {
  @ApiProperty({ enum: ['custom'] }) type!: 'custom';
  @ApiProperty({ minLength: 1 }) name!: string;
  @ApiPropertyOptional({ type: String, nullable: true }) description?: string | null;
  @ApiPropertyOptional({ type: () => ResponsesToolFormat, nullable: true }) format?: ResponsesToolFormat | null;
}

/** A tool that no model here supports: dropped beside others, refused if it is alone. */
class ResponsesOtherTool {
  @ApiProperty({ minLength: 1, not: { enum: ['function', 'custom', 'namespace'] } }) type!: string;
}

const NAMESPACED = [ResponsesFunctionTool, ResponsesCustomTool, ResponsesOtherTool] as const;

/** Tools in a namespace, whose name is part of their calls. */
@ApiExtraModels(...NAMESPACED)
export class ResponsesNamespaceTool {
  @ApiProperty({ enum: ['namespace'] }) type!: 'namespace';
  @ApiProperty({ minLength: 1 }) name!: string;
  @ApiPropertyOptional({ type: String, nullable: true }) description?: string | null;

  @ApiProperty({
    ...{ type: 'array', maxItems: MAX_TOOLS, 'x-item': 'tool' },
    items: { anyOf: NAMESPACED.map(refTo) },
  })
  tools!: (ResponsesFunctionTool | ResponsesCustomTool | ResponsesOtherTool)[];
}

export const TOOL_CLASSES = [...NAMESPACED, ResponsesNamespaceTool] as const;
export const TOOLS = {
  type: 'array',
  items: { anyOf: TOOL_CLASSES.map(refTo) },
  maxItems: MAX_TOOLS,
  'x-item': 'tool',
} as const;

export type ResponsesTool = ResponsesFunctionTool | ResponsesCustomTool | ResponsesNamespaceTool | ResponsesOtherTool;

export class ResponsesFunctionChoice {
  @ApiProperty({ enum: ['function', 'custom'] }) type!: 'function' | 'custom';
  @ApiProperty({ minLength: 1, description: 'Name of one of `tools`.' }) name!: string;
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    minLength: 1,
    description: 'Needed if several tools have this name.',
  })
  namespace?: string | null;
}

export class ResponsesAllowedTools {
  @ApiProperty({ enum: ['allowed_tools'] }) type!: 'allowed_tools';
  @ApiProperty({ enum: ['auto', 'required'] }) mode!: 'auto' | 'required';
  @ApiProperty({ type: [ResponsesFunctionChoice], maxItems: MAX_TOOLS }) tools!: ResponsesFunctionChoice[];
}
