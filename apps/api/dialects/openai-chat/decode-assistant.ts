import type { ContentPart } from '#hosted-models/port.js';
import { isRecord } from '../../validation/reader.js';
import { isPresent, type DialectReader } from '../shared/dialect-reader.js';
import { readContent } from './decode-parts.js';
import { readCacheControl } from './decode-tools.js';
import type { LegacyCalls } from './legacy-calls.js';

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

const MOST_CALLS = 10_000;
/** `index` is what deltas of a stream have, from which callers put calls together. */
const CALL_FIELDS = new Set(['id', 'type', 'index', 'function', 'cache_control']);
const FUNCTION_FIELDS = new Set(['name', 'arguments']);

/** What a model said before: its thoughts, its words, its calls of tools, in this order. */
export function readAssistant(
  reader: DialectReader,
  item: Fields,
  path: Path,
  legacy: LegacyCalls,
): readonly ContentPart[] {
  const before = readThoughts(reader, item, path);
  const after = [
    ...readRefusal(reader, item['refusal'], [...path, 'refusal']),
    ...readToolCalls(reader, item['tool_calls'], [...path, 'tool_calls']),
    ...readFunctionCall(reader, item['function_call'], [...path, 'function_call'], legacy),
    ...readAudio(reader, item['audio'], [...path, 'audio']),
  ];
  const { content } = item;
  // Beside calls, an empty text says nothing.
  const isSilent = !isPresent(content) || content === '';
  if (isSilent && after.length > 0) return [...before, ...after];
  return [...before, ...readContent(reader, content ?? undefined, [...path, 'content']), ...after];
}

/**
 * Thoughts as this installation gives them: `thinking_blocks` with the signatures that prove them, or their mere text. Where both
 * are there, they say the same.
 */
function readThoughts(reader: DialectReader, item: Fields, path: Path): readonly ContentPart[] {
  const blocks = reader.list(item['thinking_blocks'], [...path, 'thinking_blocks'], 'blocks', MOST_CALLS) ?? [];
  const signed = blocks.map((block, index) => readThought(reader, block, [...path, 'thinking_blocks', index]));
  const [text] = ['reasoning_content', 'reasoning']
    .map((name) => (isSaid(item[name]) ? reader.text(item[name], [...path, name]) : ''))
    .filter((thought) => thought !== '');
  if (signed.length > 0) return signed;
  return text === undefined ? [] : [{ type: 'thinking', text }];
}

const isSaid = (value: unknown): boolean => isPresent(value) && value !== '';

function readThought(reader: DialectReader, item: unknown, path: Path): ContentPart {
  const block = reader.record(item, path, '{type: "thinking", thinking, signature}');
  const type = reader.oneOf(block['type'] ?? 'thinking', [...path, 'type'], ['thinking', 'redacted_thinking']);
  if (type === 'redacted_thinking')
    return { type: 'thinking', text: '', redacted: true, signature: reader.text(block['data'], [...path, 'data']) };
  const signature = block['signature'] ?? undefined;
  return {
    type: 'thinking',
    text: reader.text(block['thinking'], [...path, 'thinking']),
    ...(signature !== undefined && { signature: reader.text(signature, [...path, 'signature']) }),
  };
}

function readRefusal(reader: DialectReader, value: unknown, path: Path): readonly ContentPart[] {
  return isSaid(value) ? [{ type: 'refusal', text: reader.text(value, path) }] : [];
}

function readToolCalls(reader: DialectReader, value: unknown, path: Path): readonly ContentPart[] {
  const calls = reader.list(value, path, 'tool calls', MOST_CALLS) ?? [];
  return calls.map((item, index): ContentPart => {
    const at = [...path, index];
    const call = reader.record(item, at, '{id, type: "function", function}');
    const type = call['type'] ?? 'function';
    if (type !== 'function')
      return { type: 'foreign', style: 'openai', name: `${reader.string(type, [...at, 'type'])} tool call` };
    reader.carryOthers(call, CALL_FIELDS, at);
    const fields = reader.record(call['function'], [...at, 'function'], 'an object with name and arguments');
    reader.carryOthers(fields, FUNCTION_FIELDS, [...at, 'function']);
    return {
      type: 'tool-call',
      id: reader.string(call['id'], [...at, 'id'], 'the id of the call'),
      name: reader.string(fields['name'], [...at, 'function', 'name'], 'the name of the function'),
      input: reader.text(fields['arguments'], [...at, 'function', 'arguments'], 'JSON text'),
      ...readCacheControl(reader, call, at),
    };
  });
}

function readFunctionCall(
  reader: DialectReader,
  value: unknown,
  path: Path,
  legacy: LegacyCalls,
): readonly ContentPart[] {
  if (!isPresent(value)) return [];
  const call = reader.record(value, path, 'an object with name and arguments');
  const name = reader.string(call['name'], [...path, 'name'], 'the name of the function');
  const input = reader.text(call['arguments'], [...path, 'arguments'], 'JSON text');
  return [{ type: 'tool-call', id: legacy.called(name), name, input }];
}

/** Audio that the provider holds. */
function readAudio(reader: DialectReader, value: unknown, path: Path): readonly ContentPart[] {
  if (!isPresent(value)) return [];
  if (isRecord(value)) reader.string(value['id'], [...path, 'id'], 'the id of the audio');
  else reader.record(value, path, 'an object with an id');
  return [{ type: 'foreign', style: 'openai', name: 'audio of an earlier answer' }];
}
