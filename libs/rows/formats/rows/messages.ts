import type { Json, JsonObject } from '#domain/json.js';
import { isObject, kind, notList, type FieldProblem } from './kinds.js';

const ROLES = ['system', 'user', 'assistant', 'tool'];

/**
 * Fields of messages that other systems learn from. Further fields, such as ids and times, are kept and have no effect.
 */
const NOT_LEARNED = ['tool_calls', 'tool_call_id', 'function_call', 'name', 'weight'];

/** No tokenizer takes such texts: they have no UTF-8. */
export const HALF_A_CHARACTER = 'has half of a surrogate pair; send valid Unicode';

/** Checks `{messages: [{role, content}]}`, which ends with the expected answer of the assistant. */
export function messageProblems({ messages, label }: JsonObject): FieldProblem[] {
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
  const problems = messagesProblems('messages', list);
  if (problems.length > 0) return problems;
  const last = list.at(-1);
  return isObject(last) && last.role === 'assistant'
    ? []
    : [{ field: 'messages', reason: 'must end with what the assistant should answer' }];
}

/** Checks each `{role, content}` of a list. */
export function messagesProblems(field: string, messages: readonly Json[]): FieldProblem[] {
  return messages.flatMap((message, index): FieldProblem[] => {
    const at = `${field}[${index}]`;
    if (!isObject(message)) return [{ field: at, reason: `must be {role, content}, is ${kind(message)}` }];
    const { role, content } = message;
    if (typeof role !== 'string' || !ROLES.includes(role))
      return [{ field: `${at}.role`, reason: `must be one of ${ROLES.join(', ')}` }];
    const notLearned = NOT_LEARNED.filter((name) => (message[name] ?? null) !== null).map((name) => ({
      field: `${at}.${name}`,
      reason: 'is not learned by decoders: leave it out, or write it into `content`',
    }));
    if (notLearned.length > 0) return notLearned;
    if (Array.isArray(content))
      return [{ field: `${at}.content`, reason: 'has parts that are no text, and decoders learn texts alone' }];
    if (typeof content !== 'string')
      return [{ field: `${at}.content`, reason: `must be a string, is ${kind(content)}` }];
    return content.isWellFormed() ? [] : [{ field: `${at}.content`, reason: HALF_A_CHARACTER }];
  });
}
