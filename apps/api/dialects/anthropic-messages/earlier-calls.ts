import { toolInput } from '#calls/hosted/anthropic/tool-input.js';
import type { Json, JsonObject } from '#domain/json.js';
import { isPresent, isRecord } from '#primitives/values.js';
import { OpenCalls } from '../shared/open-calls.js';

/** The same as for chat completions: calls with ids and an object as input, and results that answer them in their order. */
export function withWholeCalls(body: unknown): unknown {
  if (!isRecord(body) || !Array.isArray(body['messages'])) return body;
  const calls = new OpenCalls();
  const messages = (body['messages'] as readonly Json[]).map((message, index): Json => {
    if (!isRecord(message) || !Array.isArray(message['content'])) return message;
    const content = (message['content'] as readonly Json[]).map((block, place) =>
      isRecord(block) ? wholeBlock(block, calls, `${index}_${place}`) : block,
    );
    return { ...message, content };
  });
  return { ...body, messages };
}

function wholeBlock(block: JsonObject, calls: OpenCalls, place: string): JsonObject {
  const { type, id, name, input, tool_use_id: answered, content, ...rest } = block;
  if (type === 'tool_use') return { ...block, id: calls.called(id, place, name) as Json, input: inputOf(input) };
  if (type !== 'tool_result') return block;
  const shown = isPresent(content) && { content };
  return { type, tool_use_id: calls.answered(answered, undefined) as Json, ...shown, ...rest };
}

function inputOf(input: Json | undefined): Json {
  if (input === undefined || input === null) return {};
  return isRecord(input) ? input : toolInput(typeof input === 'string' ? input : JSON.stringify(input));
}
