import type { Json, JsonObject } from '#domain/json.js';
import type { Produced } from '#calls/index.js';
import { textOf } from '#calls/produced.js';
import { textMessage, type ContentPart, type GenerationRequest, type Message } from '#calls/hosted/port.js';
import { isRecord } from '#primitives/values.js';
import type { BegunAnswer } from '../shared/compatible-calls.js';
import { contentOf } from './compaction-item.js';
import { createdAt, usageOf } from './response.js';
import { inputItem } from './input-item.js';

const INSTRUCTIONS = `You are given the transcript of a conversation between a user and an assistant that may call tools. Write a summary from which the
assistant can go on without the transcript. Keep what the user asked for and decided, what was done and found with names, paths, numbers and results, what
failed, and what remains to be done. Answer with the summary alone.`;

/**
 * The request for a summary. The conversation is sent as text, so that any decoder accepts it, whatever tools and media
 * it had.
 */
export function summaryRequest({ messages, maxTokens, endUser }: GenerationRequest): GenerationRequest {
  return {
    messages: [textMessage('system', INSTRUCTIONS), textMessage('user', messages.map(transcribed).join('\n\n'))],
    ...(maxTokens !== undefined && { maxTokens }),
    ...(endUser !== undefined && { endUser }),
  };
}

const transcribed = ({ role, content }: Message): string => `[${role}]\n${content.map(partText).join('\n')}`;

function partText(part: ContentPart): string {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text;
    case 'tool-call':
      return `(calls ${part.name} with ${part.input})`;
    case 'tool-result':
      return `(result) ${part.content.map(partText).join('\n')}`;
    case 'thinking':
      return '';
    default:
      return `(${part.type})`;
  }
}

const COMPACTION = 'response.compaction';

/** The output shown in the history. */
export const recordedCompaction = ({ choices }: Produced): Json => ({
  object: COMPACTION,
  summary: textOf(choices[0]!),
});

/** Whether a recorded output is that of a compaction, which is not a response. */
export const isCompaction = (output: Json | undefined): boolean => isRecord(output) && output['object'] === COMPACTION;

/**
 * A conversation that was summed up (https://platform.openai.com/docs/api-reference/responses/compact): the messages of the user, and
 * a summary of all.
 * @param inputs of all its turns, from the first
 */
export function compactedResponse({ run }: BegunAnswer, inputs: readonly unknown[]): JsonObject {
  const { inferenceId, produced, usage } = run;
  const said = inputs.flatMap(userItems).map((item, index) => inputItem(item, `${inferenceId}_in${index}`));
  const content = contentOf(textOf(produced.choices[0]!));
  return {
    ...{ id: `resp_${inferenceId}`, object: COMPACTION, created_at: createdAt(inferenceId) },
    output: [...said, { id: `cmp_${inferenceId}`, type: 'compaction', encrypted_content: content }],
    usage: usageOf(usage),
  };
}

function userItems(input: unknown): readonly JsonObject[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  return Array.isArray(input) ? (input as JsonObject[]).filter(({ role }) => role === 'user') : [];
}
