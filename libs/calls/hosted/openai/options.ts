import type { JsonObject } from '#domain/json.js';
import type { Dropped } from '../dropped.js';
import type { Effort, FunctionTool, ResponseFormat, Thinking, ToolChoice } from '../port.js';

export function chatTool(tool: FunctionTool): JsonObject {
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

/** Returns `reasoning_effort`; undefined lets the model decide. This style has efforts instead of budgets. */
export function effortOf({ mode, budgetTokens, effort }: Thinking, dropped: Dropped): Effort | undefined {
  if (mode !== 'disabled') return effort ?? (budgetTokens === undefined ? undefined : effortFor(budgetTokens));
  if (effort !== undefined && effort !== 'none') dropped.drop('output_config.effort');
  return 'none';
}

/** The budgets that gateways commonly give these efforts. */
const effortFor = (budgetTokens: number): Effort =>
  budgetTokens < 2_048 ? 'low' : budgetTokens < 8_192 ? 'medium' : 'high';
