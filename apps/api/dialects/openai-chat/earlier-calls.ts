import type { Json, JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';
import { argumentsText, OpenCalls } from '../shared/open-calls.js';

/**
 * The body with whole calls and results in its conversation: clients keep them without ids, with parsed arguments, or with no
 * content. Results without an id answer the calls in their order.
 */
export function withWholeCalls(body: unknown): unknown {
  if (!isRecord(body) || !Array.isArray(body['messages'])) return body;
  const calls = new OpenCalls();
  const messages = (body['messages'] as readonly Json[]).map((message, index) =>
    isRecord(message) ? wholeMessage(message, calls, index) : message,
  );
  return { ...body, messages };
}

function wholeMessage(message: JsonObject, calls: OpenCalls, index: number): JsonObject {
  const { role, tool_calls: called, function_call: legacy, tool_call_id: answered, name, content } = message;
  if (role === 'tool')
    return {
      ...message,
      tool_call_id: calls.answered(answered, name) as Json,
      content: resultText(content),
    };
  if (role !== 'assistant' || (!Array.isArray(called) && !isRecord(legacy))) return message;
  return {
    ...message,
    ...(Array.isArray(called) && {
      tool_calls: (called as readonly Json[]).map((call, place) => wholeCall(call, calls, `${index}_${place}`)),
    }),
    ...(isRecord(legacy) && { function_call: withText(legacy) }),
  };
}

function wholeCall(call: Json, calls: OpenCalls, place: string): Json {
  if (!isRecord(call)) return call;
  const { function: given, custom, id } = call;
  const called = given ?? custom;
  const name = isRecord(called) ? called['name'] : undefined;
  return {
    ...call,
    id: calls.called(id, place, name) as Json,
    ...(isRecord(given) && { function: withText(given) }),
  };
}

const withText = (called: Readonly<Record<string, unknown>>): JsonObject =>
  ({ ...called, arguments: argumentsText(called['arguments']) }) as JsonObject;

/** A result that is neither a text nor parts is its JSON. */
function resultText(content: Json | undefined): Json {
  if (content === undefined || content === null) return '';
  if (Array.isArray(content)) return content.length === 0 ? '' : content;
  return typeof content === 'string' ? content : JSON.stringify(content);
}
