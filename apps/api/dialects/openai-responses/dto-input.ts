import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { FOREIGN_ITEM } from '#calls/hosted/fields/openai-responses.js';
import { CachedPart } from './dto-cached.js';
import { TOOL_CLASSES, TOOLS, type ResponsesTool } from './dto-tools.js';

/** Classes for the requests of `/v1/responses`. */

const MAX_ITEMS = 10_000;
const refTo = (one: new () => unknown) => ({ $ref: getSchemaPath(one) });
/** Requires exactly one of some fields. */
const withOneOf = (one: new () => unknown, ...fields: string[]) => ({
  allOf: [
    refTo(one),
    { oneOf: fields.map((field) => ({ properties: { [field]: { type: 'string' } }, required: [field] })) },
  ],
});

class ResponsesTextPart extends CachedPart {
  @ApiProperty({ enum: ['input_text', 'output_text'] }) type!: 'input_text' | 'output_text';
  @ApiProperty() text!: string;
}

class ResponsesRefusalPart extends CachedPart {
  @ApiProperty({ enum: ['refusal'] }) type!: 'refusal';
  @ApiProperty() refusal!: string;
}

const OPTIONAL = { type: String, nullable: true } as const;
const FILE_ID = { ...OPTIONAL, minLength: 1, description: "Id of a file stored at the model's provider." };
const ADDRESS = 'An address (`https://...`), or a data URL (`data:MEDIA/TYPE;base64,DATA`).';

class ResponsesImagePart extends CachedPart {
  @ApiProperty({ enum: ['input_image'] }) type!: 'input_image';

  @ApiPropertyOptional({ ...OPTIONAL, minLength: 1, description: `${ADDRESS} Either this or \`file_id\`.` })
  image_url?: string | null;

  @ApiPropertyOptional(FILE_ID) file_id?: string | null;
  @ApiPropertyOptional({ ...OPTIONAL, enum: ['auto', 'low', 'high', 'original', null] }) detail?: string | null;
}

class ResponsesFilePart extends CachedPart {
  @ApiProperty({ enum: ['input_file'] }) type!: 'input_file';

  @ApiPropertyOptional({
    ...{ ...OPTIONAL, minLength: 1 },
    description: 'A data URL (`data:MEDIA/TYPE;base64,DATA`). One of this, `file_url` and `file_id`.',
  })
  file_data?: string | null;

  @ApiPropertyOptional({ ...OPTIONAL, minLength: 1, description: ADDRESS }) file_url?: string | null;
  @ApiPropertyOptional(FILE_ID) file_id?: string | null;
  @ApiPropertyOptional({ ...OPTIONAL, minLength: 1 }) filename?: string | null;

  /** `auto`, or a value known to a provider of the same style. */
  readonly detail?: unknown;
}

class ResponsesAudio {
  @ApiProperty({ minLength: 1, description: 'base64' }) data!: string;
  @ApiProperty({ enum: ['mp3', 'wav'] }) format!: string;
}

class ResponsesAudioPart extends CachedPart {
  @ApiProperty({ enum: ['input_audio'] }) type!: 'input_audio';
  @ApiProperty() input_audio!: ResponsesAudio;
}

const CONTENT = {
  oneOf: [
    { type: 'string' },
    {
      type: 'array',
      maxItems: MAX_ITEMS,
      'x-item': 'part',
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

export type ResponsesPart =
  ResponsesTextPart | ResponsesRefusalPart | ResponsesImagePart | ResponsesFilePart | ResponsesAudioPart;
export type ResponsesContent = string | ResponsesPart[];

@ApiExtraModels(ResponsesTextPart, ResponsesRefusalPart, ResponsesImagePart, ResponsesFilePart, ResponsesAudioPart)
export class ResponsesMessage {
  @ApiPropertyOptional({ ...OPTIONAL, enum: ['message', null] }) type?: 'message' | null;

  @ApiProperty({ enum: ['user', 'assistant', 'system', 'developer'] })
  role!: 'user' | 'assistant' | 'system' | 'developer';

  @ApiPropertyOptional({
    oneOf: [...CONTENT.oneOf, { type: 'string', nullable: true, enum: [null] }],
    description: 'Only the assistant may say nothing.',
  })
  content?: ResponsesContent | null;
}

export class ResponsesFunctionCall extends CachedPart {
  @ApiProperty({ enum: ['function_call'] }) type!: 'function_call';
  @ApiProperty({ minLength: 1 }) call_id!: string;
  @ApiProperty({ minLength: 1 }) name!: string;
  @ApiPropertyOptional({ ...OPTIONAL, minLength: 1 }) namespace?: string | null;
  @ApiProperty({ description: 'JSON, as the model wrote it.' }) arguments!: string;
}

export class ResponsesCustomCall extends CachedPart {
  @ApiProperty({ enum: ['custom_tool_call'] }) type!: 'custom_tool_call';
  @ApiProperty({ minLength: 1 }) call_id!: string;
  @ApiProperty({ minLength: 1 }) name!: string;
  @ApiPropertyOptional({ ...OPTIONAL, minLength: 1 }) namespace?: string | null;
  @ApiProperty({ description: 'As the model wrote it.' }) input!: string;
}

export class ResponsesFunctionCallOutput extends CachedPart {
  @ApiProperty({ enum: ['function_call_output', 'custom_tool_call_output'] })
  type!: 'function_call_output' | 'custom_tool_call_output';

  @ApiProperty({ minLength: 1, description: '`call_id` of an earlier call, in this input or in a previous turn.' })
  call_id!: string;

  @ApiProperty(CONTENT) output!: ResponsesContent;
}

export class ResponsesThought {
  @ApiPropertyOptional({ ...OPTIONAL, enum: ['summary_text', 'reasoning_text', null] }) type?: string | null;
  @ApiProperty() text!: string;
}

/** A reasoning item of an earlier answer. */
export class ResponsesReasoning {
  @ApiProperty({ enum: ['reasoning'] }) type!: 'reasoning';

  @ApiPropertyOptional({ type: [ResponsesThought], maxItems: MAX_ITEMS, nullable: true })
  summary?: ResponsesThought[] | null;

  @ApiPropertyOptional({ type: [ResponsesThought], maxItems: MAX_ITEMS, nullable: true })
  content?: ResponsesThought[] | null;

  @ApiPropertyOptional({
    type: String,
    minLength: 1,
    nullable: true,
    description: "Signature that proves the reasoning is the model's own.",
  })
  encrypted_content?: string | null;
}

/** Tools in addition to those of the body. */
@ApiExtraModels(...TOOL_CLASSES)
export class ResponsesAdditionalTools {
  @ApiProperty({ enum: ['additional_tools'] }) type!: 'additional_tools';
  @ApiPropertyOptional({ ...OPTIONAL, enum: ['developer', null] }) role?: string | null;
  @ApiProperty(TOOLS) tools!: ResponsesTool[];
}

/** A summary of earlier turns, by `POST /v1/responses/compact`. */
export class ResponsesCompaction {
  @ApiProperty({ enum: ['compaction'] }) type!: 'compaction';
  @ApiProperty({ minLength: 1, description: 'As returned by this API.' }) encrypted_content!: string;
}

/** An item of an earlier answer, by its id. */
export class ResponsesItemReference {
  @ApiPropertyOptional({ ...OPTIONAL, enum: ['item_reference', null] }) type?: 'item_reference' | null;
  @ApiProperty({ minLength: 1 }) id!: string;
}

/** A call of a tool that its provider or client ran for another model, or the result. */
export class ResponsesForeignItem {
  @ApiProperty({
    pattern: FOREIGN_ITEM,
    description: '`web_search_call`, `mcp_call`, `shell_call_output`, and their like.',
  })
  type!: `mcp_${string}` | `tool_search_${string}` | 'web_search_call' | 'code_interpreter_call' | 'shell_call_output';
}

export const INPUT_ITEMS = [
  ResponsesMessage,
  ResponsesFunctionCall,
  ResponsesCustomCall,
  ResponsesFunctionCallOutput,
  ResponsesReasoning,
  ResponsesAdditionalTools,
  ResponsesCompaction,
  ResponsesForeignItem,
  ResponsesItemReference,
] as const;

export type ResponsesItem = InstanceType<(typeof INPUT_ITEMS)[number]>;
