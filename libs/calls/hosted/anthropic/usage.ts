import type { TokenUsage } from '../port.js';

/**
 * Usage as the provider counted it; null unless it gives both input and output. Input tokens exclude the cached ones.
 */
export function countedUsage(usage: Readonly<Record<string, unknown>>): TokenUsage | null {
  const { input_tokens: input, output_tokens: output, output_tokens_details: details } = usage;
  // Missing counts do not make the call free.
  if (!Number.isFinite(input) || !Number.isFinite(output)) return null;
  const thinking = (details as { readonly thinking_tokens?: unknown } | null | undefined)?.thinking_tokens;
  return {
    inputTokens: count(input),
    outputTokens: count(output),
    cacheReadTokens: count(usage['cache_read_input_tokens']),
    cacheWriteTokens: count(usage['cache_creation_input_tokens']),
    ...(typeof thinking === 'number' && { thinkingTokens: count(thinking) }),
  };
}

/** Billing relies on it: whatever a provider sends, it is a whole number, 0 or more. */
const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(0, Math.round(value)), 1e9) : 0;
