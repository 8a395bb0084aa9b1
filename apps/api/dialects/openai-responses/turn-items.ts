import type { Change } from '#calls/hosted/changed.js';
import type { Json, JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';
import { chatTurns } from '../shared/chat-turns.js';
import { responsesPart } from '../shared/part-shapes.js';
import { REDACTED } from './read-input.js';

/** A message of a client that writes them as chat completions have them: the calls that it makes or answers, and its thoughts, are items of their own here. */
export function itemsOf(item: unknown): readonly Json[] {
  if (typeof item === 'string') return [{ role: 'user', content: item }];
  if (!isRecord(item) || typeof item['role'] !== 'string') return [item as Json];
  const partOf = responsesPart(item['role'] === 'assistant' ? 'output_text' : 'input_text');
  return (chatTurns(item, partOf) as readonly JsonObject[]).flatMap(itemsOfTurn);
}

function itemsOfTurn(turn: JsonObject): readonly Json[] {
  const { type: _, role, content = null, name, tool_call_id: id = null, ...rest } = turn;
  if (role === 'tool' || role === 'function')
    return [
      { ...rest, type: 'function_call_output', call_id: id, ...(name !== undefined && { name }), output: content },
    ];
  if (role !== 'assistant') return [turn];
  const { tool_calls: calls, function_call: legacy, refusal, ...said } = turn;
  const { thoughts, spoken } = withoutThoughts(said);
  const made = [
    ...(Array.isArray(calls) ? (calls as readonly Json[]) : []),
    ...(isRecord(legacy) ? [{ function: legacy }] : []),
  ];
  const refused: JsonObject[] = typeof refusal === 'string' && refusal !== '' ? [{ type: 'refusal', refusal }] : [];
  if (thoughts.length + made.length + refused.length === 0) return [spoken];
  const parts = typeof content === 'string' && content !== '' ? [{ type: 'output_text', text: content }] : content;
  const shown = [...(Array.isArray(parts) ? (parts as readonly Json[]) : []), ...refused];
  const message = shown.length === 0 ? [] : [{ ...spoken, content: refused.length > 0 ? shown : content }];
  return [...thoughts, ...message, ...made.map(callOf)];
}

/** The thoughts of a turn, as chat completions have them, as items. */
function withoutThoughts(turn: JsonObject): { readonly thoughts: readonly Json[]; readonly spoken: JsonObject } {
  const { reasoning_content, reasoning, thinking_blocks: blocks, ...spoken } = turn;
  const text = [reasoning_content, reasoning].find((each) => typeof each === 'string' && each !== '');
  const given = Array.isArray(blocks) && blocks.length > 0 ? blocks : text === undefined ? [] : [{ thinking: text }];
  return { thoughts: given.map((block) => thoughtOf(isRecord(block) ? (block as JsonObject) : {})), spoken };
}

function thoughtOf({ thinking, signature, data }: JsonObject): JsonObject {
  const proof = typeof data === 'string' ? `${REDACTED}${data}` : signature;
  return {
    type: 'reasoning',
    summary: typeof thinking === 'string' ? [{ type: 'summary_text', text: thinking }] : [],
    ...(typeof proof === 'string' && { encrypted_content: proof }),
  };
}

const callOf: Change = (call) => {
  if (!isRecord(call)) return call;
  const { id = null, index: _, function: called, custom, ...rest } = call;
  if (isRecord(custom)) return { ...rest, ...custom, type: 'custom_tool_call', call_id: id };
  return isRecord(called) ? { ...rest, ...called, type: 'function_call', call_id: id } : call;
};
