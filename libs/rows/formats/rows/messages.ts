import type { Json, JsonObject } from '#domain/json.js';
import { HALF_A_CHARACTER, isObject, kind, notList, type FieldProblem } from './kinds.js';
import { callProblems, toolsIn } from './tools.js';

const ROLES = ['system', 'user', 'assistant', 'tool'];

/** Checks `{messages: [{role, content}], tools}`, which ends with the expected answer of the assistant. */
export function messageProblems(row: JsonObject): FieldProblem[] {
  const { messages, label } = row;
  if (messages === undefined || messages === null)
    return [
      {
        field: 'messages',
        reason:
          'is missing: a decoder row is {"messages": [{"role", "content"}, ...]}, or {"prompt", "chosen", "rejected"}',
      },
    ];
  if (!Array.isArray(messages)) return notList('messages', messages);
  // KTO, whose rows say by a label whether their answer is good.
  if (label === false || (typeof label === 'string' && label.toLowerCase() === 'false'))
    return [
      {
        field: 'label',
        reason:
          'says that the answer is bad, and chats teach good ones: leave the row out, or make it the rejected answer of a pair',
      },
    ];
  const list = messages as readonly Json[];
  const tools = toolsIn(row);
  const problems = [...tools.problems, ...messagesProblems('messages', list, tools.names)];
  if (problems.length > 0) return problems;
  const last = list.at(-1);
  if (!isObject(last) || last.role !== 'assistant')
    return [{ field: 'messages', reason: 'must end with what the assistant should answer' }];
  if (!list.some(isLearned))
    return [{ field: 'messages', reason: 'has answers of weight 0 alone, and so nothing to learn: leave the row out' }];
  const severalAt = row.parallel_tool_calls === false ? list.findIndex(hasSeveralCalls) : -1;
  return severalAt < 0
    ? []
    : [
        {
          field: `messages[${severalAt}].tool_calls`,
          reason: 'are several, and `parallel_tool_calls` of the row is false',
        },
      ];
}

/** Whether the assistant learns to answer with a message. Those of weight 0 are read alone. */
export const isLearned = (message: Json): boolean =>
  isObject(message) && message.role === 'assistant' && message.weight !== 0;

const hasSeveralCalls = (message: Json): boolean =>
  isObject(message) && Array.isArray(message.tool_calls) && message.tool_calls.length > 1;

/** Checks each `{role, content}` of a list. @param tools names of those that the row has */
export function messagesProblems(field: string, messages: readonly Json[], tools: ReadonlySet<string>): FieldProblem[] {
  return messages.flatMap((message, index): FieldProblem[] => {
    const at = `${field}[${index}]`;
    if (!isObject(message)) return [{ field: at, reason: `must be {role, content}, is ${kind(message)}` }];
    const { role, content, tool_calls: calls } = message;
    if (typeof role !== 'string' || !ROLES.includes(role))
      return [{ field: `${at}.role`, reason: `must be one of ${ROLES.join(', ')}` }];
    const problems = [...(calls ? callsOf(at, message, tools) : []), ...otherProblems(at, message)];
    if (problems.length > 0) return problems;
    if (Array.isArray(content))
      return [{ field: `${at}.content`, reason: 'has parts that are no text, and decoders learn texts alone' }];
    if ((content ?? null) === null && Array.isArray(calls) && calls.length > 0) return [];
    if (typeof content !== 'string')
      return [{ field: `${at}.content`, reason: `must be a string, is ${kind(content)}` }];
    return content.isWellFormed() ? [] : [{ field: `${at}.content`, reason: HALF_A_CHARACTER }];
  });
}

const callsOf = (at: string, { role, tool_calls: calls }: JsonObject, tools: ReadonlySet<string>): FieldProblem[] =>
  role === 'assistant'
    ? callProblems(at, calls!, tools)
    : [{ field: `${at}.tool_calls`, reason: 'are for messages of the assistant' }];

const TEXTS = ['name', 'tool_call_id', 'reasoning_content'];

function otherProblems(at: string, message: JsonObject): FieldProblem[] {
  const { weight, function_call: older } = message;
  return [
    ...(older === undefined || older === null
      ? []
      : [{ field: `${at}.function_call`, reason: 'must be {name, arguments}, without `tool_calls` beside it' }]),
    ...(weight === undefined || weight === null || weight === 0 || weight === 1
      ? []
      : [{ field: `${at}.weight`, reason: 'must be 0 or 1' }]),
    ...TEXTS.flatMap((name): FieldProblem[] => {
      const text = message[name] ?? '';
      if (typeof text !== 'string') return [{ field: `${at}.${name}`, reason: `must be a string, is ${kind(text)}` }];
      return text.isWellFormed() ? [] : [{ field: `${at}.${name}`, reason: HALF_A_CHARACTER }];
    }),
  ];
}
