import type { ContentPart, Message, Role } from '#hosted-models/port.js';
import { isRecord, kindOf } from '../../validation/reader.js';
import { isPresent, type DialectReader } from '../shared/dialect-reader.js';
import { readAssistant } from './decode-assistant.js';
import { readContent } from './decode-parts.js';
import { LegacyCalls } from './legacy-calls.js';
import { readCacheControl } from './decode-tools.js';

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

export const MOST_MESSAGES = 10_000;
const ROLES = ['developer', 'system', 'user', 'assistant', 'tool', 'function'] as const;
type ChatRole = (typeof ROLES)[number];

/** `messages` of a chat completion. What came before tools (`function` messages, `function_call`) becomes calls and results of tools. */
export function readMessages(reader: DialectReader, value: unknown): readonly Message[] {
  const path: Path = ['messages'];
  if (!Array.isArray(value)) {
    if (!isPresent(value)) reader.refuse(path, 'is required: a list of messages', 'missing');
    else reader.refuse(path, `must be a list of messages, not ${kindOf(value)}`, 'wrong_type');
    return [];
  }
  reader.count(path, value.length, 'message', MOST_MESSAGES);
  const legacy = new LegacyCalls();
  return value
    .slice(0, MOST_MESSAGES)
    .map((item: unknown, index) => readMessage(reader, item, ['messages', index], legacy));
}

function readMessage(reader: DialectReader, item: unknown, path: Path, legacy: LegacyCalls): Message {
  if (!isRecord(item)) {
    reader.refuse(path, `must be an object with role and content, not ${kindOf(item)}`, 'wrong_type');
    return { role: 'user', content: [] };
  }
  const given = item['role'];
  if (!isPresent(given)) reader.refuse([...path, 'role'], `is required: ${ROLES.join(', ')}`, 'missing');
  const role = reader.oneOf(given, [...path, 'role'], ROLES) ?? 'user';
  reader.carryOthers(item, FIELDS[role], path);
  const name = item['name'] ?? undefined;
  return {
    role: INTERNAL[role],
    content: marked(readParts(reader, role, item, path, legacy), readCacheControl(reader, item, path)),
    // The name of a tool's message is that of the tool, which its call says.
    ...(name !== undefined && INTERNAL[role] !== 'tool' && { name: reader.string(name, [...path, 'name'], 'a name') }),
  };
}

const INTERNAL: Readonly<Record<ChatRole, Role>> = {
  ...{ developer: 'system', system: 'system', user: 'user', assistant: 'assistant', tool: 'tool', function: 'tool' },
};

const PLAIN = ['role', 'content', 'name', 'cache_control'];
const FIELDS: Readonly<Record<ChatRole, ReadonlySet<string>>> = {
  developer: new Set(PLAIN),
  system: new Set(PLAIN),
  user: new Set(PLAIN),
  assistant: new Set([
    ...PLAIN,
    ...['refusal', 'tool_calls', 'function_call', 'audio', 'thinking_blocks', 'reasoning_content', 'reasoning'],
  ]),
  tool: new Set([...PLAIN, 'tool_call_id']),
  function: new Set(PLAIN),
};

function readParts(
  reader: DialectReader,
  role: ChatRole,
  item: Fields,
  path: Path,
  legacy: LegacyCalls,
): readonly ContentPart[] {
  const at = [...path, 'content'];
  switch (role) {
    case 'assistant':
      return readAssistant(reader, item, path, legacy);
    case 'tool': {
      const id = reader.string(item['tool_call_id'], [...path, 'tool_call_id'], 'the id of the tool call');
      return [{ type: 'tool-result', id, content: readContent(reader, item['content'], at) }];
    }
    case 'function': {
      const id = legacy.answered(reader.string(item['name'], [...path, 'name'], 'the name of the function'));
      const content = item['content'] === null ? [] : readContent(reader, item['content'], at);
      return [{ type: 'tool-result', id, content }];
    }
    default:
      return readContent(reader, item['content'], at);
  }
}

/** A marker on a message stands for one on its last part. */
function marked(parts: readonly ContentPart[], marker: Pick<ContentPart, 'cacheControl'>): readonly ContentPart[] {
  if (marker.cacheControl === undefined || parts.length === 0) return parts;
  return parts.map((part, index) => (index === parts.length - 1 ? { ...marker, ...part } : part));
}
