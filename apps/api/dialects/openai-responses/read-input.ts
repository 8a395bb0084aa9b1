import { textMessage, type ContentPart, type Message, type Role } from '#hosted-models/port.js';
import { isRecord, kindOf } from '../../validation/reader.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import { readCacheControl, readContent } from './read-content.js';
import type { InputEntry } from './request.js';

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

const MOST_ITEMS = 10_000;

/** `input`: a text, or items. @param isRequired false where there is something else to be continued */
export function readInput(reader: DialectReader, input: unknown, isRequired: boolean): readonly InputEntry[] {
  const path = ['input'];
  if (typeof input === 'string') return [textMessage('user', input)];
  if (input === undefined || input === null) {
    if (isRequired) reader.refuse(path, 'is required: a text, or a list of items', 'missing');
    return [];
  }
  if (!Array.isArray(input)) {
    reader.refuse(path, `must be a text or a list of items, not ${kindOf(input)}`, 'wrong_type');
    return [];
  }
  if (input.length === 0 && isRequired) reader.refuse(path, 'must hold at least one item', 'out_of_range');
  reader.list(input, path, 'items', MOST_ITEMS);
  return input.slice(0, MOST_ITEMS).map((item: unknown, index) => readItem(reader, item, index));
}

const NOTHING = textMessage('user', '');

function readItem(reader: DialectReader, item: unknown, index: number): InputEntry {
  const path: Path = ['input', index];
  const fields = reader.record(item, path, 'an item');
  if (!isRecord(item)) return NOTHING;
  const type = typeOf(fields);
  switch (type) {
    case 'message':
      return readMessage(reader, fields, path);
    case 'function_call':
      return readCall(reader, fields, path);
    case 'function_call_output':
      return readCallOutput(reader, fields, path);
    case 'reasoning':
      return readReasoning(reader, fields, path);
    case 'item_reference':
      return { reference: reader.string(fields['id'], [...path, 'id'], 'the id of an item'), index };
    default:
      reader.refuse([...path, 'type'], `must be one of ${ITEMS.join(', ')}: no model here takes others`, 'not_allowed');
      return NOTHING;
  }
}

const ITEMS = ['message', 'function_call', 'function_call_output', 'reasoning', 'item_reference'];

/** The short form of a message has no type; nor needs a reference to have one. */
function typeOf({ type, role, id }: Fields): unknown {
  if (type !== undefined && type !== null) return type;
  return role === undefined && typeof id === 'string' ? 'item_reference' : 'message';
}

/** Those of all items: what this API wrote itself, and what says nothing to a model. */
const known = (...fields: string[]): ReadonlySet<string> => new Set(['type', 'id', 'status', 'created_by', ...fields]);

const ROLES: Readonly<Record<string, Role>> = {
  user: 'user',
  assistant: 'assistant',
  system: 'system',
  developer: 'system',
};
const ROLE_NAMES = Object.keys(ROLES);
const MESSAGE = known('role', 'content');

function readMessage(reader: DialectReader, item: Fields, path: Path): Message {
  reader.carryOthers(item, MESSAGE, path);
  const { role } = item;
  if (role === undefined || role === null)
    reader.refuse([...path, 'role'], `is required: ${ROLE_NAMES.join(', ')}`, 'missing');
  return {
    role: ROLES[reader.oneOf(role, [...path, 'role'], ROLE_NAMES) ?? 'user']!,
    content: readContent(reader, item['content'], [...path, 'content']),
  };
}

const CALL = known('call_id', 'name', 'arguments', 'parsed_arguments', 'cache_control');

function readCall(reader: DialectReader, item: Fields, path: Path): Message {
  carryAsked(reader, item, CALL, path);
  const call: ContentPart = {
    type: 'tool-call',
    id: reader.string(item['call_id'], [...path, 'call_id']),
    name: reader.string(item['name'], [...path, 'name']),
    input: reader.text(item['arguments'], [...path, 'arguments'], 'JSON as a text'),
  };
  return { role: 'assistant', content: [marked(reader, call, item, path)] };
}

const CALL_OUTPUT = known('call_id', 'output', 'cache_control');

function readCallOutput(reader: DialectReader, item: Fields, path: Path): Message {
  carryAsked(reader, item, CALL_OUTPUT, path);
  const result: ContentPart = {
    type: 'tool-result',
    id: reader.string(item['call_id'], [...path, 'call_id']),
    content: readContent(reader, item['output'], [...path, 'output']),
  };
  return { role: 'tool', content: [marked(reader, result, item, path)] };
}

/** Ways to call that nobody asked for are none. */
function carryAsked(reader: DialectReader, item: Fields, fields: ReadonlySet<string>, path: Path): void {
  const { caller, async: isAsync, ...rest } = item;
  if (!isRecord(caller) || caller['type'] !== 'direct') reader.carry(caller, [...path, 'caller']);
  if (isAsync !== false) reader.carry(isAsync, [...path, 'async']);
  reader.carryOthers(rest, fields, path);
}

function marked(reader: DialectReader, part: ContentPart, item: Fields, path: Path): ContentPart {
  const cacheControl = readCacheControl(reader, item['cache_control'], [...path, 'cache_control']);
  return cacheControl ? { ...part, cacheControl } : part;
}

const REASONING = known('summary', 'content', 'encrypted_content');
/** Before the opaque data of thoughts that the provider hides; else `encrypted_content` is the signature of what is shown. */
export const REDACTED = 'redacted:';

/** Thoughts of an earlier answer. They are shown as a summary, and with their signature, where they have one. */
function readReasoning(reader: DialectReader, item: Fields, path: Path): Message {
  reader.carryOthers(item, REASONING, path);
  const text = ['summary', 'content'].flatMap((field) => readTexts(reader, item[field], [...path, field])).join('\n\n');
  const proof = reader.optionalString(item['encrypted_content'], [...path, 'encrypted_content']);
  if (proof?.startsWith(REDACTED))
    return thoughts({ type: 'thinking', text: '', signature: proof.slice(REDACTED.length), redacted: true });
  return thoughts({ type: 'thinking', text, ...(proof !== undefined && { signature: proof }) });
}

const thoughts = (part: ContentPart): Message => ({ role: 'assistant', content: [part] });

function readTexts(reader: DialectReader, value: unknown, path: Path): readonly string[] {
  const parts = reader.list(value, path, 'parts', MOST_ITEMS) ?? [];
  return parts.map((part, index) => {
    const at = [...path, index];
    const { type, text } = reader.record(part, at, 'an object with a text');
    reader.oneOf(type, [...at, 'type'], ['summary_text', 'reasoning_text']);
    return reader.text(text, [...at, 'text']);
  });
}

/** What an assistant says in several items is one message of it: a call belongs to the text and the thoughts before it. */
export function joined(messages: readonly Message[]): readonly Message[] {
  const joint: (Message & { readonly content: ContentPart[] })[] = [];
  for (const message of messages) {
    const last = joint.at(-1);
    if (last?.role === 'assistant' && message.role === 'assistant') last.content.push(...message.content);
    else joint.push({ ...message, content: [...message.content] });
  }
  return joint;
}
