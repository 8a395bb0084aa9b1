import type { TokenUsage } from '#calls/hosted/port.js';

/** Usage in chat and text completions: prompt tokens include the cached ones. */
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
