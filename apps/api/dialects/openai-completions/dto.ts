import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CompletionHead, CompletionUsage, USAGE_OF_CHUNK } from '../openai-chat/answer-dto.js';
import { MAX_CHOICES, optionalBoolean, optionalInteger, SamplingBody } from '../openai-chat/sampling-dto.js';
import { MODEL } from '../shared/extensions-dto.js';

const MAX_PROMPTS = 2_048;
const MAX_LOGPROBS = 20;
const PROMPT = { type: 'string', 'x-expected': 'a text (token ids are not taken)' } as const;

export class TextCompletionBody extends SamplingBody {
  @ApiProperty({
    ...MODEL,
    description: 'A decoder from `GET /v1/models`, including those that follow no instructions.',
  })
  model!: string;

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'array', items: PROMPT, minItems: 1, maxItems: MAX_PROMPTS }],
    description: 'One text, or several that are each continued separately. Token ids are refused.',
    example: 'Once upon a time',
  })
  prompt!: string | string[];

  @optionalInteger(
    0,
    MAX_LOGPROBS,
    'Log probabilities of the chosen tokens, and of this number of others at each place.',
  )
  logprobs?: number | null;

  @optionalInteger(1, MAX_CHOICES, 'Number of candidates, of which the best `n` are returned; at least `n`.')
  best_of?: number | null;

  @optionalBoolean('Repeats the prompt before its continuation.') echo?: boolean | null;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'Text that follows the completion.' })
  suffix?: string | null;
}

const columns = (items: object) => ({ type: 'array', items }) as const;

class TextLogprobs {
  @ApiProperty(columns({ type: 'string' })) tokens!: string[];

  @ApiProperty({ ...columns({ type: 'number', nullable: true }), description: 'null for the first echoed token.' })
  token_logprobs!: (number | null)[];

  @ApiPropertyOptional(columns({ type: 'object', additionalProperties: { type: 'number' } })) top_logprobs?: object[];
  @ApiProperty({ ...columns({ type: 'integer' }), description: 'Offsets in characters of the text.' })
  text_offset!: number[];
}

class TextCompletionChoice {
  @ApiProperty() text!: string;
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Numbered by prompt, `n` for each, in the order of the prompts.',
  })
  index!: number;
  @ApiProperty({ type: TextLogprobs, nullable: true }) logprobs!: TextLogprobs | null;

  @ApiProperty({ type: String, enum: ['stop', 'length', 'content_filter', null], nullable: true })
  finish_reason!: string | null;
}

/** Also each chunk of a stream, with the next piece of text. */
export class TextCompletion extends CompletionHead {
  @ApiProperty({ enum: ['text_completion'] }) object!: string;
  @ApiProperty({ type: [TextCompletionChoice] }) choices!: TextCompletionChoice[];

  @ApiPropertyOptional({ ...USAGE_OF_CHUNK, description: 'In a stream: in the last chunk, with `include_usage`.' })
  usage?: CompletionUsage | null;
}
