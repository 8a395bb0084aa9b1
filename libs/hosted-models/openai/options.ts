import type { JsonObject } from '#domain/json.js';
import { notCarried, type ResponseFormat, type Thinking, type Tool, type ToolChoice } from '../port.js';

/** @throws HostedModelError a tool that only another style's providers run */
export function chatTool(tool: Tool): JsonObject {
  if ('foreign' in tool) throw notCarried(`the tool ${tool.name}`);
  const { name, description, parameters, strict, cacheControl } = tool;
  return {
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      parameters,
      ...(strict !== undefined && { strict }),
    },
    ...(cacheControl !== undefined && { cache_control: cacheControl }),
  };
}

export const toolChoiceOf = (choice: ToolChoice): string | JsonObject =>
  typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };

export function formatOf(format: ResponseFormat): JsonObject {
  if (format.type === 'json_object') return { type: 'json_object' };
  const { name, description, schema, strict } = format;
  return {
    type: 'json_schema',
    json_schema: {
      name,
      ...(description !== undefined && { description }),
      schema,
      ...(strict !== undefined && { strict }),
    },
  };
}

/**
 * Returns `reasoning_effort`; undefined lets the model decide.
 * @throws HostedModelError for a budget, which this style cannot express
 */
export function effortOf({ mode, budgetTokens, effort }: Thinking): string | undefined {
  if (budgetTokens !== undefined) throw notCarried('thinking.budget_tokens');
  if (mode !== 'disabled') return effort;
  if (effort !== undefined && effort !== 'none') throw notCarried('an effort without thinking');
  return 'none';
}
