import { isRecord, type Json, type JsonObject } from '#domain/json.js';

/** A recorded call of a model, as the history has it. */
export interface RecordedCall {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  /** The model's id as the caller wrote it. */
  readonly model: string;
  /** The recorded input, in the caller's dialect: chat completions, responses or messages. */
  readonly request: JsonObject;
  /** The API whose form the request has; absent where nobody asks for it. */
  readonly format?: string;
  /** The recorded output of that dialect. */
  readonly answer: Json;
  /** Picodollars: a decimal string of a whole number. */
  readonly cost: string;
  /** Whether the answer is a person's, which counts more than the model's to a copy. Absent: it is not. */
  readonly isCorrected?: boolean;
}

/** A part of a message. Requests of all dialects that say the same have the same parts. */
export interface Part {
  /** `system` for developers and instructions too. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
}

export interface CanonicalTool {
  readonly name: string;
  readonly description: string | null;
  /** JSON schema of the arguments. */
  readonly parameters: Json;
}

/** What a request says, whatever its dialect. Sampling and limits are left out: they do not change what is asked. */
export interface CanonicalRequest {
  readonly parts: readonly Part[];
  readonly tools: readonly CanonicalTool[];
  /** The schema that the answer must have, `true` for any JSON, null for text. */
  readonly format: Json;
}

/** Reads a recorded input. @returns null if it has no texts alone: images, files, unknown shapes */
export function canonicalRequest(request: JsonObject): CanonicalRequest | null {
  const parts: Part[] = [];
  const isRead = [
    readContent('system', request.instructions ?? null, parts),
    readContent('system', request.system ?? null, parts),
    readMessages(request.messages ?? request.input ?? request.prompt ?? null, parts),
  ].every(Boolean);
  if (!isRead || parts.length === 0) return null;
  const tools = listOf(request.tools ?? request.functions).map(toolOf);
  if (tools.includes(null)) return null;
  return { parts, tools: tools as readonly CanonicalTool[], format: formatOf(request) };
}

function readMessages(messages: Json, parts: Part[]): boolean {
  if (!Array.isArray(messages)) return readContent('user', messages, parts);
  return (messages as readonly Json[]).every((message) => isRecord(message) && readMessage(message, parts));
}

function readMessage(message: JsonObject, parts: Part[]): boolean {
  const { type, role, content, tool_calls: calls } = message;
  if (type === 'reasoning') return true;
  if (type === 'function_call') return readCall(message, parts);
  if (type === 'function_call_output') return readContent('tool', message.output ?? null, parts);
  const ours = ROLES[role as string];
  if (ours === undefined || !readContent(ours, content ?? null, parts)) return false;
  return listOf(calls).every((call) => isRecord(call) && readCall((call.function ?? call) as JsonObject, parts));
}

const ROLES: Readonly<Record<string, Part['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
};

function readContent(role: Part['role'], content: Json, parts: Part[]): boolean {
  if (content === null) return true;
  if (typeof content === 'string') return parts.push({ role, text: content }) > 0;
  return Array.isArray(content) && (content as readonly Json[]).every((part) => readPart(role, part, parts));
}

function readPart(role: Part['role'], part: Json, parts: Part[]): boolean {
  if (typeof part === 'string') return parts.push({ role, text: part }) > 0;
  if (!isRecord(part)) return false;
  const { type, text, content } = part;
  if (type === 'thinking' || type === 'redacted_thinking') return true;
  if (type === 'tool_use') return readCall(part, parts);
  if (type === 'tool_result') return readContent('tool', content ?? '', parts);
  return typeof text === 'string' && parts.push({ role, text }) > 0;
}

/** A call of a tool, without its id, which differs each time. */
function readCall({ name, arguments: given, input }: JsonObject, parts: Part[]): boolean {
  const values = typeof given === 'string' ? given : JSON.stringify(input ?? {});
  return typeof name === 'string' && parts.push({ role: 'assistant', text: `${name}(${values})` }) > 0;
}

function toolOf(tool: Json): CanonicalTool | null {
  if (!isRecord(tool)) return null;
  const { name, description, parameters, input_schema: schema } = (tool.function ?? tool) as JsonObject;
  if (typeof name !== 'string') return null;
  return {
    name,
    description: typeof description === 'string' ? description : null,
    parameters: parameters ?? schema ?? null,
  };
}

function formatOf({ response_format: format, text, output_format: output, output_config: config }: JsonObject): Json {
  const asked = format ?? memberOf(text, 'format') ?? output ?? memberOf(config, 'format') ?? null;
  const schema = memberOf(memberOf(asked, 'json_schema'), 'schema') ?? memberOf(asked, 'schema');
  return (schema ?? memberOf(asked, 'type') === 'json_object') ? (schema ?? true) : null;
}

const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  isRecord(value) ? value[name] : undefined;
export const listOf = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];
