import { urlCitations, type Produced, type ProducedChoice, type ProducedPart } from '#calls/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { FinishReason } from '#calls/hosted/port.js';
import type { BegunAnswer } from '../shared/compatible-calls.js';
import { customInput } from '../shared/custom-tools.js';
import { mergedDeltas } from './deltas.js';
import { usageOf } from './usage.js';

/** How a caller names tools: `tools`, or the older `functions`. */
export interface Speech {
  readonly hasFunctions: boolean;
  /** Names of the tools that are called with a text. */
  readonly customTools: ReadonlySet<string>;
}

/** A whole chat completion (https://platform.openai.com/docs/api-reference/chat/object). */
export function chatCompletion({ run, inferenceId, modelId, notes }: BegunAnswer, speech: Speech): JsonObject {
  const { produced } = run;
  return {
    ...produced.details.openai,
    id: `chatcmpl-${run.inferenceId}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: modelId,
    choices: produced.choices.map((choice, index) => ({
      index,
      message: messageOf(choice, speech),
      logprobs: logprobsOf(choice),
      finish_reason: finishReason(choice.finish, speech),
    })),
    usage: usageOf(run.usage),
    x_pioneer: { inference_id: inferenceId, ...notes },
  };
}

/** The output shown in the history: the message, or those of all choices. */
export function recordedMessages({ choices }: Produced, speech: Speech): Json {
  return choices.length === 1 ? messageOf(choices[0]!, speech) : choices.map((choice) => messageOf(choice, speech));
}

function messageOf({ parts }: ProducedChoice, speech: Speech): JsonObject {
  const [text, thoughts, refusal] = [joined(parts, 'text'), joined(parts, 'thinking'), joined(parts, 'refusal')];
  const { tool_calls: _, ...foreign } = mergedDeltas(parts.flatMap(foreignPieces));
  const called = callFields(parts, speech);
  const thinkingBlocks = thinkingBlocksOf(parts);
  const isSilent = called !== undefined || refusal !== null || Object.keys(foreign).length > 0;
  return {
    ...foreign,
    role: 'assistant',
    content: text ?? (isSilent ? null : ''),
    refusal,
    ...(thoughts !== null && { reasoning_content: thoughts }),
    ...annotated(parts),
    ...(thinkingBlocks.length > 0 && { thinking_blocks: thinkingBlocks }),
    ...called,
  };
}

function joined(parts: readonly ProducedPart[], type: 'text' | 'thinking' | 'refusal'): string | null {
  let text: string | null = null;
  for (const part of parts) if (part.type === type) text = (text ?? '') + part.text;
  return text === '' && type !== 'text' ? null : text;
}

/** The sources of the texts; none: no field. */
export function annotated(parts: readonly ProducedPart[]): JsonObject {
  const citations: JsonObject[] = [];
  let start = 0;
  for (const part of parts)
    if (part.type === 'text') {
      citations.push(...urlCitations(part.text, part.additions, start));
      start += part.text.length;
    }
  if (citations.length === 0) return {};
  return { annotations: citations.map((citation) => ({ type: 'url_citation', url_citation: citation })) };
}

/** Calls of functions and of tools that only this style has, in their order. */
function callFields(parts: readonly ProducedPart[], { hasFunctions, customTools }: Speech): JsonObject | undefined {
  const calls = parts.flatMap((part): Json[] => {
    if (part.type === 'foreign') return foreignCalls(part);
    if (part.type !== 'tool-call') return [];
    if (customTools.has(part.name)) return [customCall(part.id, part.name, part.input)];
    const called = { name: part.name, arguments: part.input === '' ? NO_ARGUMENTS : part.input };
    return [hasFunctions ? called : { id: part.id, type: 'function', function: called }];
  });
  if (calls.length === 0) return undefined;
  return hasFunctions ? { function_call: calls[0] } : { tool_calls: calls };
}

export const customCall = (id: string, name: string, input: string): JsonObject => ({
  ...{ id, type: 'custom', custom: { name, input: customInput(input) } },
});

/** Removes `index`, which only chunks of a stream have. */
function foreignCalls(part: ProducedPart): Json[] {
  const { tool_calls: calls } = mergedDeltas(foreignPieces(part));
  if (!Array.isArray(calls)) return [];
  return calls.map((call: Json) => {
    const { index: _, ...rest } = call as JsonObject;
    return rest;
  });
}

/** Parts of an answer that only this style has, and additions to others, such as the sources of a text. */
function foreignPieces(part: ProducedPart): readonly JsonObject[] {
  const additions = (part.additions ?? []).flatMap(({ style, value }) => (style === 'openai' ? [value] : []));
  return part.type === 'foreign' && part.style === 'openai' ? [part.value, ...part.deltas, ...additions] : additions;
}

/** A model that gives none means an empty object, and callers parse it. */
export const NO_ARGUMENTS = '{}';

/**
 * Signed thinking, which can be sent back to the provider. OpenAI has no such field; this one is from other gateways
 * (https://docs.litellm.ai/docs/reasoning_content), and messages accept it.
 */
export function thinkingBlocksOf(parts: readonly ProducedPart[]): JsonObject[] {
  return parts.flatMap((part): JsonObject[] => {
    if (part.type !== 'thinking' || part.signature === null) return [];
    const { text: thinking, signature, redacted } = part;
    return redacted ? [{ type: 'redacted_thinking', data: signature }] : [{ type: 'thinking', thinking, signature }];
  });
}

function logprobsOf({ parts }: ProducedChoice): JsonObject | null {
  const of = (type: 'text' | 'refusal') => {
    const found = parts.flatMap((part) => (part.type === type ? part.logprobs : []));
    return found.length > 0 ? found : null;
  };
  const [content, refusal] = [of('text'), of('refusal')];
  return content || refusal ? { content, refusal } : null;
}

export function finishReason(reason: FinishReason | null, { hasFunctions }: Speech): string {
  switch (reason) {
    case 'tool_calls':
      return hasFunctions ? 'function_call' : reason;
    case 'length':
    case 'content_filter':
      return reason;
    case 'refusal':
      return 'content_filter';
    default:
      return 'stop';
  }
}
