import type { Json, JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';
import { callIdFor } from '../call-ids.js';
import type { Dropped } from '../dropped.js';
import type { Provider } from '../providers.js';

/** What LiteLLM adds to messages of the assistant: clients send it back, and stricter providers refuse it. */
const LITELLM = 'provider_specific_fields';

/** A caller's own body without what gateways alone read. It is the same object if there is none. */
export function withoutGatewayFields(body: JsonObject, { cacheControl }: Provider, dropped: Dropped): JsonObject {
  const messages = (Array.isArray(body['messages']) ? body['messages'] : []) as readonly Json[];
  if (cacheControl === 'forward' || !messages.some(isLiteLlms)) return body;
  dropped.drop(`messages.${LITELLM}`);
  return {
    ...body,
    messages: messages.map((message) => {
      if (!isLiteLlms(message)) return message;
      const { [LITELLM]: _, ...rest } = message;
      return rest;
    }),
  };
}

const isLiteLlms = (message: Json): message is JsonObject =>
  isRecord(message) && message['role'] === 'assistant' && message[LITELLM] !== undefined;

/**
 * A caller's own body, with ids of calls that this style takes: other models gave those of earlier turns. It is the same
 * object if all are.
 */
export function withAcceptedIds(body: JsonObject): JsonObject {
  const messages = (Array.isArray(body['messages']) ? body['messages'] : []) as readonly Json[];
  if (!messages.some((message) => isRecord(message) && idsOf(message).some((id) => callIdFor('openai', id) !== id)))
    return body;
  return { ...body, messages: messages.map((message) => (isRecord(message) ? accepted(message) : message)) };
}

const callsOf = ({ tool_calls: calls }: JsonObject): readonly JsonObject[] =>
  Array.isArray(calls) ? (calls as readonly JsonObject[]) : [];

const idsOf = (message: JsonObject): readonly string[] =>
  [message['tool_call_id'], ...callsOf(message).map(({ id }) => id)].filter((id) => typeof id === 'string');

function accepted(message: JsonObject): JsonObject {
  const { tool_call_id: answered } = message;
  const calls = callsOf(message).map((call) => ({
    ...call,
    ...(typeof call['id'] === 'string' && { id: callIdFor('openai', call['id']) }),
  }));
  return {
    ...message,
    ...(typeof answered === 'string' && { tool_call_id: callIdFor('openai', answered) }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}
