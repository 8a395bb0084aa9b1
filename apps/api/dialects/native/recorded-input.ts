import type { JsonObject } from '#domain/json.js';

/** The input of an encoder's call, as the history shows it: the request's own words. */
export function encoderInput({ text, schema, threshold, explain }: JsonObject): JsonObject {
  return {
    text: text ?? null,
    ...(schema !== undefined && { schema }),
    ...(threshold !== undefined && { threshold }),
    ...(explain !== undefined && { explain }),
  };
}

/** The input of a decoder's call, as the history shows it. */
export function decoderInput(sent: JsonObject): JsonObject {
  const shown = ['messages', 'max_tokens', 'temperature', 'top_p', 'stop'];
  return Object.fromEntries(shown.flatMap((key) => (sent[key] === undefined ? [] : [[key, sent[key]]])));
}
