import { createHash } from 'node:crypto';
import type { JsonObject } from '#domain/json.js';
import { isLargeJson } from '#primitives/turns/json.js';
import { refuseSteering } from '../passed-on.js';
import { without } from '../changed.js';
import type { Dropped } from '../dropped.js';
import { sentTools } from '../foreign-tools.js';
import { notCarried, type GenerationRequest } from '../port.js';
import type { Provider } from '../providers.js';
import type { HostedCall } from '../asked.js';
import { upstreamBody, type UpstreamBody } from '../upstream.js';
import { withoutCacheMarkers } from './cache-markers.js';
import { chatMessages } from './messages.js';
import { acceptedBody, isForced, withoutGatewayFields } from './verbatim.js';
import { chatTool, effortOf, formatOf, toolChoiceOf } from './options.js';

/** The path of a request, and its body as JSON. */
interface Posted {
  readonly path: '/chat/completions' | '/completions';
  readonly body: UpstreamBody | Promise<UpstreamBody>;
}

/**
 * A request as the body of `POST /chat/completions` (https://platform.openai.com/docs/api-reference/chat/create), or of
 * `POST /completions` (https://platform.openai.com/docs/api-reference/completions/create) if texts are to be continued.
 * Hints that this style cannot carry are dropped.
 * @throws HostedModelError of kind `rejected`, naming other fields that it cannot carry
 */
export function requestFor(
  provider: Provider,
  model: string,
  request: GenerationRequest,
  { stream, dropped }: Pick<HostedCall, 'stream' | 'dropped'>,
): Posted {
  const isText = request.prompts !== undefined;
  const style = isText ? 'openai-completions' : 'openai';
  dropped.dropForeign(request, style);
  const { verbatim } = request;
  const fields =
    verbatim?.style === style
      ? unchanged(
          isText ? verbatim.body : acceptedBody(withoutGatewayFields(verbatim.body, provider, dropped)),
          request.maxTokens,
          isText ? ['max_tokens'] : [provider.maxTokensField, ...LIMITS],
        )
      : isText
        ? completionFields(request)
        : chatFields(request, provider, dropped);
  // Not a field of that route; a provider that accepts it generates, and bills, more answers than the reservation
  // covers.
  if (!isText && (fields['best_of'] ?? 1) !== 1) throw notCarried('best_of');
  refuseSteering(fields, provider.allowed);
  const { stream: _said, stream_options: _options, ...rest } = fields;
  // Left out unless streaming, so that a caller's own body stays unchanged.
  const streaming = stream
    ? { stream, stream_options: { ...optionsOf(fields, dropped), include_usage: true } }
    : fields['stream'] !== undefined && { stream };
  return {
    path: isText ? '/completions' : '/chat/completions',
    body: encoded({ ...rest, model, ...streaming }, provider),
  };
}

/** The names of the output limit in chat completions. */
const LIMITS = ['max_tokens', 'max_completion_tokens'] as const;

/** A caller's own body with one limit on its output: under the route's first name for it if it has none, or two. */
function unchanged(body: JsonObject, maxTokens: number | undefined, names: readonly string[]): JsonObject {
  const limits = new Set(names.filter((name) => typeof body[name] === 'number'));
  if (limits.size === 1 || maxTokens === undefined) return body;
  return { ...without(body, (name) => limits.has(name)), [names[0]!]: maxTokens };
}

/** Chunks are rewritten for the caller, so that a provider's padding would be paid for and never arrive. */
function optionsOf({ stream_options: options }: JsonObject, dropped: Dropped): JsonObject {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return {};
  const { include_obfuscation: isPadded, ...others } = options as JsonObject;
  if (isPadded !== true) return options as JsonObject;
  dropped.drop('stream_options.include_obfuscation');
  return others;
}

function encoded(body: JsonObject, { cacheControl }: Provider): UpstreamBody | Promise<UpstreamBody> {
  if (cacheControl === 'forward') return upstreamBody(body);
  if (isLargeJson(body)) return upstreamBody(withoutCacheMarkers(body));
  const text = JSON.stringify(body);
  return text.includes('"cache_control"') ? JSON.stringify(withoutCacheMarkers(body)) : text;
}

function chatFields(request: GenerationRequest, provider: Provider, dropped: Dropped): JsonObject {
  const { maxTokens, logprobs, responseFormat, toolChoice, parallelToolCalls, thinking } = request;
  const effort = thinking && effortOf(thinking, dropped);
  const tools = sentTools(request, dropped);
  if (request.candidates !== undefined) throw notCarried('best_of');
  return {
    ...request.unknownFields,
    messages: chatMessages(request.messages, provider.cacheControl, dropped),
    ...sampling(request),
    ...(maxTokens !== undefined && { [provider.maxTokensField]: maxTokens }),
    ...(logprobs !== undefined && { logprobs: true, ...(logprobs.top > 0 && { top_logprobs: logprobs.top }) }),
    ...(responseFormat !== undefined && { response_format: formatOf(responseFormat) }),
    // An empty list is left out, because some servers refuse it.
    ...(tools.length > 0 && { tools: tools.map(chatTool) }),
    // OpenAI refuses both without tools, where they mean nothing.
    ...(toolChoice !== undefined &&
      (tools.length > 0 || isForced(toolChoice)) && { tool_choice: toolChoiceOf(toolChoice) }),
    ...(parallelToolCalls !== undefined && tools.length > 0 && { parallel_tool_calls: parallelToolCalls }),
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(request.verbosity !== undefined && { verbosity: request.verbosity }),
    ...(request.promptCacheKey !== undefined && { prompt_cache_key: request.promptCacheKey }),
    ...(request.promptCacheRetention !== undefined && { prompt_cache_retention: request.promptCacheRetention }),
    ...(request.serviceTier !== undefined && { service_tier: request.serviceTier }),
  };
}

function completionFields(request: GenerationRequest): JsonObject {
  const { prompts, maxTokens, candidates, logprobs } = request;
  if (request.messages.length > 0) throw notCarried('messages beside texts to be continued');
  for (const field of ['responseFormat', 'tools', 'toolChoice', 'parallelToolCalls', 'thinking'] as const)
    if (request[field] !== undefined) throw notCarried(`${NAMES[field]} beside texts to be continued`);
  return {
    ...request.unknownFields,
    prompt: prompts!.length === 1 ? prompts![0] : prompts,
    ...sampling(request),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(candidates !== undefined && { best_of: candidates }),
    ...(logprobs !== undefined && { logprobs: logprobs.top }),
  };
}

const NAMES = {
  ...{ responseFormat: 'a response format', tools: 'tools', toolChoice: 'a tool choice' },
  ...{ parallelToolCalls: 'parallel tool calls', thinking: 'thinking' },
};

/** Ids of users may have 64 characters; a longer one is as good an id by its hash. */
const shortId = (id: string): string => (id.length <= MAX_USER_ID ? id : createHash('sha256').update(id).digest('hex'));
const MAX_USER_ID = 64;

/** Sampling fields of both routes. OpenAI refuses `top_k` by name; most other servers of this style accept it. */
function sampling(request: GenerationRequest): JsonObject {
  const { temperature, topP, topK, stop, seed, choices, frequencyPenalty, presencePenalty, logitBias, endUser } =
    request;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...(stop !== undefined && { stop }),
    ...(seed !== undefined && { seed }),
    ...(choices !== undefined && { n: choices }),
    ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    ...(logitBias !== undefined && { logit_bias: logitBias }),
    ...(endUser !== undefined && { user: shortId(endUser) }),
  };
}
