import { asText } from '#calls/hosted/changed.js';
import { InvalidError } from '#domain/errors.js';
import type { Json } from '#domain/json.js';
import { kindOf } from '#primitives/reader.js';
import { isPresent, isRecord } from '#primitives/values.js';
import { withWholeCalls } from './earlier-calls.js';
import { effortOf } from '../shared/openai-efforts.js';
import { chatTurns } from '../shared/chat-turns.js';
import { chatPart } from '../shared/part-shapes.js';
import { withNestedTools } from '../shared/tool-shapes.js';

type Fields = Readonly<Record<string, unknown>>;

/** Whether a body of this route is one of `POST /v1/responses`, as some editors send it here; they read chat completions. */
export const isResponsesBody = (body: unknown): body is Fields =>
  isRecord(body) && !isPresent(body['messages']) && isPresent(body['input']);

/** The body of a response without `stream_options.include_usage`, a field of this route. @throws InvalidError */
export function withoutUsage(body: Fields): { readonly body: Fields; readonly includeUsage: boolean } {
  const { stream_options: options } = body;
  if (!isRecord(options)) return { body, includeUsage: false };
  const { include_usage: said, ...others } = options;
  const includeUsage = said ?? false;
  if (typeof includeUsage === 'boolean') return { body: { ...body, stream_options: others }, includeUsage };
  const path = ['body', 'stream_options', 'include_usage'];
  throw new InvalidError({ path, message: `must be true or false, not ${kindOf(said)}`, type: 'wrong_type' });
}

/** A chat completion as its API has it: clients write tools, parts and settings as other APIs have them. */
export const asChatCompletion = (body: unknown): unknown =>
  isRecord(body) ? withWholeCalls(withOwnTurns(withNestedTools(withOwnSettings(body)))) : body;

function withOwnTurns(body: Fields): Fields {
  const { messages } = body;
  if (!Array.isArray(messages)) return body;
  return { ...body, messages: messages.flatMap((message: unknown) => chatTurns(message, chatPart)) };
}

/** Ids of users, which are numbers in some databases. */
const IDS: readonly string[] = ['user', 'safety_identifier'];
const LIMITS: readonly string[] = ['max_tokens', 'max_completion_tokens'];

function withOwnSettings(body: Fields): Fields {
  const { response_format: format, reasoning_effort: effort, stop } = body;
  return {
    ...Object.fromEntries(Object.entries(body).filter(([name, value]) => !saysNothing(name, value))),
    ...(format !== undefined && { response_format: formatOf(format) }),
    ...(effort !== undefined && { reasoning_effort: effortOf(isRecord(effort) ? effort['effort'] : effort) }),
    ...(Array.isArray(stop) && { stop: stop.filter((sequence) => sequence !== '') }),
    ...Object.fromEntries(IDS.flatMap((name) => (isPresent(body[name]) ? [[name, asText(body[name] as Json)]] : []))),
  };
}

/** -1 is how llama.cpp and LM Studio write that there is no limit. */
function saysNothing(name: string, value: unknown): boolean {
  if (value === null) return name === 'thinking';
  return LIMITS.includes(name) && value === -1;
}

/** A format by its type alone, with its schema beside the type, or without a name. */
function formatOf(format: unknown): unknown {
  if (format === 'text' || format === 'json_object') return { type: format };
  if (!isRecord(format) || format['type'] !== 'json_schema') return format;
  const { type, json_schema: described, schema, ...rest } = format;
  const given = isRecord(described) ? described : isRecord(schema) ? { schema, ...rest } : null;
  return given === null ? format : { type, json_schema: { name: 'response', ...given } };
}
