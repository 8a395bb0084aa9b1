import type { JsonObject } from '#domain/json.js';
import type { GenerationRequest, ResponseFormat, Tool, ToolChoice } from '#calls/hosted/port.js';
import { isPresent, isRecord } from '#primitives/values.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import { customTool } from '../shared/custom-tools.js';
import { markerOf } from './decode-parts.js';
import type { ChatCompletionBody } from './dto.js';
import type { ChatFunction, ChatTool } from './tool-schemas.js';

type Path = readonly (string | number)[];
type AskedTools = Pick<GenerationRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'>;

const TOOL_FIELDS = new Set(['type', 'function', 'cache_control']);
const FUNCTION_FIELDS = new Set(['name', 'description', 'parameters', 'strict', 'cache_control']);
const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {} };

/** `tools`, `tool_choice` and `parallel_tool_calls`, or `functions` and `function_call`, as they were called before. */
export function toolsOf(reader: DialectReader, body: ChatCompletionBody): AskedTools {
  const functions = body.functions?.map((given, index) => functionOf(reader, given, ['functions', index])) ?? [];
  const all = [...(body.tools?.map((tool, index) => toolOf(reader, tool, ['tools', index])) ?? []), ...functions];
  const allowed = allowedOf(body.tool_choice);
  // Tools that the model may not call are left out.
  const tools = allowed === null ? all : all.filter(({ name }) => allowed.names.has(name));
  const { function_call: call } = body;
  const functionCall = isPresent(call) ? (typeof call === 'string' ? call : { name: call.name }) : undefined;
  const toolChoice = allowed?.mode ?? toolChoiceOf(reader, body.tool_choice) ?? functionCall;
  // Two answers to one question: each provider of this style decides for itself.
  if (isPresent(body.tool_choice) && functionCall !== undefined) reader.only.push('function_call');
  // With `functions`, a message makes at most one call.
  const parallelToolCalls = body.parallel_tool_calls ?? (functions.length > 0 ? false : undefined);
  return {
    ...(tools.length > 0 && { tools }),
    ...(toolChoice !== undefined && { toolChoice }),
    ...(parallelToolCalls !== undefined && { parallelToolCalls }),
  };
}

function toolOf(reader: DialectReader, tool: ChatTool, path: Path): Tool {
  if (isCustom(tool)) return customOf(reader, tool, path);
  if (tool.type !== 'function') return { foreign: 'openai', name: tool.type };
  reader.carryOthers(tool, TOOL_FIELDS, path);
  return { ...functionOf(reader, tool.function!, [...path, 'function']), ...markerOf(tool) };
}

const CUSTOM_TOOL_FIELDS = new Set(['type', 'custom', 'cache_control']);
const CUSTOM_FIELDS = new Set(['name', 'description', 'format']);

function customOf(reader: DialectReader, tool: CustomTool, path: Path): Tool {
  const { name, description, format } = tool.custom;
  reader.carryOthers(tool, CUSTOM_TOOL_FIELDS, path);
  reader.carryOthers(tool.custom, CUSTOM_FIELDS, [...path, 'custom']);
  const grammar = isRecord(format) ? format['grammar'] : undefined;
  reader.carry(grammar, [...path, 'custom', 'format']);
  return { ...customTool(name, description, grammar), ...markerOf(tool) };
}

interface CustomTool extends ChatTool {
  readonly custom: { readonly name: string; readonly description?: unknown; readonly format?: unknown };
}

const isCustom = (tool: ChatTool): tool is CustomTool => tool.type === 'custom' && isNamed(tool['custom']);

const isNamed = (value: unknown): value is { readonly name: string } =>
  isRecord(value) && typeof value['name'] === 'string' && value['name'] !== '';

/** Names of the tools that are called with a text. */
export const customNames = ({ tools }: ChatCompletionBody): ReadonlySet<string> =>
  new Set(tools?.filter(isCustom).map(({ custom }) => custom.name));

function functionOf(reader: DialectReader, given: ChatFunction, path: Path): Tool {
  reader.carryOthers(given, FUNCTION_FIELDS, path);
  const { name, description, parameters, strict } = given;
  return {
    name,
    ...(isPresent(description) && { description }),
    parameters: parameters ?? NO_ARGUMENTS,
    ...(isPresent(strict) && { strict }),
    ...markerOf(given),
  };
}

/** A choice among some of the functions. null: it is another one. */
function allowedOf(
  choice: ChatCompletionBody['tool_choice'],
): { names: ReadonlySet<unknown>; mode: ToolChoice } | null {
  const { allowed_tools: allowed } = (isRecord(choice) ? choice : {}) as { readonly allowed_tools?: unknown };
  if (!isRecord(allowed) || !Array.isArray(allowed['tools'])) return null;
  const named = (allowed['tools'] as readonly unknown[]).map((tool) =>
    isRecord(tool) ? (tool['function'] ?? tool['custom']) : null,
  );
  const { mode } = allowed;
  return mode === 'auto' || mode === 'required'
    ? { mode, names: new Set(named.map((called) => (isRecord(called) ? called['name'] : null))) }
    : null;
}

function toolChoiceOf(reader: DialectReader, choice: ChatCompletionBody['tool_choice']): ToolChoice | undefined {
  if (!isPresent(choice)) return undefined;
  if (typeof choice === 'string') return choice;
  if (choice.type === 'function') return { name: choice.function!.name };
  if (choice.type === 'custom' && isNamed(choice.custom)) return { name: choice.custom.name };
  // The provider's own tools cannot be expressed in another style.
  reader.carry(choice, ['tool_choice']);
  return undefined;
}

const FORMAT_FIELDS = new Set(['name', 'description', 'schema', 'strict']);

/** Other types are for providers of the same style. */
export function responseFormatOf(
  reader: DialectReader,
  format: ChatCompletionBody['response_format'],
): { readonly responseFormat?: ResponseFormat } {
  if (!isPresent(format) || format.type === 'text') return {};
  const { type } = format;
  if (type === 'json_object') return { responseFormat: { type } };
  if (type !== 'json_schema') {
    reader.carry(format, ['response_format']);
    return {};
  }
  const fields = format.json_schema!;
  reader.carryOthers(fields, FORMAT_FIELDS, ['response_format', type]);
  const { name, description, schema, strict } = fields;
  return {
    responseFormat: {
      type,
      name,
      ...(isPresent(description) && { description }),
      schema: schema ?? {},
      ...(isPresent(strict) && { strict }),
    },
  };
}
