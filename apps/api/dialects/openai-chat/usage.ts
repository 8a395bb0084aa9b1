import { allTokens } from '#domain/inference/index.js';
import type { TokenUsage } from '#calls/hosted/port.js';

/** Usage in chat and text completions: prompt tokens include the cached ones. */
export function usageOf(usage: TokenUsage) {
  const { cacheReadTokens, cacheWriteTokens, thinkingTokens } = usage;
  return {
    prompt_tokens: allTokens(usage, 'input'),
    completion_tokens: allTokens(usage, 'output'),
    total_tokens: allTokens(usage),
    prompt_tokens_details: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens },
    ...(thinkingTokens !== undefined && { completion_tokens_details: { reasoning_tokens: thinkingTokens } }),
  };
}
