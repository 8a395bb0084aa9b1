import type { Json } from '#domain/json.js';
import { isObject } from './kinds.js';
import { withCalls } from './tools.js';

const ROLE_OF_SPEAKER: Readonly<Record<string, string>> = {
  human: 'user',
  user: 'user',
  prompter: 'user',
  gpt: 'assistant',
  assistant: 'assistant',
  model: 'assistant',
  chatgpt: 'assistant',
  chatbot: 'assistant',
  bot: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  observation: 'tool',
};

/**
 * Messages with native roles and with texts as content, from any of these: OpenAI, Anthropic, Amazon Bedrock, Gemini,
 * Cohere, ShareGPT.
 * @returns the list itself if nothing changes
 */
export function messagesOf(list: readonly Json[]): readonly Json[] {
  const messages = list.map(turnOf);
  return withCalls(messages.every((message, index) => message === list[index]) ? list : messages);
}

/**
 * A message in the native form.
 * @returns the message itself if nothing changes
 */
export function turnOf(turn: Json): Json {
  if (!isObject(turn)) return turn;
  const { from, value, role, content, weight, ...others } = turn;
  const speaker = from ?? role;
  const ours = (typeof speaker === 'string' && ROLE_OF_SPEAKER[speaker.toLowerCase()]) || speaker;
  const said = textOf(value ?? content);
  // Messages count once, unless they say otherwise.
  const isCounted = weight === 1;
  if (from === undefined && value === undefined && ours === role && said === content && !isCounted) return turn;
  return { role: ours, content: said, ...(weight !== undefined && !isCounted && { weight }), ...others };
}

/** The text of content made of text parts only; anything else unchanged. */
function textOf(content: Json | undefined): Json | undefined {
  if (!Array.isArray(content) || content.length === 0) return content;
  const texts = (content as readonly Json[]).map((part) => {
    if (!isObject(part) || typeof part.text !== 'string') return null;
    return Object.keys(part).every((key) => key === 'text' || (key === 'type' && part.type === 'text'))
      ? part.text
      : null;
  });
  return texts.includes(null) ? content : texts.join('');
}
