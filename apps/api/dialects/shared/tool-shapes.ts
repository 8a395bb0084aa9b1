import { isPresent, isRecord } from '#primitives/values.js';
import { customTool } from './custom-tools.js';

/** Tools, and the choice of one, in the shapes of the three APIs: clients send any of them to each route. */

type Fields = Readonly<Record<string, unknown>>;

/** The body with tools, and the choice of one, as chat completions have them. */
export const withNestedTools = (body: Fields): Fields => withTools(body, nestedTool, (choice) => choice);

/** The same for responses, whose functions have no `function` within. */
export const withFlatTools = (body: Fields): Fields => withTools(body, flatTool, flatChoice);

/** The same for messages, whose functions have an `input_schema`, and which say in the choice whether one call is enough. */
export function withClaudeTools(body: Fields): Fields {
  const { parallel_tool_calls: parallel, ...rest } = withTools(body, claudeTool, claudeChoice);
  if (typeof parallel !== 'boolean') return parallel === undefined ? rest : { ...rest, parallel_tool_calls: parallel };
  const { tools, tool_choice: choice = { type: 'auto' } } = rest;
  const hasTools = Array.isArray(tools) && tools.length > 0;
  if (parallel || !hasTools || !isRecord(choice) || choice['type'] === 'none') return rest;
  return { ...rest, tool_choice: { ...choice, disable_parallel_tool_use: true } };
}

function withTools(
  body: Fields,
  toolOf: (tool: unknown) => unknown,
  shapeOf: (choice: unknown, given: unknown) => unknown,
): Fields {
  const { tools, tool_choice: choice } = body;
  const { tool_choice: chosen, ...more } = choice === undefined ? {} : choiceOf(choice, namesOf(tools));
  return {
    ...body,
    ...(Array.isArray(tools) && { tools: (tools as readonly unknown[]).map(toolOf) }),
    ...(choice !== undefined && { tool_choice: shapeOf(chosen, choice) }),
    ...more,
  };
}

/** A function of any API as chat completions have it; another kind of tool stays as it is. Some clients write no type. */
function nestedTool(tool: unknown): unknown {
  if (!isRecord(tool)) return tool;
  if (isRecord(tool['function'])) return { ...tool, type: tool['type'] ?? 'function' };
  if (typeof tool['name'] !== 'string') return tool;
  if (tool['type'] === 'custom' && !isRecord(tool['input_schema'])) return nestedCustom(tool);
  if (!isFlat(tool)) return tool;
  // MCP writes it `inputSchema`.
  const { type: _, cache_control, inputSchema, input_schema = inputSchema, ...described } = tool;
  return {
    type: 'function',
    function: { ...(input_schema !== undefined && { parameters: input_schema }), ...described },
    ...(cache_control !== undefined && { cache_control }),
  };
}

const isFlat = ({ type = null, input_schema: schema }: Fields): boolean =>
  type === null || type === 'function' || (type === 'custom' && isRecord(schema));

function flatTool(tool: unknown): unknown {
  const nested = nestedTool(tool);
  if (!isRecord(nested)) return nested;
  const { function: described, custom, ...rest } = nested;
  if (isCustom(nested)) return { ...flatCustom(custom as Fields), ...rest };
  return isNamed(nested) ? { ...(described as Fields), ...rest } : nested;
}

/** Responses have the grammar of a custom tool without a field of its own. */
function flatCustom({ format, ...custom }: Fields): Fields {
  if (!isRecord(format) || !isRecord(format['grammar'])) return format === undefined ? custom : { ...custom, format };
  const { grammar, ...rest } = format;
  return { ...custom, format: { ...rest, ...grammar } };
}

function nestedCustom({ type, cache_control, format, ...custom }: Fields): Fields {
  const { definition, syntax, ...rest } = isRecord(format) ? format : {};
  const grammar = definition === undefined ? {} : { grammar: { definition, syntax } };
  return {
    type,
    custom: { ...custom, ...(isRecord(format) && { format: { ...rest, ...grammar } }) },
    ...(cache_control !== undefined && { cache_control }),
  };
}

function claudeTool(tool: unknown): unknown {
  if (!isRecord(tool) || !isOfOpenAi(tool)) return tool;
  const nested = nestedTool(tool);
  if (!isRecord(nested)) return nested;
  if (isCustom(nested)) return claudeCustom(nested);
  if (!isNamed(nested)) return nested;
  const { type: _, function: described, ...rest } = nested;
  const { parameters, ...about } = described as Fields;
  return { ...about, input_schema: { type: 'object', ...(isRecord(parameters) ? parameters : {}) }, ...rest };
}

const isOfOpenAi = ({ type, input_schema: schema, ...tool }: Fields): boolean =>
  !isPresent(schema) &&
  (type === 'function' ||
    ['function', 'custom', 'format', 'parameters', 'inputSchema'].some((name) => isRecord(tool[name])));

function claudeCustom({ custom, cache_control }: Fields): Fields {
  const { name, description, format } = custom as Fields;
  const grammar = isRecord(format) ? format['grammar'] : undefined;
  const { parameters, ...about } = customTool(String(name), description, grammar);
  return { ...about, input_schema: parameters, ...(cache_control !== undefined && { cache_control }) };
}

const isNamed = ({ type, function: described }: Fields): boolean => type === 'function' && isRecord(described);

const isCustom = ({ type, custom }: Fields): boolean =>
  type === 'custom' && isRecord(custom) && typeof custom['name'] === 'string';

const namesOf = (tools: unknown): readonly unknown[] =>
  Array.isArray(tools)
    ? tools.map((tool) =>
        isRecord(tool) ? (tool['name'] ?? (tool['function'] as Fields | undefined)?.['name']) : null,
      )
    : [];

const CHOSEN: Readonly<Record<string, string>> = { auto: 'auto', none: 'none', required: 'required', any: 'required' };

/** The choice as chat completions have it. */
function choiceOf(choice: unknown, names: readonly unknown[]): Fields {
  if (typeof choice === 'string') {
    const isName = CHOSEN[choice] === undefined && names.includes(choice);
    return { tool_choice: isName ? named(choice) : (CHOSEN[choice] ?? choice) };
  }
  if (!isRecord(choice)) return { tool_choice: choice };
  const { type, name, mode, tools, disable_parallel_tool_use: isOne } = choice;
  const isTool = (type === 'function' || type === 'tool') && typeof name === 'string';
  const allowed = type === 'allowed_tools' && Array.isArray(tools);
  return {
    tool_choice: isTool
      ? named(name)
      : allowed
        ? { type, allowed_tools: { mode, tools: tools.map(nestedTool) } }
        : type === 'custom' && typeof name === 'string'
          ? { type, custom: { name } }
          : (CHOSEN[String(type)] ?? choice),
    ...(isOne === true && { parallel_tool_calls: false }),
  };
}

const named = (name: string): Fields => ({ type: 'function', function: { name } });

function flatChoice(choice: unknown): unknown {
  if (!isRecord(choice)) return choice;
  const { allowed_tools: allowed, ...rest } = choice;
  if (!isRecord(allowed)) return flatTool(choice);
  const { tools } = allowed;
  return { ...rest, ...allowed, ...(Array.isArray(tools) && { tools: tools.map(flatTool) }) };
}

const OF_CLAUDE: Readonly<Record<string, string>> = { auto: 'auto', none: 'none', required: 'any' };

/** @param given stays as it is if messages have it so */
function claudeChoice(choice: unknown, given: unknown): unknown {
  if (isRecord(given) && ['auto', 'any', 'none', 'tool'].includes(String(given['type']))) return given;
  if (typeof choice === 'string') return OF_CLAUDE[choice] === undefined ? given : { type: OF_CLAUDE[choice] };
  const { function: ofFunction, custom, type } = isRecord(choice) ? choice : {};
  const called = type === 'custom' ? custom : ofFunction;
  return isRecord(called) ? { type: 'tool', name: called['name'] } : given;
}
