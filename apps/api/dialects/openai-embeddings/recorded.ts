import type { JsonObject } from '#domain/json.js';

/** What the history shows as output: the vectors themselves are large, and the same input gives them again. */
export const recordedOutput = (count: number, dimensions: number): JsonObject => ({ embeddings: count, dimensions });

/** What it shows as input: the caller's own words for what was asked. */
export function recordedInput(sent: JsonObject): JsonObject {
  const shown = ['input', 'dimensions'];
  return Object.fromEntries(shown.flatMap((key) => (sent[key] === undefined ? [] : [[key, sent[key]]])));
}
