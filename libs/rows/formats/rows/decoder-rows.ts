import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '#domain/json.js';
import { messagesOf, turnOf } from './chat-messages.js';
import { isObject } from './kinds.js';
import { isPair } from './preferences.js';
import { withTools } from './tools.js';

/** Every shape of a chat as `messages`, and of a pair of answers as `prompt` (messages), `chosen` and `rejected` (texts). */
export function asDecoderRow(source: JsonObject): JsonObject {
  const row = withTools(underOurNames(source));
  // Rows with two answers are pairs; what else has answers is a chat.
  return isPair(row) ? asPair(row) : asChat(row);
}

/** Other tools' names for a question and its answer, in order of precedence. */
const EXCHANGES = [
  ['prompt', 'response'],
  ['instruction', 'response'],
  ['question', 'answer'],
  ['question', 'response'],
  ['input', 'output'],
  ['input_text', 'output_text'],
] as const;

/** Columns with the native names or with those of supported tools. */
function underOurNames(row: JsonObject): JsonObject {
  if ((row.chosen ?? row.rejected ?? row.preferred_output ?? row.non_preferred_output) !== undefined)
    return pairUnderOurNames(row);
  if (row.messages !== undefined || row.conversations !== undefined) return row;
  if (Array.isArray(row.contents)) return geminiRow(row);
  if (row.completion !== undefined || (row.instruction !== undefined && row.output !== undefined)) return row;
  const names = EXCHANGES.find(([asked, answered]) => isText(row[asked]) && isText(row[answered]));
  if (names === undefined) return row;
  const [asked, answered] = names;
  const { [asked]: instruction, [answered]: output, context, ...others } = row;
  return { instruction: instruction!, ...(isText(context) && { input: context }), output: output!, ...others };
}

/** The texts and messages that pairs have under the names of OpenAI, hh-rlhf, UltraFeedback, Orca and LLaMA-Factory. */
function pairUnderOurNames(row: JsonObject): JsonObject {
  const { input, preferred_output, non_preferred_output, ...rest } = row;
  if (isObject(input) && Array.isArray(input.messages)) {
    const { messages, ...ofInput } = input;
    const answers = { chosen: preferred_output ?? null, rejected: non_preferred_output ?? null };
    return { prompt: messages, ...answers, ...ofInput, ...rest };
  }
  const { messages, ...others } = row;
  const isRepeated = messages !== undefined && isDeepStrictEqual(messages, row.chosen);
  const asked = withPrompt(isRepeated ? others : row);
  const [chosen, rejected] = [answerOf(row.chosen), answerOf(row.rejected)];
  return chosen === row.chosen && rejected === row.rejected ? asked : { ...asked, chosen, rejected };
}

/** A pair whose question is its `prompt`. */
function withPrompt(row: JsonObject): JsonObject {
  if (row.prompt !== undefined) return row;
  const { conversations, question, instruction, input, ...others } = row;
  if (Array.isArray(conversations)) return { prompt: conversations, ...others };
  if (isText(question)) return { prompt: question, ...others, ...(input !== undefined && { input }) };
  if (!isText(instruction)) return row;
  return { prompt: isText(input) && input !== '' ? `${instruction}\n\n${input}` : instruction, ...others };
}

/** An answer as text or messages: a transcript of hh-rlhf is messages, and a turn of ShareGPT a list of one. */
function answerOf(answer: Json | undefined): Json | undefined {
  if (isObject(answer)) return [turnOf(answer)];
  return typeof answer === 'string' && answer.startsWith('\n\nHuman:') ? transcript(answer) : answer;
}

/** @see https://huggingface.co/datasets/Anthropic/hh-rlhf */
const transcript = (text: string): Json[] =>
  text
    .split(/\n\n(?=(?:Human|Assistant):)/)
    .filter((turn) => turn !== '')
    .map((turn) => ({
      role: turn.startsWith('Human:') ? 'user' : 'assistant',
      content: turn.slice(turn.indexOf(':') + 1).trim(),
    }));

/** @see https://cloud.google.com/vertex-ai/generative-ai/docs/models/gemini-supervised-tuning-prepare */
function geminiRow({ contents, systemInstruction, system_instruction, ...others }: JsonObject): JsonObject {
  const turns = (contents as readonly Json[]).map((content) => {
    if (!isObject(content)) return content;
    const { parts, ...ofTurn } = content;
    return { ...ofTurn, content: parts ?? null };
  });
  const system = systemInstruction ?? system_instruction;
  const said = isObject(system) ? (system.parts ?? null) : (system ?? null);
  return { messages: turns, ...(said !== null && { system: said }), ...others };
}

/**
 * Alpaca (`instruction, input?, output`, with its `history`), ShareGPT (`conversations`) and `prompt, completion` rows (texts, or lists
 * of messages) as chat messages.
 */
function asChat(row: JsonObject): JsonObject {
  if (row.messages !== undefined) return withSystem(row);
  const { conversations, prompt, completion, instruction, input, output, system, history, ...others } = row;
  const begin = systemMessage(system);
  if (Array.isArray(conversations)) return { messages: [...begin, ...messagesOf(conversations)], ...others };
  if (isText(prompt) && isText(completion)) return { messages: [...begin, ...exchange(prompt, completion)], ...others };
  if (Array.isArray(prompt) && Array.isArray(completion))
    return { messages: [...begin, ...messagesOf(prompt), ...messagesOf(completion)], ...others };
  if (!isText(instruction) || !isText(output)) return row;
  const earlier = exchangesOf(history);
  const question = isText(input) && input !== '' ? `${instruction}\n\n${input}` : instruction;
  return {
    messages: [...begin, ...(earlier ?? []), ...exchange(question, output)],
    ...others,
    ...(earlier === null && history !== undefined && { history }),
  };
}

/** Messages with the separate `system` field of Anthropic and Amazon Bedrock. */
function withSystem(row: JsonObject): JsonObject {
  if (!Array.isArray(row.messages)) return row;
  const messages = messagesOf(row.messages);
  const begin = messages.some((message) => isObject(message) && message.role === 'system')
    ? []
    : systemMessage(row.system);
  if (begin.length === 0) return messages === row.messages ? row : { ...row, messages };
  const { system: _, ...others } = row;
  return { ...others, messages: [...begin, ...messages] };
}

function systemMessage(system: Json | undefined): readonly Json[] {
  if (isText(system)) return system === '' ? [] : [{ role: 'system', content: system }];
  return Array.isArray(system) && system.length > 0 ? messagesOf([{ role: 'system', content: system }]) : [];
}

/** The earlier turns of LLaMA-Factory's rows, a list of question and answer each; null: another form. */
function exchangesOf(history: Json | undefined): readonly Json[] | null {
  if (!Array.isArray(history)) return null;
  const turns = history as readonly Json[];
  return turns.every((turn) => Array.isArray(turn) && turn.length === 2 && turn.every(isText))
    ? turns.flatMap((turn) => exchange(...(turn as [string, string])))
    : null;
}

/** Pairs as TRL has them: texts or messages, with the prompt by itself or before each of the answers. */
function asPair(row: JsonObject): JsonObject {
  const { prompt, chosen, rejected, system, ...others } = row;
  const asked = promptOf(row);
  if (asked === null) return row;
  const begin = systemMessage(system);
  const messages = begin.length > 0 ? [...begin, ...asked] : asked;
  const answers = { chosen: answerTo(asked, chosen), rejected: answerTo(asked, rejected) };
  if (messages === prompt && answers.chosen === chosen && answers.rejected === rejected) return row;
  return { prompt: messages, ...answers, ...(begin.length === 0 && system !== undefined && { system }), ...others };
}

function promptOf({ prompt, chosen }: JsonObject): readonly Json[] | null {
  if (typeof prompt === 'string') return [{ role: 'user', content: prompt }];
  if (Array.isArray(prompt)) return messagesOf(prompt);
  return (prompt ?? null) === null && Array.isArray(chosen) ? messagesOf(chosen.slice(0, -1)) : null;
}

/** The text of an answer that is a message of the assistant, alone or after the whole prompt. */
function answerTo(prompt: readonly Json[], answer: Json | undefined): Json {
  if (!Array.isArray(answer)) return answer ?? null;
  const messages = messagesOf(answer);
  const last = messages.at(-1);
  if (!isObject(last) || last.role !== 'assistant' || typeof last.content !== 'string') return messages;
  const isPlain = Object.keys(last).every((key) => key === 'role' || key === 'content' || last[key] === null);
  const before = messages.slice(0, -1);
  return isPlain && (before.length === 0 || isDeepStrictEqual(before, prompt)) ? last.content : messages;
}

const exchange = (question: string, reply: string) => [
  { role: 'user', content: question },
  { role: 'assistant', content: reply },
];

const isText = (value: Json | undefined): value is string => typeof value === 'string';
