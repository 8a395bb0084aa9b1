import type { JsonObject } from '#domain/json.js';
import { hintsOf, type Dropped } from '../dropped.js';
import { sentTools } from '../foreign-tools.js';
import { outputLimit } from '../../output-limit.js';
import { notCarried, type GenerationRequest, type Message, type FunctionTool } from '../port.js';
import { conversation, systemBlocks } from './messages.js';
import { inputSchema } from './input-schema.js';
import { enforceable, isRecursive } from './output-schema.js';
import { affordable, thinkingOf, thinks, thinkingWithin } from './thinking.js';
import { acceptedBody } from './verbatim.js';

/**
 * A request as the body of `POST /messages` (https://platform.claude.com/docs/en/api/messages/create). A request in the
 * same style is sent unchanged, except the model, whether it is streamed, and what other models left in its conversation.
 * @param dropped collects the hints that this style cannot carry
 * @throws HostedModelError of kind `rejected`, naming other fields that it cannot carry
 */
export function messagesBody(model: string, request: GenerationRequest, stream: boolean, dropped: Dropped): JsonObject {
  const { verbatim } = request;
  const maxTokens = outputLimit(request);
  if (verbatim?.style === 'anthropic') {
    const body = acceptedBody(verbatim.body, dropped);
    return { max_tokens: maxTokens, ...body, model, ...((stream || body['stream'] !== undefined) && { stream }) };
  }
  // Chat completions have no `top_k`: theirs is an unknown field.
  const { top_k: topK = request.topK, ...shared } = sharedBody(model, request, dropped);
  const asked = { ...request, topK } as GenerationRequest;
  return {
    ...shared,
    max_tokens: maxTokens,
    ...(thinks(shared['thinking']) ? samplingOfThinking(asked, dropped) : samplingOf(asked, dropped)),
    ...stopOf(request, dropped),
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
  return verbatim?.style === 'anthropic'
    ? { ...acceptedBody(verbatim.body, dropped), model }
    : sharedBody(model, request, dropped);
}

function sharedBody(model: string, request: GenerationRequest, dropped: Dropped): JsonObject {
  dropped.dropForeign(request, 'anthropic');
  refuseUncarried(request);
  dropHints(request, dropped);
  const { messages, unknownFields } = request;
  const tools = sentTools(request, dropped);
  const system = messages.filter(({ role }) => role === 'system');
  const said = systemBlocks(system, dropped);
  const turns = conversation(
    messages.filter((message): message is Message => message.role !== 'system'),
    dropped,
  );
  const output = outputConfig(request, dropped);
  const choice = tools.length > 0 || isForced(request) ? toolChoice(request) : null;
  return {
    ...unknownFields,
    model,
    ...(said.length > 0 && { system: said }),
    messages: turns,
    ...(tools.length > 0 && { tools: tools.map((tool) => toolOf(tool, dropped)) }),
    ...(choice !== null && { tool_choice: choice }),
    ...(isForced(request)
      ? unthinking(request, dropped)
      : thinkingWithin(turns, affordable(thinkingOf(request.thinking), outputLimit(request), dropped), dropped)),
    ...(output !== null && { output_config: output }),
  };
}

/** Names fields as the callers' dialects do. Fields without effect are not refused. */
function refuseUncarried(request: GenerationRequest): void {
  const { choices = 1, candidates = 1, logitBias = {} } = request;
  const uncarried: readonly (readonly [isAsked: boolean, name: string])[] = [
    [request.prompts !== undefined, 'prompt'],
    [choices > 1, 'n'],
    [candidates > 1, 'best_of'],
    [request.logprobs !== undefined, 'logprobs'],
    [Object.keys(logitBias).length > 0, 'logit_bias'],
  ];
  const names = uncarried.flatMap(([isAsked, name]) => (isAsked ? [name] : []));
  if (names.length > 0) throw notCarried(names.join(', '));
}

/** JSON without a schema must be requested in the messages too, by the providers' own rule. */
function dropHints(request: GenerationRequest, dropped: Dropped): void {
  for (const name of hintsOf(request)) dropped.drop(name);
  const { frequencyPenalty = 0, presencePenalty = 0 } = request;
  if (frequencyPenalty !== 0) dropped.drop('frequency_penalty');
  if (presencePenalty !== 0) dropped.drop('presence_penalty');
  if (request.responseFormat?.type === 'json_object') dropped.drop('response_format');
}

/** Newer models take either a temperature or `top_p`. Their temperatures end at 1; callers may send up to 2. */
function samplingOf({ temperature: asked, topP, topK }: GenerationRequest, dropped: Dropped): JsonObject {
  const temperature = asked && Math.min(asked, 1);
  if (temperature !== asked) dropped.drop('temperature');
  const isBoth = temperature !== undefined && topP !== undefined;
  const byTopP = isBoth && temperature === 1;
  if (isBoth && !byTopP && topP !== 1) dropped.drop('top_p');
  return {
    ...(temperature !== undefined && !byTopP && { temperature }),
    ...(topP !== undefined && (!isBoth || byTopP) && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
  };
}

/** A model that thinks takes its own temperature, and of the other kinds of sampling the widest `top_p`. */
function samplingOfThinking({ temperature, topP, topK }: GenerationRequest, dropped: Dropped): JsonObject {
  const isWide = topP !== undefined && topP >= LEAST_TOP_P_OF_THINKING;
  if (temperature !== undefined && temperature !== 1) dropped.drop('temperature');
  if (topP !== undefined && !isWide) dropped.drop('top_p');
  if (topK !== undefined) dropped.drop('top_k');
  return isWide ? { top_p: topP } : {};
}

const LEAST_TOP_P_OF_THINKING = 0.95;

/** This style has no stop sequences of white space alone. */
function stopOf({ stop = [] }: GenerationRequest, dropped: Dropped): JsonObject {
  const visible = stop.filter((sequence) => sequence.trim() !== '');
  if (visible.length < stop.length) dropped.drop('stop');
  return visible.length > 0 ? { stop_sequences: visible } : {};
}

function toolOf(tool: FunctionTool, dropped: Dropped): JsonObject {
  const { name, description, parameters, strict: asked, cacheControl } = tool;
  const schema = inputSchema(parameters ?? {}, dropped);
  // A schema that contains itself cannot be enforced in this style, and the tool works without.
  const strict = asked && !isRecursive(schema);
  if (asked && !strict) dropped.drop('tools.strict');
  return {
    name,
    ...(description !== undefined && { description }),
    // A tool without parameters has an empty object there.
    input_schema: strict ? enforceable(schema, dropped) : schema,
    ...(strict && { strict }),
    ...(cacheControl !== undefined && { cache_control: cacheControl }),
  };
}

const isForced = ({ toolChoice: choice }: GenerationRequest): boolean =>
  choice !== undefined && choice !== 'auto' && choice !== 'none';

/** A tool that must be called leaves no room for thoughts in this style. */
function unthinking(request: GenerationRequest, dropped: Dropped): JsonObject {
  const thinking = thinkingOf(request.thinking);
  if (thinking === undefined) return {};
  if (!thinks(thinking)) return { thinking };
  dropped.drop('thinking');
  return {};
}

/** null: same as absent. */
function toolChoice({ toolChoice: choice, parallelToolCalls }: GenerationRequest): JsonObject | null {
  if (choice === 'none') return { type: 'none' };
  const one = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined) return parallelToolCalls === false ? { type: 'auto', ...one } : null;
  if (choice === 'auto') return { type: 'auto', ...one };
  if (choice === 'required') return { type: 'any', ...one };
  return { type: 'tool', name: choice.name, ...one };
}

/** A schema's name, description and strictness are dropped: this style always enforces it. */
function outputConfig({ thinking, responseFormat }: GenerationRequest, dropped: Dropped): JsonObject | null {
  const effort = thinking?.effort === 'none' ? undefined : thinking?.effort;
  const format = responseFormat?.type === 'json_schema' ? responseFormat : undefined;
  if (effort === undefined && format === undefined) return null;
  return {
    // The least effort of this style.
    ...(effort !== undefined && { effort: effort === 'minimal' ? 'low' : effort }),
    ...(format !== undefined && { format: { type: 'json_schema', schema: enforceable(format.schema, dropped) } }),
  };
}
