import type { Json, JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';

/**
 * Removes `cache_control` from the request, its messages, their parts and calls, and the tools, but not from schemas
 * and tool arguments.
 */
export function withoutCacheMarkers(body: JsonObject): JsonObject {
  const { messages, tools } = body;
  return {
    ...unmarked(body),
    ...(messages !== undefined && { messages: each(messages, message) }),
    ...(tools !== undefined && { tools: each(tools, tool) }),
  };
}

const message = (value: JsonObject): JsonObject => ({
  ...unmarked(value),
  ...(value['content'] !== undefined && { content: each(value['content'], part) }),
  ...(value['tool_calls'] !== undefined && { tool_calls: each(value['tool_calls'], unmarked) }),
});

/** A part, such as a tool's result, may contain parts; those contain none. */
const part = (value: JsonObject): JsonObject => ({
  ...unmarked(value),
  ...(Array.isArray(value['content']) && { content: each(value['content'] as Json, unmarked) }),
});

const tool = (value: JsonObject): JsonObject => ({
  ...unmarked(value),
  ...(isRecord(value['function']) && { function: unmarked(value['function']) }),
});

const unmarked = ({ cache_control: _, ...rest }: JsonObject): JsonObject => rest;

const each = (value: Json, change: (item: JsonObject) => JsonObject): Json =>
  Array.isArray(value) ? value.map((item: Json) => (isRecord(item) ? change(item) : item)) : value;
