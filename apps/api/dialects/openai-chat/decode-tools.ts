import type { JsonObject } from '#domain/json.js';
import type { GenerationRequest, ResponseFormat, Tool, ToolChoice } from '#hosted-models/port.js';
import { isRecord } from '../../validation/reader.js';
import { isPresent, type DialectReader } from '../shared/dialect-reader.js';

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;
type AskedTools = Pick<GenerationRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'>;

export const MOST_TOOLS = 10_000;
const TOOL_FIELDS = new Set(['type', 'function', 'cache_control']);
const FUNCTION_FIELDS = new Set(['name', 'description', 'parameters', 'strict', 'cache_control']);
const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {} };

/** `tools`, `tool_choice` and `parallel_tool_calls`, or `functions` and `function_call`, as they were called before. */
export function readTools(reader: DialectReader, body: Fields): AskedTools {
  const functions = readFunctions(reader, body);
  const tools = [...readList(reader, body['tools'], 'tools', readTool), ...functions];
  const functionCall = readFunctionCall(reader, body['function_call']);
  const toolChoice = readToolChoice(reader, body['tool_choice']) ?? functionCall;
  // Two answers to one question: whatever a provider of this style makes of it.
  if (isPresent(body['tool_choice']) && functionCall !== undefined) reader.only.push('function_call');
  // Of functions a message calls one at most.
  const isParallel = body['parallel_tool_calls'] ?? (functions.length > 0 ? false : undefined);
  return {
    ...(tools.length > 0 && { tools }),
    ...(toolChoice !== undefined && { toolChoice }),
    ...(isParallel !== undefined && {
      parallelToolCalls: reader.boolean(isParallel, ['parallel_tool_calls'], true),
    }),
  };
}

function readList(
  reader: DialectReader,
  value: unknown,
  name: string,
  read: (reader: DialectReader, item: unknown, path: Path) => Tool,
): readonly Tool[] {
  const items = reader.list(value, [name], name, MOST_TOOLS) ?? [];
  return items.map((item, index) => read(reader, item, [name, index]));
}

function readFunctions(reader: DialectReader, body: Fields): readonly Tool[] {
  return readList(reader, body['functions'], 'functions', (_, item, path) =>
    readFunction(reader, reader.record(item, path, 'an object with the name of the function'), path),
  );
}

function readTool(reader: DialectReader, item: unknown, path: Path): Tool {
  const tool = reader.record(item, path, '{type: "function", function}');
  const type = reader.string(tool['type'], [...path, 'type'], 'the type of the tool');
  if (type !== 'function') return { foreign: 'openai', name: type };
  reader.carryOthers(tool, TOOL_FIELDS, path);
  const at = [...path, 'function'];
  const described = readFunction(reader, reader.record(tool['function'], at, 'an object with its name'), at);
  return { ...described, ...readCacheControl(reader, tool, path) };
}

function readFunction(reader: DialectReader, fields: Fields, path: Path): Tool {
  reader.carryOthers(fields, FUNCTION_FIELDS, path);
  const description = textOr(reader, fields['description'], [...path, 'description']);
  const parameters = objectOr(reader, fields['parameters'], [...path, 'parameters'], 'a JSON schema');
  const strict = fields['strict'] ?? undefined;
  return {
    name: reader.string(fields['name'], [...path, 'name'], 'the name of the function'),
    ...(description !== undefined && { description }),
    parameters: parameters ?? NO_ARGUMENTS,
    ...(strict !== undefined && { strict: reader.boolean(strict, [...path, 'strict'], false) }),
    ...readCacheControl(reader, fields, path),
  };
}

const CHOICES = ['none', 'auto', 'required'] as const;

function readToolChoice(reader: DialectReader, value: unknown): ToolChoice | undefined {
  const path = ['tool_choice'];
  if (!isRecord(value)) return reader.oneOf(value, path, CHOICES);
  const type = reader.string(value['type'], [...path, 'type'], 'the type of the tool');
  if (type === 'function') {
    const at = [...path, 'function'];
    const { name } = reader.record(value['function'], at, 'an object with its name');
    return { name: reader.string(name, [...at, 'name'], 'the name of the function') };
  }
  // One of its own tools, or some of all (allowed_tools): said by no other style.
  reader.carry(value, path);
  return undefined;
}

function readFunctionCall(reader: DialectReader, value: unknown): ToolChoice | undefined {
  if (!isRecord(value)) return reader.oneOf(value, ['function_call'], CHOICES.slice(0, 2));
  return { name: reader.string(value['name'], ['function_call', 'name'], 'the name of the function') };
}

const FORMAT_FIELDS = new Set(['name', 'description', 'schema', 'strict']);

/** Any type but these is for the provider, if it is of the same style. */
export function readResponseFormat(
  reader: DialectReader,
  value: unknown,
): { readonly responseFormat?: ResponseFormat } {
  if (!isPresent(value)) return {};
  const path = ['response_format'];
  const format = reader.record(value, path, 'an object with a type');
  const type = reader.string(format['type'], [...path, 'type'], 'text, json_object or json_schema');
  if (type === 'text') return {};
  if (type === 'json_object') return { responseFormat: { type } };
  if (type !== 'json_schema') {
    reader.carry(value, path);
    return {};
  }
  const at = [...path, 'json_schema'];
  const fields = reader.record(format['json_schema'], at, 'an object with name and schema');
  reader.carryOthers(fields, FORMAT_FIELDS, at);
  const description = textOr(reader, fields['description'], [...at, 'description']);
  const strict = fields['strict'] ?? undefined;
  const responseFormat = {
    type,
    name: reader.string(fields['name'], [...at, 'name'], 'a name'),
    ...(description !== undefined && { description }),
    schema: objectOr(reader, fields['schema'], [...at, 'schema'], 'a JSON schema') ?? {},
    ...(strict !== undefined && { strict: reader.boolean(strict, [...at, 'strict'], false) }),
  } as const;
  return { responseFormat };
}

/** The caller's own cache marker on a part, a message or a tool. */
export function readCacheControl(reader: DialectReader, fields: Fields, path: Path): { cacheControl?: JsonObject } {
  const cacheControl = objectOr(reader, fields['cache_control'], [...path, 'cache_control'], 'a cache marker');
  return cacheControl ? { cacheControl } : {};
}

const textOr = (reader: DialectReader, value: unknown, path: Path): string | undefined =>
  !isPresent(value) ? undefined : reader.text(value, path);

const objectOr = (reader: DialectReader, value: unknown, path: Path, what: string): JsonObject | undefined =>
  !isPresent(value) ? undefined : (reader.record(value, path, what) as JsonObject);
