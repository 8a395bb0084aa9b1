import type { JsonObject } from '#domain/json.js';
import {
  notCarried,
  refuseForeignFields,
  type GenerationRequest,
  type Message,
  type Thinking,
  type Tool,
} from '../port.js';
import { conversation, systemBlocks } from './messages.js';

/** Every request of this style names a limit; this is it where neither the caller nor its credits do. */
const DEFAULT_MAX_TOKENS = 4_096;

/**
 * A request as the body of `POST /messages` (https://platform.claude.com/docs/en/api/messages/create). One of this very style
 * goes as its caller sent it, but for the model and whether it is streamed.
 * @throws HostedModelError of kind `rejected`, naming what this style does not carry
 */
export function messagesBody(model: string, request: GenerationRequest, stream: boolean): JsonObject {
  const { verbatim, maxTokens = DEFAULT_MAX_TOKENS } = request;
  if (verbatim?.style === 'anthropic') {
    const { body } = verbatim;
    return { max_tokens: maxTokens, ...body, model, ...((stream || body['stream'] !== undefined) && { stream }) };
  }
  return {
    ...sharedBody(model, request),
    max_tokens: maxTokens,
    ...samplingOf(request),
    ...(request.stop !== undefined && { stop_sequences: [...request.stop] }),
    ...(request.endUser !== undefined && { metadata: { user_id: request.endUser } }),
    stream,
  };
}

/**
 * The same for `POST /messages/count_tokens`, which takes only the fields that the model reads.
 * @throws HostedModelError as above
 */
export function countTokensBody(model: string, request: GenerationRequest): JsonObject {
  const { verbatim } = request;
  return verbatim?.style === 'anthropic' ? { ...verbatim.body, model } : sharedBody(model, request);
}

function sharedBody(model: string, request: GenerationRequest): JsonObject {
  refuseForeignFields(request, 'anthropic');
  refuseUncarried(request);
  const { messages, tools = [], thinking, unknownFields } = request;
  const system = messages.filter(({ role }) => role === 'system');
  const output = outputConfig(request);
  const choice = tools.length > 0 || isForced(request) ? toolChoice(request) : null;
  return {
    ...unknownFields,
    model,
    ...(system.length > 0 && { system: systemBlocks(system) }),
    messages: conversation(messages.filter((message): message is Message => message.role !== 'system')),
    ...(tools.length > 0 && { tools: tools.map(toolOf) }),
    ...(choice !== null && { tool_choice: choice }),
    ...thinkingOf(thinking),
    ...(output !== null && { output_config: output }),
  };
}

/** Names fields as the callers' dialects do. Fields without effect are not refused. */
function refuseUncarried(request: GenerationRequest): void {
  const { choices = 1, candidates = 1, frequencyPenalty = 0, presencePenalty = 0, logitBias = {} } = request;
  const uncarried: readonly (readonly [isAsked: boolean, name: string])[] = [
    [request.prompts !== undefined, 'prompt'],
    [choices > 1, 'n'],
    [candidates > 1, 'best_of'],
    [request.logprobs !== undefined, 'logprobs'],
    [request.seed !== undefined, 'seed'],
    [frequencyPenalty !== 0, 'frequency_penalty'],
    [presencePenalty !== 0, 'presence_penalty'],
    [Object.keys(logitBias).length > 0, 'logit_bias'],
    [(request.verbosity ?? 'medium') !== 'medium', 'verbosity'],
    [request.promptCacheKey !== undefined, 'prompt_cache_key'],
    [request.promptCacheRetention !== undefined, 'prompt_cache_retention'],
    [!['auto', 'default'].includes(request.serviceTier ?? 'auto'), 'service_tier'],
    [request.responseFormat?.type === 'json_object', 'response_format json_object'],
    [(request.temperature ?? 0) > 1, 'a temperature above 1'],
  ];
  const names = uncarried.flatMap(([isAsked, name]) => (isAsked ? [name] : []));
  if (names.length > 0) throw notCarried(names.join(', '));
}

const samplingOf = ({ temperature, topP, topK }: GenerationRequest): JsonObject => ({
  ...(temperature !== undefined && { temperature }),
  ...(topP !== undefined && { top_p: topP }),
  ...(topK !== undefined && { top_k: topK }),
});

function toolOf(tool: Tool): JsonObject {
  if ('foreign' in tool) throw notCarried(`the tool type ${tool.name}`);
  const { name, description, parameters, strict, cacheControl } = tool;
  return {
    name,
    ...(description !== undefined && { description }),
    // A tool without parameters has an empty object there.
    input_schema: { type: 'object', ...parameters },
    ...(strict && { strict }),
    ...(cacheControl !== undefined && { cache_control: cacheControl }),
  };
}

const isForced = ({ toolChoice: choice }: GenerationRequest): boolean =>
  choice !== undefined && choice !== 'auto' && choice !== 'none';

/** null: as it is without. */
function toolChoice({ toolChoice: choice, parallelToolCalls }: GenerationRequest): JsonObject | null {
  if (choice === 'none') return { type: 'none' };
  const one = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined) return parallelToolCalls === false ? { type: 'auto', ...one } : null;
  if (choice === 'auto') return { type: 'auto', ...one };
  if (choice === 'required') return { type: 'any', ...one };
  return { type: 'tool', name: choice.name, ...one };
}

/** Thinking without a budget is as much as the model finds right. An effort alone leaves it to the model whether it thinks. */
function thinkingOf(thinking: Thinking = {}): JsonObject {
  const { mode, budgetTokens, effort } = thinking;
  if (mode === 'disabled' || effort === 'none') return { thinking: { type: 'disabled' } };
  if (budgetTokens !== undefined) return { thinking: { type: 'enabled', budget_tokens: budgetTokens } };
  return mode === undefined ? {} : { thinking: { type: 'adaptive' } };
}

/** A schema's name, description and strictness are dropped: this style always enforces it. */
function outputConfig({ thinking, responseFormat }: GenerationRequest): JsonObject | null {
  const effort = thinking?.effort === 'none' ? undefined : thinking?.effort;
  if (effort === 'minimal') throw notCarried('the effort minimal');
  const format = responseFormat?.type === 'json_schema' ? responseFormat : undefined;
  if (effort === undefined && format === undefined) return null;
  return {
    ...(effort !== undefined && { effort }),
    ...(format !== undefined && { format: { type: 'json_schema', schema: format.schema } }),
  };
}
