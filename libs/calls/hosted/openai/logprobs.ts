import type { JsonObject } from '#domain/json.js';

type Columns = Readonly<Record<string, unknown>>;

/**
 * The log probabilities of a text completion, which come in columns (`{tokens, token_logprobs, top_logprobs}`), in the
 * form of chat completions: a row for each token. undefined if there are none, or they are inconsistent.
 */
export function rowsOf(logprobs: unknown): readonly JsonObject[] | undefined {
  if (typeof logprobs !== 'object' || logprobs === null) return undefined;
  const { tokens, token_logprobs: chosen, top_logprobs: top, content } = logprobs as Columns;
  // Some providers use the form of chat completions here.
  if (Array.isArray(content)) return content as JsonObject[];
  if (!Array.isArray(tokens) || !Array.isArray(chosen)) return undefined;
  return tokens.map((token: unknown, index) => ({
    token: String(token),
    // The first token of an echoed prompt has none.
    logprob: numberOf(chosen[index]),
    bytes: null,
    top_logprobs: Array.isArray(top) ? othersOf(top[index]) : [],
  }));
}

/** Maps tokens to log probabilities. */
function othersOf(top: unknown): JsonObject[] {
  if (typeof top !== 'object' || top === null) return [];
  return Object.entries(top).map(([token, value]) => ({ token, logprob: numberOf(value), bytes: null }));
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
