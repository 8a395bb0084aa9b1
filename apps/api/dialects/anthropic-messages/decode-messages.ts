import type { ContentPart, Message } from '#hosted-models/port.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import { MOST_MESSAGES } from './bounds.js';
import { readContent } from './decode-content.js';

const ROLES = ['user', 'assistant', 'system'] as const;
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['role', 'content']);

/** At least one. Results of tools, which stand in the user's messages here, are messages of their own elsewhere. */
export function readMessages(reader: DialectReader, value: unknown): readonly Message[] {
  if (value === undefined || value === null) reader.refuse(['messages'], 'is required: a list of messages', 'missing');
  const messages = reader.list(value, ['messages'], 'messages', MOST_MESSAGES) ?? [];
  if (Array.isArray(value) && value.length === 0)
    reader.refuse(['messages'], 'must hold at least one message', 'out_of_range');
  return messages.flatMap((message, index) => readMessage(reader, message, index));
}

function readMessage(reader: DialectReader, value: unknown, index: number): readonly Message[] {
  const path = ['messages', index];
  const message = reader.record(value, path, 'an object with role and content');
  reader.carryOthers(message, MESSAGE_FIELDS, path);
  if (message['role'] === undefined || message['role'] === null)
    reader.refuse([...path, 'role'], `is required: one of ${ROLES.join(', ')}`, 'missing');
  const role = reader.oneOf(message['role'], [...path, 'role'], ROLES) ?? 'user';
  return byRole(role, readContent(reader, message['content'], [...path, 'content']));
}

/** One message, or several in turn where results of tools stand among other parts. */
function byRole(role: (typeof ROLES)[number], content: readonly ContentPart[]): readonly Message[] {
  const messages: { role: Message['role']; content: ContentPart[] }[] = [];
  for (const part of content) {
    const said = part.type === 'tool-result' ? 'tool' : role;
    const last = messages.at(-1);
    if (last?.role === said) last.content.push(part);
    else messages.push({ role: said, content: [part] });
  }
  return messages.length > 0 ? messages : [{ role, content: [] }];
}

/** The message before all others. */
export function readSystem(reader: DialectReader, value: unknown): Message | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const content = readContent(reader, value, ['system']);
  return content.length > 0 ? { role: 'system', content } : undefined;
}
