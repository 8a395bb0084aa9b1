import type { JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';

/**
 * The input of a tool as an object. Truncated or invalid JSON is wrapped as in Anthropic's guide
 * (https://platform.claude.com/docs/en/agents-and-tools/tool-use/fine-grained-tool-streaming).
 */
export function toolInput(json: string): JsonObject {
  if (json.trim() === '') return {};
  try {
    const input: unknown = JSON.parse(json);
    if (isRecord(input)) return input as JsonObject;
  } catch {
    // Reported like any other text that is no object.
  }
  return { INVALID_JSON: json };
}
