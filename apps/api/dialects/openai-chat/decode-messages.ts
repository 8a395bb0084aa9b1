import type { ContentPart, Message, MessageRole } from '#calls/hosted/port.js';
import { isPresent } from '#primitives/values.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import { assistantParts } from './decode-assistant.js';
import { contentOf, markerOf } from './decode-parts.js';
import { LegacyCalls } from './legacy-calls.js';
import type { ChatMessage, ChatRole } from './message-schemas.js';

type Path = readonly (string | number)[];

/** Decodes `messages`. The older `function` messages and `function_call` become results and calls of tools. */
export function messagesOf(reader: DialectReader, messages: readonly ChatMessage[]): readonly Message[] {
  const legacy = new LegacyCalls();
  return messages.map((message, index) => messageOf(reader, message, ['messages', index], legacy));
}

function messageOf(reader: DialectReader, message: ChatMessage, path: Path, legacy: LegacyCalls): Message {
  const { role, name } = message;
  reader.carryOthers(message, FIELDS[role], path);
  return {
    role: INTERNAL[role],
    content: marked(partsOf(reader, message, path, legacy), markerOf(message)),
    // A tool message's name repeats the one in its call.
    ...(isPresent(name) && INTERNAL[role] !== 'tool' && { name }),
  };
}

const INTERNAL: Readonly<Record<ChatRole, MessageRole>> = {
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

function partsOf(reader: DialectReader, message: ChatMessage, path: Path, legacy: LegacyCalls): readonly ContentPart[] {
  if (message.role === 'assistant') return assistantParts(reader, message, path, legacy);
  const content = contentOf(reader, message.content ?? [], path);
  if (message.role === 'tool') return [{ type: 'tool-result', id: message.tool_call_id!, content }];
  if (message.role === 'function') return [{ type: 'tool-result', id: legacy.answered(message.name!), content }];
  return content;
}

/** A marker on a message applies to its last part. */
function marked(parts: readonly ContentPart[], marker: Pick<ContentPart, 'cacheControl'>): readonly ContentPart[] {
  if (marker.cacheControl === undefined || parts.length === 0) return parts;
  return parts.map((part, index) => (index === parts.length - 1 ? { ...marker, ...part } : part));
}
