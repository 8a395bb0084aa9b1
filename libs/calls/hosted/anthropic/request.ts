import type { JsonObject } from '#domain/json.js';
import { hintsOf, type Dropped } from '../dropped.js';
import { sentTools } from '../foreign-tools.js';
import { notCarried, type GenerationRequest, type Message, type FunctionTool, type Thinking } from '../port.js';
import { conversation, systemBlocks } from './messages.js';

/** Every request of this style has a limit; this is it if neither the caller nor its credits set one. */
const DEFAULT_MAX_TOKENS = 4_096;

/**
 * A request as the body of `POST /messages` (https://platform.claude.com/docs/en/api/messages/create). A request in the
 * same style is sent unchanged, except the model and whether it is streamed.
 * @param dropped collects the hints that this style cannot carry
 * @throws HostedModelError of kind `rejected`, naming other fields that it cannot carry
 */
export function messagesBody(model: string, request: GenerationRequest, stream: boolean, dropped: Dropped): JsonObject {
  const { verbatim, maxTokens = DEFAULT_MAX_TOKENS } = request;
  if (verbatim?.style === 'anthropic') {
    const { body } = verbatim;
    return { max_tokens: maxTokens, ...body, model, ...((stream || body['stream'] !== undefined) && { stream }) };
  }
  return {
    ...sharedBody(model, request, dropped),
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
export function countTokensBody(model: string, request: GenerationRequest, dropped: Dropped): JsonObject {
  const { verbatim } = request;
  return verbatim?.style === 'anthropic' ? { ...verbatim.body, model } : sharedBody(model, request, dropped);
}

function sharedBody(model: string, request: GenerationRequest, dropped: Dropped): JsonObject {
  dropped.dropForeign(request, 'anthropic');
  refuseUncarried(request);
  dropHints(request, dropped);
  const { messages, unknownFields } = request;
  const tools = sentTools(request, dropped);
  const system = messages.filter(({ role }) => role === 'system');
  const turns = conversation(
    messages.filter((message): message is Message => message.role !== 'system'),
    dropped,
  );
  const thinking = thinkingFor(turns, request, dropped);
  const output = outputConfig(request);
  const choice = tools.length > 0 || isForced(request) ? toolChoice(request) : null;
  return {
    ...unknownFields,
    model,
    ...(system.length > 0 && { system: systemBlocks(system, dropped) }),
    messages: turns,
    ...(tools.length > 0 && { tools: tools.map(toolOf) }),
    ...(choice !== null && { tool_choice: choice }),
    ...thinking,
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
    [frequencyPenalty !== 0, 'frequency_penalty'],
    [presencePenalty !== 0, 'presence_penalty'],
    [Object.keys(logitBias).length > 0, 'logit_bias'],
    [(request.temperature ?? 0) > 1, 'a temperature above 1'],
  ];
  const names = uncarried.flatMap(([isAsked, name]) => (isAsked ? [name] : []));
  if (names.length > 0) throw notCarried(names.join(', '));
}

/** JSON without a schema must be requested in the messages too, by the providers' own rule. */
function dropHints(request: GenerationRequest, dropped: Dropped): void {
  for (const name of hintsOf(request)) dropped.drop(name);
  if (request.responseFormat?.type === 'json_object') dropped.drop('response_format');
}

const samplingOf = ({ temperature, topP, topK }: GenerationRequest): JsonObject => ({
  ...(temperature !== undefined && { temperature }),
  ...(topP !== undefined && { top_p: topP }),
  ...(topK !== undefined && { top_k: topK }),
});

function toolOf(tool: FunctionTool): JsonObject {
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

/** null: same as absent. */
function toolChoice({ toolChoice: choice, parallelToolCalls }: GenerationRequest): JsonObject | null {
  if (choice === 'none') return { type: 'none' };
  const one = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined) return parallelToolCalls === false ? { type: 'auto', ...one } : null;
  if (choice === 'auto') return { type: 'auto', ...one };
  if (choice === 'required') return { type: 'any', ...one };
  return { type: 'tool', name: choice.name, ...one };
}

/**
 * A turn that calls tools must begin with its thoughts if thinking has a budget, and those may have been dropped
 * (https://platform.claude.com/docs/en/build-with-claude/extended-thinking): this request is then made without
 * thinking.
 */
function thinkingFor(turns: readonly JsonObject[], { thinking }: GenerationRequest, dropped: Dropped): JsonObject {
  const asked = thinkingOf(thinking);
  if (thinking?.budgetTokens === undefined) return asked;
  const last = turns.findLast(({ role }) => role === 'assistant')?.['content'];
  const types = Array.isArray(last) ? last.map((block) => (block as JsonObject)['type']) : [];
  if (!types.includes('tool_use') || types.some((type) => type === 'thinking' || type === 'redacted_thinking'))
    return asked;
  dropped.drop('thinking');
  return {};
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
  const format = responseFormat?.type === 'json_schema' ? responseFormat : undefined;
  if (effort === undefined && format === undefined) return null;
  return {
    // The least effort of this style.
    ...(effort !== undefined && { effort: effort === 'minimal' ? 'low' : effort }),
    ...(format !== undefined && { format: { type: 'json_schema', schema: format.schema } }),
  };
}
