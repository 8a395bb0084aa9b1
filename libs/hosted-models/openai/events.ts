import type { FinishReason, GenerationEvent, TokenUsage } from '../port.js';

/** One chunk of a streamed chat completion, or a whole one, as far as it is used here. */
interface Completion {
  readonly choices?: readonly {
    readonly delta?: Content | null;
    readonly message?: Content | null;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: Usage | null;
}

interface Content {
  readonly content?: string | null;
}

interface Usage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number; readonly cache_write_tokens?: number } | null;
}

/**
 * What a chunk or a whole completion says. The finish comes apart: usage may follow it.
 * @throws TypeError when it is neither
 */
export function eventsOf(value: unknown): { events: GenerationEvent[]; finish: FinishReason | null } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not an object');
  const { choices, usage } = value as Completion;
  if (!Array.isArray(choices) && (usage === undefined || usage === null))
    throw new TypeError('neither choices nor usage');
  const events: GenerationEvent[] = [];
  const choice = (choices as Completion['choices'])?.[0];
  const text = (choice?.delta ?? choice?.message)?.content;
  if (typeof text === 'string' && text !== '') events.push({ type: 'text', part: 0, text });
  if (usage && isCounted(usage)) events.push({ type: 'usage', usage: usageOf(usage) });
  const reason = choice?.finish_reason;
  return { events, finish: typeof reason === 'string' ? (FINISH_REASONS[reason] ?? 'stop') : null };
}

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
};

/** Where one of the two is missing nothing was counted: it is not free for that. */
const isCounted = ({ prompt_tokens: input, completion_tokens: output }: Usage): boolean =>
  Number.isFinite(input) && Number.isFinite(output);

/** Prompt tokens there include the cached ones. */
function usageOf({ prompt_tokens, completion_tokens, prompt_tokens_details: details }: Usage): TokenUsage {
  const cacheReadTokens = count(details?.cached_tokens);
  const cacheWriteTokens = count(details?.cache_write_tokens);
  return {
    inputTokens: Math.max(0, count(prompt_tokens) - cacheReadTokens - cacheWriteTokens),
    outputTokens: count(completion_tokens),
    cacheReadTokens,
    cacheWriteTokens,
  };
}

/** Bills rest on it: whatever a provider sends, it is a whole number, 0 or more. */
const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(0, Math.round(value)), 1e9) : 0;
