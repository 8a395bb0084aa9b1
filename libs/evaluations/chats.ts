import type { Json, JsonObject } from '#domain/json.js';

/** A chat of a dataset, which ends with the answer that is expected of the assistant. */
export interface EvaluatedChat {
  readonly messages: readonly ChatTurn[];
}

interface ChatTurn {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
}

/**
 * The chat of a stored row of type `decoder`, which was validated when it was uploaded. Of a pair of answers it ends with the chosen
 * one.
 */
export const chatOf = ({ messages, prompt, chosen }: JsonObject): EvaluatedChat => ({
  messages:
    (messages ?? null) === null
      ? [...messagesOf(prompt), { role: 'assistant', content: chosen as string }]
      : messagesOf(messages),
});

/** The messages of a stored row that has them. */
export const messagesOf = (messages: Json | undefined): EvaluatedChat['messages'] =>
  (messages as unknown as EvaluatedChat['messages']).map(({ role, content }) => ({ role, content }));

/** The messages before the expected answer. */
export const promptOf = ({ messages }: EvaluatedChat): EvaluatedChat['messages'] => messages.slice(0, -1);

/** The expected answer. */
export const answerOf = ({ messages }: EvaluatedChat): string => messages.at(-1)!.content;

/** Maximum tokens of an answer in an evaluation: a model that does not stop is cut off. */
export const MAX_ANSWER_TOKENS = 1_024;
