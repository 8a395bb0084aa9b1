import type { Json, JsonObject } from '#domain/json.js';

interface Row {
  readonly token: string;
  /** null of the first token of a prompt that is echoed: nothing came before it. */
  readonly logprob: number | null;
  readonly top_logprobs?: readonly { readonly token: string; readonly logprob: number }[];
}

/**
 * Log probabilities as text completions have them: in columns.
 * @param rows as events have them
 * @param start where the first token begins in the text, in characters
 * @returns also where the next token begins
 */
export function columnsOf(
  rows: readonly Json[],
  start: number,
): { readonly columns: JsonObject; readonly next: number } {
  const tokens = rows as unknown as readonly Row[];
  const offsets: number[] = [];
  let next = start;
  for (const { token } of tokens) {
    offsets.push(next);
    next += [...token].length;
  }
  const hasOthers = tokens.some(({ top_logprobs: others = [] }) => others.length > 0);
  const columns = {
    tokens: tokens.map(({ token }) => token),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    ...(hasOthers && { top_logprobs: tokens.map(({ top_logprobs: others = [] }) => byToken(others)) }),
    text_offset: offsets,
  };
  return { columns, next };
}

const byToken = (others: NonNullable<Row['top_logprobs']>): JsonObject =>
  Object.fromEntries(others.map(({ token, logprob }) => [token, logprob]));
