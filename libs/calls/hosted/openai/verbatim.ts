import type { Json, JsonObject } from '#domain/json.js';
import { isPresent, isRecord } from '#primitives/values.js';
import { callIdFor } from '../call-ids.js';
import { fields, items, text, without, type Change } from '../changed.js';
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
 * A caller's own body in the form that OpenAI itself takes, as do its stricter copies: no null but of a content, no empty list of tools
 * or calls, a text for an assistant that said nothing, and ids of calls of its length, which other models may have given.
 */
export function acceptedBody(body: JsonObject): JsonObject {
  const { messages, tools, functions, tool_choice: choice, ...given } = body;
  const present = { ...listed('tools', tools), ...listed('functions', functions) };
  const { parallel_tool_calls: parallel, ...rest } = withoutNulls(given);
  const hasTools = Object.keys(present).length > 0;
  return {
    ...rest,
    ...(messages !== undefined && { messages: items(accepted)(messages) }),
    ...present,
    ...(isPresent(choice) && (hasTools || isForced(choice)) && { tool_choice: choice }),
    ...(parallel !== undefined && 'tools' in present && { parallel_tool_calls: parallel }),
  };
}

/** Whether a tool must be called. Any other choice means nothing without tools. */
export const isForced = (choice: Json): boolean => choice !== 'auto' && choice !== 'none';

const listed = (name: string, list: Json | undefined): JsonObject =>
  !isPresent(list) || (Array.isArray(list) && list.length === 0) ? {} : { [name]: list };

const withoutNulls = (object: JsonObject): JsonObject => without(object, (_, value) => value === null);

/** The name of a speaker, which may have spaces elsewhere. */
export const speakerName = (name: string): string => name.replace(/[\s<|\\/>]/g, '_').slice(0, MAX_NAME_LENGTH);
const MAX_NAME_LENGTH = 64;

const acceptedId = text((id) => callIdFor('openai', id));
/** `index` belongs to pieces of a stream. */
const acceptedCall: Change = (call) =>
  fields({ id: acceptedId })(isRecord(call) ? without(call, (name) => name === 'index') : call);

const accepted: Change = (message) => {
  if (!isRecord(message)) return message;
  const { content = null, tool_calls: calls, ...given } = message;
  const rest = fields({ name: text(speakerName) })(
    withoutNulls({ ...given, ...listed('tool_calls', calls) }),
  ) as JsonObject;
  if (given['role'] !== 'assistant') return fields({ tool_call_id: acceptedId })({ ...rest, content });
  const isEmpty = content === null || (Array.isArray(content) && content.length === 0);
  const maySayNothing = ['tool_calls', 'function_call', 'audio'].some((name) => rest[name] !== undefined);
  return fields({ tool_calls: items(acceptedCall) })({
    ...rest,
    content: isEmpty ? (maySayNothing ? null : '') : content,
  });
};
