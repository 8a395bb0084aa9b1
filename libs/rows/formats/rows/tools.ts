import type { Json, JsonObject } from '#domain/json.js';
import { isWellFormed } from '#primitives/values.js';
import { HALF_A_CHARACTER, isObject, kind, notList, type FieldProblem } from './kinds.js';
import { quote } from './spans.js';

/**
 * A chat row with its tools, calls and results in the form of OpenAI's `tools` and `tool_calls`: from its older `functions` and
 * `function_call`, from tools and arguments as JSON text or as objects, and from tools without `type`.
 * @returns the row itself if nothing changes
 */
export function withTools(row: JsonObject): JsonObject {
  const { tools, functions, ...others } = row;
  if (tools === undefined && functions === undefined) return row;
  const given = parsed((tools ?? null) === null ? functions : tools);
  if (given === null || (Array.isArray(given) && given.length === 0)) return others;
  const list = Array.isArray(given) ? (given as readonly Json[]).map(toolOf) : given;
  const isSame =
    list === tools || (Array.isArray(tools) && (list as readonly Json[]).every((each, at) => each === tools[at]));
  return isSame && functions === undefined ? row : { ...others, tools: list };
}

/** A tool whose function stands alone gets its `type`. */
const toolOf = (tool: Json): Json =>
  isObject(tool) &&
  tool.function === undefined &&
  typeof tool.name === 'string' &&
  (tool.type ?? 'function') === 'function'
    ? { type: 'function', function: functionOf(tool) }
    : tool;

/** `input_schema` is Anthropic's name for the parameters. */
const functionOf = ({ type: _, input_schema: schema, ...others }: JsonObject): JsonObject => ({
  ...others,
  ...(schema !== undefined && others.parameters === undefined && { parameters: schema }),
});

/**
 * Messages with calls of one form. A result of the older form answers the last call before it.
 * @returns the list itself if nothing changes
 */
export function withCalls(messages: readonly Json[]): readonly Json[] {
  let last: Json | undefined;
  const made = messages.map((message, index) => {
    const own = callingOf(message, `call_${index}`);
    if (isObject(own) && Array.isArray(own.tool_calls)) last = (own.tool_calls as readonly JsonObject[]).at(-1)?.id;
    if (!isObject(own) || own.role !== 'function') return own;
    return { ...own, role: 'tool', ...(last !== undefined && { tool_call_id: last }) };
  });
  return made.every((message, index) => message === messages[index]) ? messages : made;
}

function callingOf(message: Json, id: string): Json {
  if (!isObject(message)) return message;
  // LLaMA-Factory, whose turn of this name holds the call as JSON.
  if (message.role === 'function_call' && isObject(parsed(message.content)))
    return callingOf({ role: 'assistant', function_call: parsed(message.content) }, id);
  const { function_call: older, tool_calls: calls, ...others } = message;
  if (isObject(older) && (calls ?? null) === null)
    return { ...others, tool_calls: [callOf({ id, type: 'function', function: older })] };
  if (!Array.isArray(calls)) return message;
  const made = (calls as readonly Json[]).map(callOf);
  return made.every((call, index) => call === calls[index]) ? message : { ...message, tool_calls: made };
}

/** A call whose arguments are JSON text. */
function callOf(call: Json): Json {
  if (!isObject(call) || !isObject(call.function)) return call;
  const { arguments: given } = call.function;
  const text = isObject(given) ? JSON.stringify(given) : (given ?? '') === '' ? '{}' : given!;
  return text === given ? call : { ...call, function: { ...call.function, arguments: text } };
}

/** The names of a row's tools, and what is wrong with them. */
export function toolsIn({ tools }: JsonObject): {
  readonly names: ReadonlySet<string>;
  readonly problems: FieldProblem[];
} {
  const names = new Set<string>();
  if ((tools ?? null) === null) return { names, problems: [] };
  if (!Array.isArray(tools)) return { names, problems: notList('tools', tools!) };
  const problems = (tools as readonly Json[]).flatMap((tool, index): FieldProblem[] => {
    const field = `tools[${index}]`;
    if (!isObject(tool) || tool.type !== 'function' || !isObject(tool.function))
      return [
        {
          field,
          reason: 'must be {"type": "function", "function": {"name", "parameters"}}: other tools are not learned',
        },
      ];
    const { name, parameters } = tool.function;
    if (typeof name !== 'string' || name === '')
      return [{ field: `${field}.function.name`, reason: 'must be a string that is not empty' }];
    if ((parameters ?? null) !== null && !isObject(parameters))
      return [{ field: `${field}.function.parameters`, reason: `must be a JSON schema, is ${kind(parameters)}` }];
    if (names.has(name)) return [{ field: `${field}.function.name`, reason: `${quote(name)} is there twice` }];
    names.add(name);
    return isWellFormed(tool) ? [] : [{ field, reason: HALF_A_CHARACTER }];
  });
  return { names, problems };
}

/** What is wrong with the calls of a message. @param tools their names */
export function callProblems(at: string, calls: Json, tools: ReadonlySet<string>): FieldProblem[] {
  if (!Array.isArray(calls)) return [{ field: `${at}.tool_calls`, reason: `must be a list, is ${kind(calls)}` }];
  return (calls as readonly Json[]).flatMap((call, index): FieldProblem[] => {
    const field = `${at}.tool_calls[${index}]`;
    if (!isObject(call) || (call.type ?? 'function') !== 'function' || !isObject(call.function))
      return [
        {
          field,
          reason: 'must be {"id", "type": "function", "function": {"name", "arguments"}}: other calls are not learned',
        },
      ];
    const { name, arguments: given } = call.function;
    if (typeof name !== 'string' || !tools.has(name))
      return [
        {
          field: `${field}.function.name`,
          reason: `must be the name of one of the row's \`tools\`${typeof name === 'string' ? `, is ${quote(name)}` : ''}`,
        },
      ];
    const value = parsed(given);
    if (typeof given !== 'string' || !isObject(value ?? undefined))
      return [{ field: `${field}.function.arguments`, reason: 'must be the JSON of an object' }];
    return isWellFormed([name, value]) ? [] : [{ field, reason: HALF_A_CHARACTER }];
  });
}

/** JSON in a text; any other value unchanged. */
function parsed(value: Json | undefined): Json | null {
  if (typeof value !== 'string') return value ?? null;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
