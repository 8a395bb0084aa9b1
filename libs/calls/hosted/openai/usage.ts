import type { TokenUsage } from '../port.js';

type Counts = Readonly<Record<string, unknown>>;

/**
 * Reads a `usage` of this style; null if input or output is missing, which does not make the call free. Prompt tokens
 * include the cached ones, completion tokens those of thinking.
 */
export function usageOf(usage: Counts): TokenUsage | null {
  const { prompt_tokens: prompt, completion_tokens: completion } = usage;
  if (!Number.isFinite(prompt) || !Number.isFinite(completion)) return null;
  const ofPrompt = objectOf(usage['prompt_tokens_details']);
  const input = count(prompt);
  const cacheReadTokens = Math.min(input, cachedOf(usage, ofPrompt));
  const written = ofPrompt['cache_write_tokens'] ?? usage['cache_creation_input_tokens'];
  const cacheWriteTokens = Math.min(input - cacheReadTokens, count(written));
  const thinking = objectOf(usage['completion_tokens_details'])['reasoning_tokens'];
  const outputTokens = outputOf(usage, input, count(thinking));
  return {
    ...{ inputTokens: input - cacheReadTokens - cacheWriteTokens, outputTokens, cacheReadTokens, cacheWriteTokens },
    ...(Number.isFinite(thinking) && { thinkingTokens: Math.min(outputTokens, count(thinking)) }),
  };
}

/** OpenAI's field, and those of DeepSeek, Moonshot and gateways to Claude-style models. */
const cachedOf = (usage: Counts, ofPrompt: Counts): number =>
  count(
    ofPrompt['cached_tokens'] ??
      usage['prompt_cache_hit_tokens'] ??
      usage['cached_tokens'] ??
      usage['cache_read_input_tokens'],
  );

/** Some providers count thinking only in the total. */
function outputOf({ completion_tokens, total_tokens }: Counts, input: number, thinking: number): number {
  const completion = count(completion_tokens);
  return thinking > 0 && total_tokens === input + completion + thinking ? completion + thinking : completion;
}

const objectOf = (value: unknown): Counts => (typeof value === 'object' && value !== null ? (value as Counts) : {});

/** Billing relies on it: whatever a provider sends, it is a whole number, 0 or more. */
const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(0, Math.round(value)), 1e9) : 0;
