import type { Json, JsonObject } from '#domain/json.js';

/**
 * Log probabilities in the columns of text completions.
 * @param rows as in events
 * @param start of the first token in the text, in characters
 * @returns also the start of the next token
 */
export function columnsOf(
  rows: readonly Json[],
  start: number,
): { readonly columns: JsonObject; readonly next: number } {
  const tokens = rows.map(fieldsOf);
  const texts = tokens.map(textOf);
  const offsets: number[] = [];
  let next = start;
  for (const text of texts) {
    offsets.push(next);
    next += [...text].length;
  }
  const others = tokens.map(({ top_logprobs: top }) => (Array.isArray(top) ? top.map(fieldsOf) : []));
  const columns = {
    tokens: texts,
    // null for the first token of an echoed prompt, which has no predecessor.
    token_logprobs: tokens.map(({ logprob }) => logprob ?? null),
    ...(others.some((top) => top.length > 0) && { top_logprobs: others.map(byToken) }),
    text_offset: offsets,
  };
  return { columns, next };
}

const byToken = (others: readonly JsonObject[]): JsonObject =>
  Object.fromEntries(others.map((other) => [textOf(other), other['logprob'] ?? null]));

/** The rows come from the provider; anything but an object is ignored. */
const fieldsOf = (row: Json): JsonObject => (typeof row === 'object' && row !== null ? (row as JsonObject) : {});

const textOf = ({ token }: JsonObject): string => (typeof token === 'string' ? token : '');
