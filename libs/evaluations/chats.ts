import type { Json, JsonObject } from '#domain/json.js';
import { callsIn, callsText, type StoredCall } from '#rows/formats/rows/calls.js';
import { isLearned } from '#rows/formats/rows/messages.js';

/** A chat of a dataset, which ends with the answer that is expected of the assistant. */
export interface EvaluatedChat {
  readonly messages: readonly ChatTurn[];
  /** Tools that the assistant may call. */
  readonly tools?: readonly ChatTool[];
}

export interface ChatTurn {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** Empty where the assistant calls tools alone. */
  readonly content: string;
  readonly toolCalls?: readonly StoredCall[];
  readonly toolCallId?: string;
  /** The name of the speaker, or of the tool. */
  readonly name?: string;
  /** The thoughts before an answer. */
  readonly reasoning?: string;
  /** The answer is read, and not learned. */
  readonly isContext?: true;
}

interface ChatTool {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of its arguments. */
  readonly parameters: JsonObject;
}

/**
 * The chat of a stored row of type `decoder`, which was validated when it was uploaded, up to the last answer that is learned. Of a
 * pair of answers it ends with the chosen one.
 */
export function chatOf({ messages, prompt, chosen, tools }: JsonObject): EvaluatedChat {
  const own = toolsOf(tools);
  const given = { ...(own.length > 0 && { tools: own }) };
  if ((messages ?? null) === null)
    return { messages: [...messagesOf(prompt), { role: 'assistant', content: chosen as string }], ...given };
  const list = messages as readonly Json[];
  return { messages: messagesOf(list.slice(0, list.findLastIndex(isLearned) + 1)), ...given };
}

/** The messages of a stored row that has them. */
export const messagesOf = (messages: Json | undefined): readonly ChatTurn[] =>
  (messages as readonly JsonObject[]).map((message) => {
    const { role, content, tool_call_id: id, name, reasoning_content: reasoning, weight } = message;
    const toolCalls = callsIn(message);
    return {
      role: role as ChatTurn['role'],
      content: (content ?? '') as string,
      ...(toolCalls.length > 0 && { toolCalls }),
      ...(isText(id) && { toolCallId: id }),
      ...(isText(name) && { name }),
      ...(isText(reasoning) && { reasoning }),
      ...(role === 'assistant' && weight === 0 && { isContext: true as const }),
    };
  });

/** The tools of a stored row. */
export const toolsOf = (tools: Json | undefined): readonly ChatTool[] =>
  ((tools ?? []) as readonly JsonObject[]).map((tool) => {
    const { name, description, parameters } = tool.function as JsonObject;
    return {
      name: name as string,
      ...(isText(description) && { description }),
      parameters: (parameters ?? { type: 'object', properties: {} }) as JsonObject,
    };
  });

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';

/** The messages before the expected answer. */
export const promptOf = ({ messages }: EvaluatedChat): EvaluatedChat['messages'] => messages.slice(0, -1);

/** The expected answer. */
export const answerOf = ({ messages }: EvaluatedChat): string => {
  const { content, toolCalls = [] } = messages.at(-1)!;
  return answerText(content, toolCalls);
};

/** An answer as a text: its calls as JSON, if it has some, and else what it says. */
export const answerText = (said: string, calls: readonly Omit<StoredCall, 'id'>[]): string =>
  calls.length > 0 ? callsText(calls) : said;

/** Maximum tokens of a hosted model's answer, the hidden ones of its thoughts included, where an evaluation names none. */
export const MAX_HOSTED_ANSWER_TOKENS = 1_024;

/** Tokens beside those of the text: the one that ends it, and special ones around calls and thoughts. */
const MARKS = 32;

/**
 * Maximum tokens that any of the expected answers may have: a token stands for at least one byte. A model that does not stop is cut off
 * there.
 */
export const mostAnswerTokens = (chats: readonly EvaluatedChat[]): number =>
  MARKS +
  chats.reduce((most, chat) => {
    const { reasoning = '' } = chat.messages.at(-1)!;
    return Math.max(most, Buffer.byteLength(answerOf(chat)) + Buffer.byteLength(reasoning));
  }, 0);
