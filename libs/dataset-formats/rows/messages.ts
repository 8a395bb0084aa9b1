import type { Json, JsonObject } from '#domain/json.js';
import { isObject, kind, notList, type FieldProblem } from './kinds.js';

const ROLES = ['system', 'user', 'assistant', 'tool'];

/** Checks `{messages: [{role, content}]}`, which ends with the expected answer of the assistant. */
export function messageProblems({ messages }: JsonObject): FieldProblem[] {
  if (messages === undefined || messages === null)
    return [{ field: 'messages', reason: 'is missing: a decoder row is {"messages": [{"role", "content"}, ...]}' }];
  if (!Array.isArray(messages)) return notList('messages', messages);
  const list = messages as readonly Json[];
  const problems = list.flatMap((message, index): FieldProblem[] => {
    const at = `messages[${index}]`;
    if (!isObject(message)) return [{ field: at, reason: `must be {role, content}, is ${kind(message)}` }];
    const { role, content } = message;
    if (typeof role !== 'string' || !ROLES.includes(role))
      return [{ field: `${at}.role`, reason: `must be one of ${ROLES.join(', ')}` }];
    return typeof content === 'string'
      ? []
      : [{ field: `${at}.content`, reason: `must be a string, is ${kind(content)}` }];
  });
  if (problems.length > 0) return problems;
  const last = list.at(-1);
  return isObject(last) && last.role === 'assistant'
    ? []
    : [{ field: 'messages', reason: 'must end with what the assistant should answer' }];
}
