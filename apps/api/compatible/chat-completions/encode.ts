import type { Produced, ProducedChoice } from '#application/calls/index.js';
import { textOf } from '#application/calls/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { FinishReason, TokenUsage } from '#hosted-models/port.js';
import type { CompatibleRun } from '../core/compatible-calls.js';

/** A whole chat completion (https://platform.openai.com/docs/api-reference/chat/object). */
export function chatCompletion({ run, inferenceId, modelId }: CompatibleRun): JsonObject {
  return {
    id: `chatcmpl-${run.inferenceId}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: modelId,
    choices: run.produced.choices.map((choice, index) => ({
      index,
      message: messageOf(choice),
      logprobs: null,
      finish_reason: finishReason(choice.finish),
    })),
    usage: usageOf(run.usage),
    x_pioneer: { inference_id: inferenceId },
  };
}

/** What the history shows: the message, or those of all choices. */
export function recordedMessages({ choices }: Produced): Json {
  return choices.length === 1 ? messageOf(choices[0]!) : choices.map(messageOf);
}

function messageOf(choice: ProducedChoice): JsonObject {
  return { role: 'assistant', content: textOf(choice), refusal: null };
}

export function finishReason(reason: FinishReason | null): string {
  switch (reason) {
    case 'length':
    case 'tool_calls':
    case 'content_filter':
      return reason;
    case 'refusal':
      return 'content_filter';
    default:
      return 'stop';
  }
}

export function usageOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, thinkingTokens }: TokenUsage) {
  const prompt = inputTokens + cacheReadTokens + cacheWriteTokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: outputTokens,
    total_tokens: prompt + outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens },
    ...(thinkingTokens !== undefined && { completion_tokens_details: { reasoning_tokens: thinkingTokens } }),
  };
}
