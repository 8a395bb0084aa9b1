import type { Json, JsonObject } from '#domain/json.js';
import { HALF_A_CHARACTER, isObject, kind, type FieldProblem } from './kinds.js';
import { messagesProblems } from './messages.js';
import { toolsIn } from './tools.js';

const isAnswer = (value: Json | undefined): boolean => typeof value === 'string' || Array.isArray(value);

/** Whether a decoder row is a prompt with a better and a worse answer. */
export const isPair = ({ chosen, rejected }: JsonObject): boolean => isAnswer(chosen) && isAnswer(rejected);

/** Whether a decoder row that is not a chat has one of the answers of a pair. */
export const hasAnswer = ({ chosen, rejected }: JsonObject): boolean => (chosen ?? rejected ?? null) !== null;

/** Checks `{prompt: [{role, content}], chosen: text, rejected: text}`. */
export function preferenceProblems(row: JsonObject): FieldProblem[] {
  const { messages, prompt, chosen, rejected } = row;
  if ((messages ?? null) !== null)
    return [{ field: 'messages', reason: 'stands beside chosen and rejected; a row is a chat or a pair of answers' }];
  const tools = toolsIn(row);
  const problems = [
    ...tools.problems,
    ...promptProblems(prompt, tools.names),
    ...answerProblems('chosen', chosen),
    ...answerProblems('rejected', rejected),
  ];
  if (problems.length > 0 || chosen !== rejected) return problems;
  return [{ field: 'rejected', reason: 'is the same as chosen; a pair says which of two answers is better' }];
}

function promptProblems(prompt: Json | undefined, tools: ReadonlySet<string>): FieldProblem[] {
  if ((prompt ?? null) === null)
    return [
      {
        field: 'prompt',
        reason: 'is missing; give a string or messages, or begin both chosen and rejected with its messages',
      },
    ];
  // Texts became messages, unless an answer is missing.
  if (typeof prompt === 'string') return [];
  if (!Array.isArray(prompt))
    return [{ field: 'prompt', reason: `must be a string or a list of messages, is ${kind(prompt)}` }];
  const messages = prompt as readonly Json[];
  const problems = messagesProblems('prompt', messages, tools);
  if (problems.length > 0) return problems;
  const last = messages.at(-1);
  return isObject(last) && last.role !== 'assistant'
    ? []
    : [{ field: 'prompt', reason: 'must end with what the assistant is to answer' }];
}

function answerProblems(field: 'chosen' | 'rejected', answer: Json | undefined): FieldProblem[] {
  if (typeof answer === 'string') return answer.isWellFormed() ? [] : [{ field, reason: HALF_A_CHARACTER }];
  // Lists of the right shape became texts.
  const reason = Array.isArray(answer)
    ? 'must be a string, or a list with one {role, content} of the assistant, alone or after the messages of the prompt'
    : `must be a string or a list of messages, is ${kind(answer)}`;
  return [{ field, reason }];
}
