import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';

/** These classes describe what a request of `/v1/responses` is made of; `read-input.ts` and its neighbours check it, by hand. */

const MOST = 10_000;
const CACHE_CONTROL = {
  type: 'object',
  additionalProperties: true,
  nullable: true,
  description: 'A cache marker, passed on as it is to models that take such markers.',
} as const;

const refTo = (one: new () => unknown) => ({ $ref: getSchemaPath(one) });
/** With exactly one of some fields. */
const withOneOf = (one: new () => unknown, ...fields: string[]) => ({
  allOf: [refTo(one), { oneOf: fields.map((field) => ({ required: [field] })) }],
});

class CachedPart {
  @ApiPropertyOptional(CACHE_CONTROL)
  cache_control?: object | null;
}

export class ResponsesTextPart extends CachedPart {
  @ApiProperty({ enum: ['input_text', 'output_text'] })
  type!: string;

  @ApiProperty()
  text!: string;
}

export class ResponsesRefusalPart extends CachedPart {
  @ApiProperty({ enum: ['refusal'] })
  type!: string;

  @ApiProperty()
  refusal!: string;
}

const FILE_ID = { minLength: 1, description: "A file that the model's own provider holds." };

export class ResponsesImagePart extends CachedPart {
  @ApiProperty({ enum: ['input_image'] })
  type!: string;

  @ApiPropertyOptional({
    pattern: '^(?:https?://|data:[^;,]+(?:;[^;,]+)*;base64,)',
    description: 'An address, or a data URL. Either this or `file_id`.',
  })
  image_url?: string;

  @ApiPropertyOptional(FILE_ID)
  file_id?: string;

  @ApiPropertyOptional({ enum: ['auto', 'low', 'high', 'original'] })
  detail?: string;
}

export class ResponsesFilePart extends CachedPart {
  @ApiProperty({ enum: ['input_file'] })
  type!: string;

  @ApiPropertyOptional({
    pattern: '^data:[^;,]+(?:;[^;,]+)*;base64,',
    description: 'A data URL. One of this, `file_url` and `file_id`.',
  })
  file_data?: string;

  @ApiPropertyOptional({ pattern: '^(?:https?://|data:[^;,]+(?:;[^;,]+)*;base64,)' })
  file_url?: string;

  @ApiPropertyOptional(FILE_ID)
  file_id?: string;

  @ApiPropertyOptional({ minLength: 1 })
  filename?: string;
}

export class ResponsesAudio {
  @ApiProperty({ minLength: 1, description: 'base64' })
  data!: string;

  @ApiProperty({ enum: ['mp3', 'wav'] })
  format!: string;
}

export class ResponsesAudioPart extends CachedPart {
  @ApiProperty({ enum: ['input_audio'] })
  type!: string;

  @ApiProperty()
  input_audio!: ResponsesAudio;
}

const CONTENT = {
  oneOf: [
    { type: 'string' },
    {
      type: 'array',
      maxItems: MOST,
      items: {
        anyOf: [
          refTo(ResponsesTextPart),
          refTo(ResponsesRefusalPart),
          withOneOf(ResponsesImagePart, 'image_url', 'file_id'),
          withOneOf(ResponsesFilePart, 'file_data', 'file_url', 'file_id'),
          refTo(ResponsesAudioPart),
        ],
      },
    },
  ],
};

@ApiExtraModels(ResponsesTextPart, ResponsesRefusalPart, ResponsesImagePart, ResponsesFilePart, ResponsesAudioPart)
export class ResponsesMessage {
  @ApiPropertyOptional({ enum: ['message'] })
  type?: string;

  @ApiProperty({ enum: ['user', 'assistant', 'system', 'developer'] })
  role!: string;

  @ApiProperty(CONTENT)
  content!: unknown;
}

export class ResponsesFunctionCall extends CachedPart {
  @ApiProperty({ enum: ['function_call'] })
  type!: string;

  @ApiProperty({ minLength: 1 })
  call_id!: string;

  @ApiProperty({ minLength: 1 })
  name!: string;

  @ApiProperty({ description: 'JSON, as the model wrote it.' })
  arguments!: string;
}

export class ResponsesFunctionCallOutput extends CachedPart {
  @ApiProperty({ enum: ['function_call_output'] })
  type!: string;

  @ApiProperty({ minLength: 1, description: 'Of a `function_call` before it, here or in the turns before.' })
  call_id!: string;

  @ApiProperty(CONTENT)
  output!: unknown;
}

export class ResponsesThought {
  @ApiPropertyOptional({ enum: ['summary_text', 'reasoning_text'] })
  type?: string;

  @ApiProperty()
  text!: string;
}

/** As it came in an earlier answer. */
export class ResponsesReasoning {
  @ApiProperty({ enum: ['reasoning'] })
  type!: string;

  @ApiPropertyOptional({ type: [ResponsesThought], maxItems: MOST })
  summary?: ResponsesThought[];

  @ApiPropertyOptional({ type: [ResponsesThought], maxItems: MOST })
  content?: ResponsesThought[];

  @ApiPropertyOptional({ type: String, minLength: 1, nullable: true, description: 'The proof that it is its own.' })
  encrypted_content?: string | null;
}

/** An item of an earlier answer, by its id. */
export class ResponsesItemReference {
  @ApiPropertyOptional({ enum: ['item_reference'] })
  type?: string;

  @ApiProperty({ minLength: 1 })
  id!: string;
}

export const INPUT_ITEMS = [
  ResponsesMessage,
  ResponsesFunctionCall,
  ResponsesFunctionCallOutput,
  ResponsesReasoning,
  ResponsesItemReference,
] as const;

export class ResponsesFunctionTool extends CachedPart {
  @ApiProperty({ enum: ['function'] })
  type!: string;

  @ApiProperty({ minLength: 1 })
  name!: string;

  @ApiPropertyOptional({ type: String, nullable: true })
  description?: string | null;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, nullable: true, description: 'JSON schema.' })
  parameters?: object | null;

  @ApiPropertyOptional({ type: Boolean, nullable: true })
  strict?: boolean | null;
}

/** One that no model here has: it is refused by name. */
export class ResponsesOtherTool {
  @ApiProperty({ pattern: '^(?!function$)[^]' })
  type!: string;
}

export class ResponsesFunctionChoice {
  @ApiProperty({ enum: ['function'] })
  type!: string;

  @ApiProperty({ minLength: 1, description: 'Of one of `tools`.' })
  name!: string;
}

export class ResponsesAllowedTools {
  @ApiProperty({ enum: ['allowed_tools'] })
  type!: string;

  @ApiProperty({ enum: ['auto', 'required'] })
  mode!: string;

  @ApiProperty({ type: [ResponsesFunctionChoice], maxItems: 1000 })
  tools!: ResponsesFunctionChoice[];
}
