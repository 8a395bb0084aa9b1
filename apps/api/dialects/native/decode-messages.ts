import type { ContentPart, GenerationRequest, Message } from '#hosted-models/port.js';
import { isRecord, kindOf, type Reader } from '../../validation/reader.js';

type Path = readonly (string | number)[];

const MOST_MESSAGES = 10_000;
const MOST_STOPS = 16;
const MOST_TOKENS = 10_000_000;
const ROLES = ['system', 'user', 'assistant'] as const;
const MESSAGE_FIELDS = new Set(['role', 'content']);
const PART_FIELDS = new Set(['type', 'text']);

/** What a decoder is asked: `messages`, and how it is to generate. */
export function readGeneration(reader: Reader, body: Readonly<Record<string, unknown>>): GenerationRequest {
  const maxTokens = reader.integer(body['max_tokens'], ['max_tokens'], [1, MOST_TOKENS]);
  const temperature = reader.number(body['temperature'], ['temperature'], [0, 2]);
  const topP = reader.number(body['top_p'], ['top_p'], [0, 1]);
  const stop = readStop(reader, body['stop']);
  return {
    messages: readMessages(reader, body['messages']),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(stop !== undefined && { stop }),
  };
}

function readMessages(reader: Reader, value: unknown): readonly Message[] {
  const path: Path = ['messages'];
  if (!Array.isArray(value)) {
    reader.refuse(path, `must be a list of {role, content}, not ${kindOf(value)}`, 'wrong_type');
    return [];
  }
  reader.count(path, value.length, 'message', MOST_MESSAGES);
  return value.slice(0, MOST_MESSAGES).map((item: unknown, index) => readMessage(reader, item, [...path, index]));
}

function readMessage(reader: Reader, item: unknown, path: Path): Message {
  if (!isRecord(item)) {
    reader.refuse(path, `must be an object with role and content, not ${kindOf(item)}`, 'wrong_type');
    return { role: 'user', content: [] };
  }
  reader.known(item, MESSAGE_FIELDS, path);
  const { role } = item;
  if (role === undefined || role === null)
    reader.refuse([...path, 'role'], 'is required: system, user or assistant', 'missing');
  return {
    role: reader.oneOf(role, [...path, 'role'], ROLES) ?? 'user',
    content: readContent(reader, item['content'], [...path, 'content']),
  };
}

/** A text, or a list of text parts. */
function readContent(reader: Reader, value: unknown, path: Path): readonly ContentPart[] {
  if (!Array.isArray(value))
    return [{ type: 'text', text: reader.string(value, path, 'a text or a list of text parts') }];
  reader.count(path, value.length, 'part', MOST_MESSAGES);
  return value.slice(0, MOST_MESSAGES).map((part: unknown, index): ContentPart => {
    const at = [...path, index];
    if (!isRecord(part)) reader.refuse(at, `must be {type: "text", text}, not ${kindOf(part)}`, 'wrong_type');
    else if (part['type'] !== 'text')
      reader.refuse([...at, 'type'], 'must be text: other parts are for the compatible routes', 'not_allowed');
    else {
      reader.known(part, PART_FIELDS, at);
      return { type: 'text', text: reader.string(part['text'], [...at, 'text'], 'a text') };
    }
    return { type: 'text', text: '' };
  });
}

export function readStop(reader: Reader, value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const path: Path = ['stop'];
  if (!Array.isArray(value)) return [reader.string(value, path, 'a text or a list of texts')];
  if (value.length > MOST_STOPS)
    reader.refuse(path, `must hold at most ${MOST_STOPS} texts, not ${value.length}`, 'out_of_range');
  const stops = value
    .slice(0, MOST_STOPS)
    .map((text: unknown, index) => reader.string(text, [...path, index], 'a text'));
  return stops.length > 0 ? stops : undefined;
}
