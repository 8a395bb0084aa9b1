import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EFFORTS } from '#calls/hosted/port.js';
import { ANY_JSON } from '../../edge/validation/any-json.js';
import { MODEL } from '../shared/extensions-dto.js';
import { MESSAGES, type ChatMessage } from './message-schemas.js';
import { MAX_TOKENS, optionalBoolean, optionalInteger, optionalWord, SamplingBody } from './sampling-dto.js';
import {
  FUNCTION_CALL,
  FUNCTIONS,
  RESPONSE_FORMAT,
  TOOL_CHOICE,
  TOOLS,
  type ChatFormat,
  type ChatFunction,
  type ChatTool,
  type ChatToolChoice,
} from './tool-schemas.js';

const MAX_TOP_LOGPROBS = 20;
const MAX_EFFORT = 64;

const FOR_OPENAI = 'For providers of this style, passed on unchanged; refused for all others.';
const [ANY_OBJECT, ...OTHERS] = ANY_JSON.oneOf;
const onlyOpenAi = () =>
  ApiPropertyOptional({ oneOf: [{ ...ANY_OBJECT!, nullable: true }, ...OTHERS], description: FOR_OPENAI });

export class ChatCompletionBody extends SamplingBody {
  @ApiProperty({ ...MODEL, description: 'A model of `GET /v1/models`, or a training job.' }) model!: string;

  @ApiProperty({
    ...(MESSAGES as object),
    description: 'An encoder reads the text of the last user message.',
    example: [{ role: 'user', content: 'Say hello.' }],
  })
  messages!: ChatMessage[];

  @optionalInteger(1, MAX_TOKENS, 'Newer name of `max_tokens`; of both, the lower limit counts.')
  max_completion_tokens?: number | null;

  @optionalBoolean('Log probabilities of the chosen tokens.') logprobs?: boolean | null;

  @optionalInteger(0, MAX_TOP_LOGPROBS, 'Number of likeliest other tokens at each place; with `logprobs`.')
  top_logprobs?: number | null;

  @ApiPropertyOptional(TOOLS as object) tools?: ChatTool[] | null;
  @ApiPropertyOptional(TOOL_CHOICE) tool_choice?: ChatToolChoice | null;
  @optionalBoolean() parallel_tool_calls?: boolean | null;

  @ApiPropertyOptional({ ...(FUNCTIONS as object), deprecated: true, description: 'Predecessor of `tools`.' })
  functions?: ChatFunction[] | null;

  @ApiPropertyOptional({ ...(FUNCTION_CALL as object), deprecated: true, description: 'Predecessor of `tool_choice`.' })
  function_call?: 'none' | 'auto' | { name: string } | null;

  @ApiPropertyOptional(RESPONSE_FORMAT) response_format?: ChatFormat | null;

  @ApiPropertyOptional({
    oneOf: [
      { type: 'string', minLength: 1, maxLength: MAX_EFFORT, nullable: true },
      { type: 'integer', minimum: 0, maximum: MAX_TOKENS },
      { type: 'boolean' },
    ],
    description: `One of ${EFFORTS.join(', ')}. Other values are the provider's own: for providers of this style, dropped for all others.`,
  })
  reasoning_effort?: string | number | boolean | null;

  @ApiPropertyOptional({
    description:
      'Reasoning settings in the form of other vendors: `{"type": "enabled" | "adaptive" | "disabled", "budget_tokens": 2048}`.',
  })
  thinking?: unknown;

  @optionalWord('Newer name of `user`.') safety_identifier?: string | null;

  @ApiPropertyOptional({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description: 'Stored with the call in the history; never sent to a provider.',
  })
  metadata?: object | null;

  @onlyOpenAi() audio?: unknown;
  @onlyOpenAi() modalities?: unknown;
  @onlyOpenAi() moderation?: unknown;
  @onlyOpenAi() prediction?: unknown;
  @onlyOpenAi() prompt_cache_key?: unknown;
  @onlyOpenAi() prompt_cache_options?: unknown;
  @onlyOpenAi() prompt_cache_retention?: unknown;
  @onlyOpenAi() service_tier?: unknown;
  @onlyOpenAi() verbosity?: unknown;
  @onlyOpenAi() web_search_options?: unknown;
}
