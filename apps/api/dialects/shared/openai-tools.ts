import { isRecord } from '#primitives/values.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The body with tools, and the choice of one, as this route has them. Those of `POST /v1/responses` have no `function` within, those
 * of `POST /v1/messages` an `input_schema`, and some clients write no type.
 */
export function withNestedTools(body: Fields): Fields {
  const { tools, tool_choice: choice } = body;
  return {
    ...body,
    ...(Array.isArray(tools) && { tools: (tools as readonly unknown[]).map(nestedTool) }),
    ...(choice !== undefined && choiceOf(choice, namesOf(tools))),
  };
}

/** A tool as chat completions have it, whatever the shape in which it was sent. */
export function nestedTool(tool: unknown): unknown {
  if (!isRecord(tool)) return tool;
  if (isRecord(tool['function'])) return { ...tool, type: tool['type'] ?? 'function' };
  if (typeof tool['name'] !== 'string' || !isFlat(tool)) return tool;
  const { type: _, cache_control, input_schema, ...described } = tool;
  return {
    type: 'function',
    function: { ...(input_schema !== undefined && { parameters: input_schema }), ...described },
    ...(cache_control !== undefined && { cache_control }),
  };
}

const isFlat = ({ type = null, input_schema: schema }: Fields): boolean =>
  type === null || type === 'function' || (type === 'custom' && isRecord(schema));

const namesOf = (tools: unknown): readonly unknown[] =>
  Array.isArray(tools)
    ? tools.map((tool) =>
        isRecord(tool) ? (tool['name'] ?? (tool['function'] as Fields | undefined)?.['name']) : null,
      )
    : [];

const CHOSEN: Readonly<Record<string, string>> = { auto: 'auto', none: 'none', required: 'required', any: 'required' };

function choiceOf(choice: unknown, names: readonly unknown[]): Fields {
  if (typeof choice === 'string') {
    const isName = CHOSEN[choice] === undefined && names.includes(choice);
    return { tool_choice: isName ? named(choice) : (CHOSEN[choice] ?? choice) };
  }
  if (!isRecord(choice)) return { tool_choice: choice };
  const { type, name, disable_parallel_tool_use: isOne } = choice;
  const isTool = (type === 'function' || type === 'tool') && typeof name === 'string';
  return {
    tool_choice: isTool ? named(name) : (CHOSEN[String(type)] ?? choice),
    ...(isOne === true && { parallel_tool_calls: false }),
  };
}

const named = (name: string): Fields => ({ type: 'function', function: { name } });
