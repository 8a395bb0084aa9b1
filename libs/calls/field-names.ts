import { InvalidError } from '#domain/errors.js';
import type { EncoderRequest } from './encoder-request.js';
import type { EmbedderRequest } from './embeddings.js';
import type { GenerationRequest } from './hosted/port.js';

/** The names of a request's fields in a dialect's body. */
export type FieldNames = Readonly<
  Partial<Record<keyof GenerationRequest | keyof EncoderRequest | keyof EmbedderRequest, string>>
>;

/** The names in chat completions. Other dialects give those that differ (`CompatibleRequest.names`). */
const USUAL_NAMES: FieldNames = {
  maxTokens: 'max_tokens',
  choices: 'n',
  candidates: 'best_of',
  topK: 'top_k',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  logprobs: 'logprobs',
  logitBias: 'logit_bias',
  responseFormat: 'response_format',
  toolChoice: 'tool_choice',
  parallelToolCalls: 'parallel_tool_calls',
  serviceTier: 'service_tier',
  thinking: 'reasoning_effort',
  prompts: 'prompt',
};

/** The error of a call, which names the fields of the dialect's body if it named those of the request. */
export function namingFields(names: FieldNames, error: unknown): unknown {
  if (!(error instanceof InvalidError)) return error;
  const all: Readonly<Record<string, string>> = { ...USUAL_NAMES, ...names };
  return new InvalidError(
    error.fields.map(({ path: [field, ...rest], ...fault }) => ({
      // Fields that are passed on verbatim are the body's own.
      path:
        field === 'body'
          ? [field, ...rest]
          : ['body', ...(field === 'verbatim' ? [] : [all[field!] ?? field!]), ...rest],
      ...fault,
    })),
  );
}
