import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { GLINER2_TASKS } from './decode.js';

/** These classes describe the requests of the GLiNER2 API client; `decode.ts` checks them, by hand. */

export class Gliner2Body {
  @ApiPropertyOptional({ enum: GLINER2_TASKS, default: 'schema' })
  task?: string;

  @ApiProperty({
    description: 'One text, or a batch of at most 1,000.',
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 1000 }],
    example: 'Maria Rossi flew to Lisbon on 3 May.',
  })
  text!: string | string[];

  @ApiProperty({
    description:
      'By task: labels (`extract_entities`), `{categories}` (`classify_text`), a map from structure to fields (`extract_json`), ' +
      'or heads as in `/inference`, with `entity_dtype`, `entity_threshold`, `relation_threshold` and, in a classification, `cls_threshold`.',
    oneOf: [
      { type: 'array', items: {}, minItems: 1 },
      { type: 'object', additionalProperties: true },
    ],
    example: { entities: ['person', 'city', 'date'] },
  })
  schema!: unknown;

  @ApiPropertyOptional({ minimum: 0, maximum: 1, default: 0.5 })
  threshold?: number;

  @ApiPropertyOptional({ default: false })
  include_confidence?: boolean;

  @ApiPropertyOptional({ default: false })
  include_spans?: boolean;

  @ApiPropertyOptional({ default: true, description: '`false`: as the model has it before it is formatted.' })
  format_results?: boolean;

  @ApiPropertyOptional({ default: true, description: '`false`: nothing of the content is kept.' })
  store?: boolean;
}

export class Gliner2Response {
  @ApiProperty({
    oneOf: [
      { type: 'object', additionalProperties: true },
      { type: 'array', items: { type: 'object', additionalProperties: true } },
    ],
    description: 'By head; a list when `text` was one. Offsets are Unicode code points, end exclusive.',
    example: { entities: { person: ['Maria Rossi'], city: ['Lisbon'], date: ['3 May'] } },
  })
  result!: unknown;

  @ApiProperty({ type: 'integer', description: 'Input tokens.' })
  token_usage!: number;
}
