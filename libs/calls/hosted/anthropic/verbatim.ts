import type { JsonObject } from '#domain/json.js';
import { callIdFor } from '../call-ids.js';
import type { Dropped } from '../dropped.js';
import { thinkingWithin } from './thinking.js';

/**
 * A caller's own body, without what other models left in its conversation and this style's providers refuse: thoughts
 * without a signature, of which the caller is told, and ids of calls with other characters. It is the same object if there is none.
 */
export function acceptedBody(body: JsonObject, dropped: Dropped): JsonObject {
  const messages = (Array.isArray(body['messages']) ? body['messages'] : []) as readonly JsonObject[];
  if (!messages.some(isRefused)) return body;
  const turns = messages.flatMap((turn): JsonObject[] => {
    const { content } = turn;
    if (!Array.isArray(content)) return [turn];
    const signed = (content as readonly JsonObject[]).filter((block) => !isUnsigned(block));
    return signed.length === 0 && content.length > 0 ? [] : [{ ...turn, content: signed.map(withCallId) }];
  });
  if (messages.some((turn) => blocksOf(turn).some(isUnsigned))) dropped.drop('thinking.signature');
  const { thinking, ...rest } = body;
  return { ...rest, messages: turns, ...thinkingWithin(turns, thinking, dropped) };
}

const blocksOf = ({ content }: JsonObject): readonly JsonObject[] =>
  Array.isArray(content) ? (content as readonly JsonObject[]) : [];

const isUnsigned = ({ type, signature }: JsonObject): boolean => type === 'thinking' && !signature;

const isRefused = (turn: JsonObject): boolean =>
  blocksOf(turn).some((block) => isUnsigned(block) || withCallId(block) !== block);

function withCallId(block: JsonObject): JsonObject {
  const key = block['type'] === 'tool_use' ? 'id' : block['type'] === 'tool_result' ? 'tool_use_id' : null;
  const id = key === null ? undefined : block[key];
  if (typeof id !== 'string') return block;
  const accepted = callIdFor('anthropic', id);
  return accepted === id ? block : { ...block, [key!]: accepted };
}
