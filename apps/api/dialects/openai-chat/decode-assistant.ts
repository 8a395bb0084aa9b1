import type { ContentPart } from '#calls/hosted/port.js';
import { isPresent, isRecord } from '#primitives/values.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import { customArguments } from '../shared/custom-tools.js';
import { contentOf, markerOf } from './decode-parts.js';
import type { LegacyCalls } from './legacy-calls.js';
import type { ChatCall, ChatMessage, ChatPart, ChatThought } from './message-schemas.js';

type Path = readonly (string | number)[];

/** `index` belongs to stream deltas, which callers may send back as calls. */
const CALL_FIELDS = new Set(['id', 'type', 'index', 'function', 'cache_control']);
const FUNCTION_FIELDS = new Set(['name', 'arguments']);

/** Parts of an assistant message: thinking, text, tool calls, in this order. */
export function assistantParts(
  reader: DialectReader,
  message: ChatMessage,
  path: Path,
  legacy: LegacyCalls,
): readonly ContentPart[] {
  const { content, refusal, tool_calls: calls, function_call: call, audio } = message;
  const before = [...thoughtsOf(message), ...thoughtsIn(content)];
  const after: ContentPart[] = [];
  if (refusal) after.push({ type: 'refusal', text: refusal });
  calls?.forEach((item, index) => after.push(callOf(reader, item, [...path, 'tool_calls', index])));
  if (call) after.push({ type: 'tool-call', id: legacy.called(call.name), name: call.name, input: call.arguments });
  // Audio that the provider holds.
  if (audio) after.push({ type: 'foreign', style: 'openai', name: 'audio of an earlier answer' });
  // Next to tool calls, an empty text has no meaning.
  const isSilent = !isPresent(content) || (content === '' && after.length > 0);
  return [...before, ...(isSilent ? [] : contentOf(reader, spokenIn(content), path)), ...after];
}

/** Thoughts among the parts, as Mistral, and clients of Claude, have them. */
const isThought = ({ type }: ChatPart): boolean => type === 'thinking' || type === 'reasoning';

const spokenIn = (content: string | readonly ChatPart[]): string | readonly ChatPart[] =>
  typeof content === 'string' ? content : content.filter((part) => !isThought(part));

function thoughtsIn(content: ChatMessage['content']): readonly ContentPart[] {
  if (!Array.isArray(content)) return [];
  return (content as readonly ChatPart[]).filter(isThought).map(({ thinking, text, signature }) => ({
    type: 'thinking',
    text: Array.isArray(thinking) ? thinking.map(textIn).join('') : textIn(thinking) || textIn(text),
    ...(typeof signature === 'string' && signature !== '' && { signature }),
  }));
}

function textIn(thought: unknown): string {
  if (typeof thought === 'string') return thought;
  return isRecord(thought) && typeof thought['text'] === 'string' ? thought['text'] : '';
}

/**
 * Thinking as this installation returns it: signed `thinking_blocks`, or the text alone. If both are present they
 * agree.
 */
function thoughtsOf({ thinking_blocks: blocks, reasoning_content, reasoning }: ChatMessage): readonly ContentPart[] {
  if (blocks && blocks.length > 0) return blocks.map(thoughtOf);
  const text = reasoning_content || reasoning;
  return text ? [{ type: 'thinking', text }] : [];
}

function thoughtOf({ type, thinking, data, signature }: ChatThought): ContentPart {
  if (type === 'redacted_thinking') return { type: 'thinking', text: '', redacted: true, signature: data! };
  return { type: 'thinking', text: thinking!, ...(isPresent(signature) && { signature }) };
}

function callOf(reader: DialectReader, call: ChatCall, path: Path): ContentPart {
  const type = call.type ?? 'function';
  const { id, custom } = call;
  if (type === 'custom' && isRecord(custom) && typeof custom['name'] === 'string' && id !== undefined) {
    const { name, input = '' } = custom;
    return {
      type: 'tool-call',
      id,
      name,
      input: customArguments(typeof input === 'string' ? input : JSON.stringify(input)),
    };
  }
  if (type !== 'function') return { type: 'foreign', style: 'openai', name: `${type} tool call` };
  reader.carryOthers(call, CALL_FIELDS, path);
  const called = call.function!;
  reader.carryOthers(called, FUNCTION_FIELDS, [...path, 'function']);
  return { type: 'tool-call', id: call.id!, name: called.name, input: called.arguments, ...markerOf(call) };
}
