import type { JsonObject } from '#domain/json.js';
import type { Tool, ToolChoice } from '#hosted-models/port.js';
import { isPresent } from '../../validation/reader.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import type { ResponsesBody } from './dto.js';
import type { ResponsesAllowedTools, ResponsesFunctionTool, ResponsesOtherTool } from './dto-input.js';
import { markerOf } from './read-content.js';

type Path = readonly (string | number)[];

const FUNCTION = new Set(['type', 'name', 'description', 'parameters', 'strict', 'cache_control']);
const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {} };

interface AskedTools {
  readonly tools?: readonly Tool[];
  readonly toolChoice?: ToolChoice;
}

/** `tools` and `tool_choice`. */
export function toolsOf(reader: DialectReader, body: ResponsesBody): AskedTools {
  const tools = body.tools?.map((tool, index) => toolOf(reader, tool, ['tools', index])) ?? [];
  const { only, toolChoice } = choiceOf(reader, body.tool_choice, tools);
  // Tools that the model may not call are left out.
  const allowed = only ? tools.filter((tool) => only.has(tool.name)) : tools;
  return { ...(allowed.length > 0 && { tools: allowed }), ...(toolChoice !== undefined && { toolChoice }) };
}

function toolOf(reader: DialectReader, tool: ResponsesFunctionTool | ResponsesOtherTool, path: Path): Tool {
  if (!isFunction(tool)) return { foreign: 'openai-responses', name: tool.type };
  for (const [name, value] of Object.entries(tool))
    if (!FUNCTION.has(name) && value !== false) reader.carry(value, [...path, name]);
  const { name, parameters, description, strict } = tool;
  return {
    name,
    parameters: parameters ?? NO_ARGUMENTS,
    ...(isPresent(description) && { description }),
    ...(isPresent(strict) && { strict }),
    ...markerOf(tool),
  };
}

const isFunction = (tool: ResponsesFunctionTool | ResponsesOtherTool): tool is ResponsesFunctionTool =>
  tool.type === 'function';

interface Choice {
  readonly toolChoice?: ToolChoice;
  /** Names of the callable tools, if they are fewer than all. */
  readonly only?: ReadonlySet<string>;
}

const PATH = ['tool_choice'];

function choiceOf(reader: DialectReader, choice: ResponsesBody['tool_choice'], tools: readonly Tool[]): Choice {
  if (!isPresent(choice)) return {};
  if (typeof choice === 'string') return { toolChoice: choice };
  if (choice.type === 'function') {
    requireTool(reader, choice.name, [...PATH, 'name'], tools);
    return { toolChoice: { name: choice.name } };
  }
  return allowedOf(reader, choice, tools);
}

function allowedOf(
  reader: DialectReader,
  { mode, tools: listed }: ResponsesAllowedTools,
  tools: readonly Tool[],
): Choice {
  listed.forEach(({ name }, index) => requireTool(reader, name, [...PATH, 'tools', index, 'name'], tools));
  return { only: new Set(listed.map(({ name }) => name)), toolChoice: mode };
}

function requireTool(reader: DialectReader, name: string, path: Path, tools: readonly Tool[]): void {
  if (!tools.some((tool) => !('foreign' in tool) && tool.name === name))
    reader.refuse(path, 'must be the name of one of tools', 'not_allowed');
}
