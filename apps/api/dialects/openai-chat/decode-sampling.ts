import type { GenerationRequest } from '#hosted-models/port.js';
import { readStop } from '../native/decode-messages.js';
import { isPresent, type DialectReader } from '../shared/dialect-reader.js';
import type { FieldNames } from '#calls/field-names.js';

type Body = Readonly<Record<string, unknown>>;

export const MOST_TOKENS = 10_000_000;
export const MOST_CHOICES = 128;
export const MOST_TOP_LOGPROBS = 20;
export const MOST_BIASES = 10_000;

/** How chat completions and text completions alike are to generate. */
export function readSampling(reader: DialectReader, body: Body): Omit<GenerationRequest, 'messages'> {
  const number = (name: string, bounds: readonly [number, number]) => reader.number(body[name], [name], bounds);
  const temperature = number('temperature', [0, 2]);
  const topP = number('top_p', [0, 1]);
  const frequencyPenalty = number('frequency_penalty', [-2, 2]);
  const presencePenalty = number('presence_penalty', [-2, 2]);
  const stop = readStop(reader, body['stop']);
  const seed = reader.integer(body['seed'], ['seed'], [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);
  const choices = reader.integer(body['n'], ['n'], [1, MOST_CHOICES]);
  const logitBias = readLogitBias(reader, body['logit_bias']);
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(stop !== undefined && { stop }),
    ...(seed !== undefined && { seed }),
    ...(choices !== undefined && choices !== 1 && { choices }),
    ...(logitBias !== undefined && { logitBias }),
  };
}

/** `max_completion_tokens` is the newer name. Both at once are refused, as OpenAI does. */
export function readMaxTokens(
  reader: DialectReader,
  body: Body,
): Pick<GenerationRequest, 'maxTokens'> & { names?: FieldNames } {
  const older = reader.integer(body['max_tokens'], ['max_tokens'], [1, MOST_TOKENS]);
  const newer = reader.integer(body['max_completion_tokens'], ['max_completion_tokens'], [1, MOST_TOKENS]);
  if (newer === undefined) return older === undefined ? {} : { maxTokens: older };
  if (older !== undefined)
    reader.refuse(['max_tokens'], 'must not be given beside max_completion_tokens, its newer name', 'not_allowed');
  return { maxTokens: newer, names: { maxTokens: 'max_completion_tokens' } };
}

/** `logprobs: true`, and `top_logprobs` beside it. */
export function readChatLogprobs(reader: DialectReader, body: Body): Pick<GenerationRequest, 'logprobs'> {
  const isAsked = reader.boolean(body['logprobs'], ['logprobs'], false);
  const top = reader.integer(body['top_logprobs'], ['top_logprobs'], [0, MOST_TOP_LOGPROBS]);
  if (!isAsked && top !== undefined && top > 0)
    reader.refuse(['top_logprobs'], 'must not be given without logprobs: true', 'not_allowed');
  return isAsked ? { logprobs: { top: top ?? 0 } } : {};
}

function readLogitBias(reader: DialectReader, value: unknown): Readonly<Record<string, number>> | undefined {
  if (!isPresent(value)) return undefined;
  const biases = Object.entries(reader.record(value, ['logit_bias'], 'a map from token id to a number'));
  if (biases.length > MOST_BIASES)
    reader.refuse(['logit_bias'], `must hold at most ${MOST_BIASES} tokens, not ${biases.length}`, 'out_of_range');
  if (biases.length === 0) return undefined;
  return Object.fromEntries(
    biases.slice(0, MOST_BIASES).map(([token, bias]) => {
      if (bias === null) reader.refuse(['logit_bias', token], 'must be a number, not null', 'wrong_type');
      return [token, reader.number(bias, ['logit_bias', token], [-100, 100]) ?? 0];
    }),
  );
}
