import type { Json, JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';
import { argumentsText, OpenCalls } from '../shared/open-calls.js';

/** The same as for chat completions: calls and outputs with ids, arguments as text, and an output that may be empty. */
export function withWholeCalls(body: unknown): unknown {
  if (!isRecord(body) || !Array.isArray(body['input'])) return body;
  const calls = new OpenCalls();
  const input = (body['input'] as readonly Json[]).map((item, index) =>
    isRecord(item) ? wholeItem(item, calls, `${index}`) : item,
  );
  return { ...body, input };
}

function wholeItem(item: JsonObject, calls: OpenCalls, place: string): JsonObject {
  const { call_id: id, name } = item;
  switch (item['type']) {
    case 'function_call':
      return {
        ...item,
        call_id: calls.called(id, place, name) as Json,
        arguments: argumentsText(item['arguments']) as Json,
      };
    case 'custom_tool_call':
      return { ...item, call_id: calls.called(id, place, name) as Json };
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { ...item, call_id: calls.answered(id, name) as Json, output: outputOf(item['output']) };
    default:
      return item;
  }
}

/** An output that is neither a text nor parts is its JSON. */
function outputOf(output: Json | undefined): Json {
  if (output === undefined || output === null) return '';
  return typeof output === 'string' || Array.isArray(output) ? output : JSON.stringify(output);
}
