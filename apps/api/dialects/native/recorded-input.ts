import type { JsonObject } from '#domain/json.js';

/** What the history shows as input of an encoder: the request's own words for what was asked. */
export function encoderInput({ text, schema, threshold }: JsonObject): JsonObject {
  return { text: text ?? null, ...(schema !== undefined && { schema }), ...(threshold !== undefined && { threshold }) };
}

/** What the history shows as input of a decoder. */
export function decoderInput(sent: JsonObject): JsonObject {
  const shown = ['messages', 'max_tokens', 'temperature', 'top_p', 'stop'];
  return Object.fromEntries(shown.flatMap((key) => (sent[key] === undefined ? [] : [[key, sent[key]]])));
}
