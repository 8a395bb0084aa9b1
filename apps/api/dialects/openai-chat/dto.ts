import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EFFORTS } from '#hosted-models/port.js';
import { ANY_JSON } from '../../openapi/any-json.js';
import { MOST_METADATA } from './decode.js';
import { MOST_TOKENS, MOST_TOP_LOGPROBS } from './decode-sampling.js';
import { MESSAGES } from './message-schemas.js';
import { optionalBoolean, optionalInteger, optionalWord, SamplingBody } from './sampling-dto.js';
import { FUNCTION_CALL, FUNCTIONS, RESPONSE_FORMAT, TOOL_CHOICE, TOOLS } from './tool-schemas.js';

const FOR_OPENAI = 'For providers of this style, as it is; refused of all others.';
const [ANY_OBJECT, ...OTHERS] = ANY_JSON.oneOf;
const onlyOpenAi = () =>
  ApiPropertyOptional({ oneOf: [{ ...ANY_OBJECT!, nullable: true }, ...OTHERS], description: FOR_OPENAI });

/** These classes describe the route in OpenAPI; `decode.ts` checks requests, by hand. */

export class ChatCompletionBody extends SamplingBody {
  @ApiProperty({ minLength: 1, description: 'A model of `GET /v1/models`, or a training job.' })
  model!: string;

  @ApiProperty({
    ...(MESSAGES as object),
    description: 'Of an encoder, the text of the last user message is read.',
    example: [{ role: 'user', content: 'Say hello.' }],
  })
  messages!: object[];

  @optionalInteger(1, MOST_TOKENS, 'The newer name of `max_tokens`: one of the two.')
  max_completion_tokens?: number | null;

  @optionalBoolean('Log probabilities of the chosen tokens.')
  logprobs?: boolean | null;

  @optionalInteger(0, MOST_TOP_LOGPROBS, 'Of so many others at each place; with `logprobs`.')
  top_logprobs?: number | null;

  @ApiPropertyOptional(TOOLS as object)
  tools?: object[] | null;

  @ApiPropertyOptional(TOOL_CHOICE)
  tool_choice?: unknown;

  @optionalBoolean()
  parallel_tool_calls?: boolean | null;

  @ApiPropertyOptional({ ...(FUNCTIONS as object), deprecated: true, description: 'Older than `tools`.' })
  functions?: object[] | null;

  @ApiPropertyOptional({ ...(FUNCTION_CALL as object), deprecated: true, description: 'Older than `tool_choice`.' })
  function_call?: unknown;

  @ApiPropertyOptional(RESPONSE_FORMAT)
  response_format?: object | null;

  @ApiPropertyOptional({ type: String, enum: [...EFFORTS, null], nullable: true })
  reasoning_effort?: string | null;

  @optionalWord('The newer name of `user`.')
  safety_identifier?: string | null;

  @ApiPropertyOptional({
    type: 'object',
    nullable: true,
    maxProperties: MOST_METADATA,
    additionalProperties: { type: 'string' },
    description: 'Kept with the call in the history, and sent to nobody.',
  })
  metadata?: object | null;

  @onlyOpenAi()
  audio?: unknown;

  @onlyOpenAi()
  modalities?: unknown;

  @onlyOpenAi()
  moderation?: unknown;

  @onlyOpenAi()
  prediction?: unknown;

  @onlyOpenAi()
  prompt_cache_key?: unknown;

  @onlyOpenAi()
  prompt_cache_options?: unknown;

  @onlyOpenAi()
  prompt_cache_retention?: unknown;

  @onlyOpenAi()
  service_tier?: unknown;

  @onlyOpenAi()
  verbosity?: unknown;

  @onlyOpenAi()
  web_search_options?: unknown;
}
