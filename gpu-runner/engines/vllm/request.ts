import type { JsonObject } from '#domain/json.js';
import { chatMessage, type GenerationRequest } from '#calls/hosted/port.js';
import type { GenerateRequest } from '../decoder-engine.js';

/** Between messages for a base without a chat template, as they were learned (`anneal_runner/chat.py`). */
const PLAIN_SEPARATOR = '\n\n';

/**
 * A request in the OpenAI style. Every sampling field is set, because a server takes absent ones from the model's own
 * `generation_config.json`. Greedy if no sampling is requested.
 * @param isLimited false: as many tokens as the context window has room for
 */
export function serverRequest(
  { input, maxTokens, format, ...request }: GenerateRequest,
  { hasChatTemplate, isLimited = true }: { readonly hasChatTemplate: boolean; readonly isLimited?: boolean },
): GenerationRequest {
  const { seed, stop, logprobs, tools, toolChoice } = request;
  const samples = request.topP !== undefined || request.topK !== undefined;
  const limit = isLimited ? maxTokens : null;
  return {
    ...inputOf(input, hasChatTemplate),
    ...(limit !== null && { maxTokens: limit }),
    temperature: request.temperature ?? (samples ? 1 : 0),
    topP: request.topP ?? 1,
    // -1: all, in every version.
    topK: request.topK ?? -1,
    frequencyPenalty: request.frequencyPenalty ?? 0,
    presencePenalty: request.presencePenalty ?? 0,
    ...(seed !== undefined && { seed }),
    ...(stop && stop.length > 0 && { stop }),
    ...(logprobs && { logprobs }),
    ...(tools && tools.length > 0 && { tools, toolChoice: toolChoice ?? 'auto' }),
    unknownFields: {
      ...{ repetition_penalty: 1, min_p: 0 },
      // An absent limit is 16 tokens on /completions.
      ...(limit === null && { max_tokens: null }),
      ...(format && { response_format: formatOf(format) }),
    },
  };
}

function inputOf(
  input: GenerateRequest['input'],
  hasChatTemplate: boolean,
): Pick<GenerationRequest, 'messages' | 'prompts'> {
  if ('prompt' in input) return { messages: [], prompts: [input.prompt] };
  if (hasChatTemplate) return { messages: input.messages.map((message) => chatMessage(message)) };
  const texts = input.messages.map(({ content }) => content);
  return { messages: [], prompts: [[...texts, ''].join(PLAIN_SEPARATOR)] };
}

/** Not `responseFormat`, which the style has on chats only: vLLM accepts it on both routes. */
const formatOf = (format: NonNullable<GenerateRequest['format']>): JsonObject =>
  format.type === 'json_object'
    ? { type: 'json_object' }
    : { type: 'json_schema', json_schema: { name: 'answer', schema: format.schema, strict: true } };
