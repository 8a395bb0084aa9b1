import type { Json, JsonObject } from '#domain/json.js';
import { isPresent, isRecord } from '#primitives/values.js';
import { callIdFor, DistinctCallIds } from '../call-ids.js';
import { without } from '../changed.js';
import type { Dropped } from '../dropped.js';
import { thinkingWithin } from './thinking.js';

/**
 * A caller's own body, without what other models left in its conversation and this style's providers refuse: thoughts
 * without a signature and citations without an index, of which the caller is told, turns of the assistant that say nothing,
 * and ids of calls with other characters, or twice. Fields that are null say nothing.
 */
export function acceptedBody(given: JsonObject, dropped: Dropped): JsonObject {
  const body = sampledOneWay(without(given, (_, value) => value === null));
  const messages = (Array.isArray(body['messages']) ? body['messages'] : []) as readonly JsonObject[];
  if (!messages.some(isRefused) && !hasRepeatedCalls(messages)) return body;
  const ids = new DistinctCallIds();
  const turns = messages.flatMap((turn, index): JsonObject[] => {
    // The last one may be empty: the model begins it.
    if (isSilent(turn)) return index === messages.length - 1 ? [turn] : [];
    const { content } = turn;
    if (!Array.isArray(content)) return [turn];
    const taken = (content as readonly JsonObject[]).filter((block) => !isUnsigned(block) && !isBlank(turn, block));
    return taken.length === 0
      ? []
      : [{ ...turn, content: taken.map((block) => withOwnCitations(withCallId(block, ids))) }];
  });
  if (messages.some((turn) => blocksOf(turn).some(isUnsigned))) dropped.drop('thinking.signature');
  if (messages.some((turn) => blocksOf(turn).some(hasForeignCitations))) dropped.drop('citations.encrypted_index');
  const { thinking, ...rest } = body;
  return { ...rest, messages: turns, ...thinkingWithin(turns, thinking, dropped) };
}

/**
 * A caller's own body with one way of sampling, if the other is as without it: clients send both, and newer models take one.
 * What it asks otherwise, such as too small a budget of thoughts or a recursive schema, is the provider's to refuse, in its words.
 */
function sampledOneWay(body: JsonObject): JsonObject {
  const { temperature, top_p: topP, ...rest } = body;
  if (!isPresent(temperature) || !isPresent(topP)) return body;
  if (topP === 1) return { ...rest, temperature };
  return temperature === 1 ? { ...rest, top_p: topP } : body;
}

const blocksOf = ({ content }: JsonObject): readonly JsonObject[] =>
  Array.isArray(content) ? (content as readonly JsonObject[]) : [];

const isUnsigned = ({ type, signature }: JsonObject): boolean => type === 'thinking' && !signature;

/** A text of the assistant that says nothing. */
const isBlank = ({ role }: JsonObject, { type, text }: JsonObject): boolean =>
  role === 'assistant' && type === 'text' && typeof text === 'string' && text.trim() === '';

function isSilent({ role, content = null }: JsonObject): boolean {
  if (role !== 'assistant') return false;
  if (Array.isArray(content)) return content.length === 0;
  return content === null || (typeof content === 'string' && content.trim() === '');
}

const isRefused = (turn: JsonObject): boolean =>
  isSilent(turn) ||
  blocksOf(turn).some((block) => {
    const { type } = block;
    if (type === 'text') return isBlank(turn, block) || hasForeignCitations(block);
    const id = type === 'tool_use' ? block['id'] : type === 'tool_result' ? block['tool_use_id'] : undefined;
    return isUnsigned(block) || (typeof id === 'string' && callIdFor('anthropic', id) !== id);
  });

function hasRepeatedCalls(messages: readonly JsonObject[]): boolean {
  const calls = messages.flatMap((turn) => blocksOf(turn).flatMap(({ type, id }) => (type === 'tool_use' ? [id] : [])));
  return new Set(calls).size < calls.length;
}

/** Another model's: the provider verifies where a citation of its own search is from. */
const isForeign = (citation: Json): boolean =>
  isRecord(citation) && citation['type'] === 'web_search_result_location' && citation['encrypted_index'] === '';

const hasForeignCitations = ({ citations }: JsonObject): boolean =>
  Array.isArray(citations) && (citations as readonly Json[]).some(isForeign);

function withOwnCitations(block: JsonObject): JsonObject {
  if (!hasForeignCitations(block)) return block;
  const { citations, ...rest } = block;
  const own = (citations as readonly Json[]).filter((citation) => !isForeign(citation));
  return own.length > 0 ? { ...rest, citations: own } : rest;
}

function withCallId(block: JsonObject, ids: DistinctCallIds): JsonObject {
  const { type, id, tool_use_id: answered } = block;
  if (type === 'tool_use' && typeof id === 'string') return { ...block, id: callIdFor('anthropic', ids.called(id)) };
  if (type !== 'tool_result' || typeof answered !== 'string') return block;
  return { ...block, tool_use_id: callIdFor('anthropic', ids.answered(answered)) };
}
