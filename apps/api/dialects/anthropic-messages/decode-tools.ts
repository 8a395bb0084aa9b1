import type { GenerationRequest, Tool } from '#calls/hosted/port.js';
import { isPresent } from '#primitives/values.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import { CLIENT_TOOLS } from './client-tools.js';
import { markerOf, type Path } from './block-fields.js';
import type { AnthropicMessagesBody, AnthropicServerTool, AnthropicTool } from './dto.js';

/** Every provider streams tool input, so `eager_input_streaming` has no further effect. */
const TOOL_FIELDS: ReadonlySet<string> = new Set([
  ...['type', 'name', 'description', 'input_schema', 'strict', 'cache_control', 'eager_input_streaming'],
  ...['defer_loading', 'allowed_callers'],
]);

/** Tools of the caller, also those whose schema Claude knows, and tools that the provider runs itself. */
export function toolsOf(
  reader: DialectReader,
  tools: AnthropicMessagesBody['tools'],
): Pick<GenerationRequest, 'tools'> {
  if (!isPresent(tools) || tools.length === 0) return {};
  return { tools: tools.map((tool, index) => toolOf(reader, tool, ['tools', index])) };
}

function toolOf(reader: DialectReader, tool: AnthropicTool | AnthropicServerTool, path: Path): Tool {
  if (!isOwn(tool)) {
    const known = CLIENT_TOOLS.get(tool.type);
    const { type: _, max_characters: _most, ...rest } = tool as Named;
    return known && typeof rest.name === 'string' && rest.name !== ''
      ? toolOf(reader, { ...rest, ...known }, path)
      : { foreign: 'anthropic', name: tool.type };
  }
  reader.carryOthers(tool, TOOL_FIELDS, path);
  const { name, description, input_schema: parameters, strict, defer_loading: isDeferred, allowed_callers } = tool;
  // Once for all tools: agents defer dozens of them.
  if (isDeferred !== false) reader.carry(isDeferred, ['tools', 'defer_loading']);
  if (!Array.isArray(allowed_callers) || allowed_callers.some((caller) => caller !== 'direct'))
    reader.carry(allowed_callers, [...path, 'allowed_callers']);
  return {
    name,
    ...(isPresent(description) && { description }),
    parameters,
    ...(isPresent(strict) && { strict }),
    ...markerOf(tool),
  };
}

/** `max_characters` of an editor is for the client, which shows so many. */
type Named = AnthropicServerTool & Pick<AnthropicTool, 'name'> & { readonly max_characters?: unknown };

const isOwn = (tool: AnthropicTool | AnthropicServerTool): tool is AnthropicTool =>
  (tool.type ?? 'custom') === 'custom';

export function toolChoiceOf(
  reader: DialectReader,
  choice: AnthropicMessagesBody['tool_choice'],
): Pick<GenerationRequest, 'toolChoice' | 'parallelToolCalls'> {
  if (!isPresent(choice)) return {};
  reader.carryOthers(choice, CHOICE_FIELDS, ['tool_choice']);
  const toolChoice = choice.type === 'tool' ? { name: choice.name! } : CHOSEN[choice.type];
  return { toolChoice, ...(choice.disable_parallel_tool_use && { parallelToolCalls: false }) };
}

const CHOSEN = { auto: 'auto', any: 'required', none: 'none' } as const;
const CHOICE_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'disable_parallel_tool_use']);
