import type { JsonObject } from '#domain/json.js';
import type { Tool, ToolChoice } from '#hosted-models/port.js';
import { isRecord, kindOf } from '../../validation/reader.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import { readCacheControl } from './read-content.js';

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

const MOST_TOOLS = 1_000;
const FUNCTION = new Set(['type', 'name', 'description', 'parameters', 'strict', 'cache_control']);

export interface AskedTools {
  readonly tools?: readonly Tool[];
  readonly toolChoice?: ToolChoice;
}

/** `tools` and `tool_choice`. */
export function readTools(reader: DialectReader, body: Fields): AskedTools {
  const given = reader.list(body['tools'], ['tools'], 'tools', MOST_TOOLS) ?? [];
  const tools = given.map((tool, index) => readTool(reader, tool, ['tools', index]));
  const choice = readChoice(reader, body['tool_choice'], tools);
  const { only } = choice;
  // Those that the model may not call are as good as not there.
  const allowed = only ? tools.filter((tool) => only.has(tool.name)) : tools;
  return {
    ...(allowed.length > 0 && { tools: allowed }),
    ...(choice.toolChoice !== undefined && { toolChoice: choice.toolChoice }),
  };
}

function readTool(reader: DialectReader, value: unknown, path: Path): Tool {
  const tool = reader.record(value, path, 'an object with a type');
  const type = reader.string(tool['type'], [...path, 'type'], 'function, or the type of another tool');
  if (type !== 'function') return { foreign: 'openai-responses', name: type };
  for (const name of Object.keys(tool))
    if (!FUNCTION.has(name) && tool[name] !== false) reader.carry(tool[name], [...path, name]);
  const description = optionalText(reader, tool['description'], [...path, 'description']);
  const strict = tool['strict'] ?? undefined;
  const cacheControl = readCacheControl(reader, tool['cache_control'], [...path, 'cache_control']);
  return {
    name: reader.string(tool['name'], [...path, 'name'], 'the name of a function'),
    parameters: readParameters(reader, tool['parameters'], [...path, 'parameters']),
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict: reader.boolean(strict, [...path, 'strict'], false) }),
    ...(cacheControl && { cacheControl }),
  };
}

const optionalText = (reader: DialectReader, value: unknown, path: Path): string | undefined =>
  value === undefined || value === null ? undefined : reader.text(value, path);

function readParameters(reader: DialectReader, value: unknown, path: Path): JsonObject {
  if (isRecord(value)) return value as JsonObject;
  if (value !== undefined && value !== null)
    reader.refuse(path, `must be a JSON schema, not ${kindOf(value)}`, 'wrong_type');
  return { type: 'object', properties: {} };
}

interface Choice {
  readonly toolChoice?: ToolChoice;
  /** The names of those that may be called, where they are fewer. */
  readonly only?: ReadonlySet<string>;
}

const MODES = ['none', 'auto', 'required'] as const;
const PATH = ['tool_choice'];

function readChoice(reader: DialectReader, value: unknown, tools: readonly Tool[]): Choice {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) {
    const toolChoice = reader.oneOf(value, PATH, MODES);
    return toolChoice === undefined ? {} : { toolChoice };
  }
  switch (value['type']) {
    case 'function':
      return { toolChoice: { name: readName(reader, value['name'], [...PATH, 'name'], tools) } };
    case 'allowed_tools':
      return readAllowed(reader, value, tools);
    default:
      reader.refuse([...PATH, 'type'], 'must be function or allowed_tools: no model here takes others', 'not_allowed');
      return {};
  }
}

function readAllowed(reader: DialectReader, value: Fields, tools: readonly Tool[]): Choice {
  const at = [...PATH, 'tools'];
  const listed = reader.list(value['tools'], at, 'tools', MOST_TOOLS);
  if (!listed) reader.refuse(at, 'is required: a list of {type, name}', 'missing');
  const names = (listed ?? []).map((tool, index) => {
    const { type, name } = reader.record(tool, [...at, index], 'an object with type and name');
    if (type !== 'function') reader.refuse([...at, index, 'type'], 'must be function', 'not_allowed');
    return readName(reader, name, [...at, index, 'name'], tools);
  });
  const toolChoice = reader.oneOf(value['mode'], [...PATH, 'mode'], ['auto', 'required']);
  if (value['mode'] === undefined || value['mode'] === null)
    reader.refuse([...PATH, 'mode'], 'is required: auto or required', 'missing');
  return { only: new Set(names), ...(toolChoice !== undefined && { toolChoice }) };
}

function readName(reader: DialectReader, value: unknown, path: Path, tools: readonly Tool[]): string {
  const name = reader.string(value, path, 'the name of a function');
  if (name !== '' && !tools.some((tool) => !('foreign' in tool) && tool.name === name))
    reader.refuse(path, 'must be the name of one of tools', 'not_allowed');
  return name;
}
