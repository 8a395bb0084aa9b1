import type { JsonObject } from '#domain/json.js';
import type { GenerationRequest, Tool } from '#hosted-models/port.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import { optionalText, readCacheControl, type Path } from './block-fields.js';
import { MOST_TOOLS } from './bounds.js';

const CHOICES = ['auto', 'any', 'tool', 'none'] as const;

/** Every provider streams the input of tools as it comes, so that `eager_input_streaming` asks for nothing more. */
const TOOL_FIELDS: ReadonlySet<string> = new Set([
  ...['type', 'name', 'description', 'input_schema', 'strict', 'cache_control', 'eager_input_streaming'],
  ...['defer_loading', 'allowed_callers'],
]);

export function readTools(reader: DialectReader, value: unknown): Pick<GenerationRequest, 'tools'> {
  const tools = reader
    .list(value, ['tools'], 'tools', MOST_TOOLS)
    ?.map((tool, index) => readTool(reader, tool, ['tools', index]));
  return tools && tools.length > 0 ? { tools } : {};
}

/** A tool of the caller, or one that the provider itself runs or knows the schema of. */
function readTool(reader: DialectReader, value: unknown, path: Path): Tool {
  const tool = reader.record(value, path, 'a tool');
  const type = reader.optionalString(tool['type'], [...path, 'type']) ?? 'custom';
  if (type !== 'custom') return { foreign: 'anthropic', name: type };
  reader.carryOthers(tool, TOOL_FIELDS, path);
  if (tool['defer_loading'] !== false) reader.carry(tool['defer_loading'], [...path, 'defer_loading']);
  const callers = tool['allowed_callers'];
  if (!Array.isArray(callers) || callers.some((caller) => caller !== 'direct'))
    reader.carry(callers, [...path, 'allowed_callers']);
  const description = optionalText(reader, tool['description'], [...path, 'description']);
  const strict = tool['strict'] ?? undefined;
  return {
    name: reader.string(tool['name'], [...path, 'name'], 'the name of the tool'),
    ...(description !== undefined && { description }),
    parameters: reader.record(tool['input_schema'], [...path, 'input_schema'], 'a JSON schema') as JsonObject,
    ...(strict !== undefined && { strict: reader.boolean(strict, [...path, 'strict'], false) }),
    ...readCacheControl(reader, tool['cache_control'], path),
  };
}

export function readToolChoice(
  reader: DialectReader,
  value: unknown,
): Pick<GenerationRequest, 'toolChoice' | 'parallelToolCalls'> {
  if (value === undefined || value === null) return {};
  const path = ['tool_choice'];
  const choice = reader.record(value, path, 'an object with type');
  reader.carryOthers(choice, CHOICE_FIELDS, path);
  if (choice['type'] === undefined || choice['type'] === null)
    reader.refuse([...path, 'type'], `is required: one of ${CHOICES.join(', ')}`, 'missing');
  const type = reader.oneOf(choice['type'], [...path, 'type'], CHOICES) ?? 'auto';
  const isSerial = reader.boolean(choice['disable_parallel_tool_use'], [...path, 'disable_parallel_tool_use'], false);
  const toolChoice =
    type === 'tool' ? { name: reader.string(choice['name'], [...path, 'name'], 'the name of a tool') } : CHOSEN[type];
  return { toolChoice, ...(isSerial && { parallelToolCalls: false }) };
}

const CHOSEN = { auto: 'auto', any: 'required', none: 'none' } as const;
const CHOICE_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'disable_parallel_tool_use']);
