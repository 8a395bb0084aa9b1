import type { ContentPart, Message } from '#calls/hosted/port.js';
import { isPresent } from '#primitives/values.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import { contentOf } from './decode-content.js';
import type { AnthropicMessage, AnthropicMessagesBody } from './dto.js';

const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['role', 'content']);

/** Splits tool results, which this API puts into user messages, into separate messages. */
export const messagesOf = (reader: DialectReader, messages: readonly AnthropicMessage[]): readonly Message[] =>
  messages.flatMap((message, index) => {
    const path = ['messages', index];
    reader.carryOthers(message, MESSAGE_FIELDS, path);
    const { role, content } = message;
    if (role !== 'assistant' && !isPresent(content))
      reader.refuse([...path, 'content'], 'is required and must be a string or a list of blocks', 'missing');
    if (typeof content === 'string') return { role, content: [{ type: 'text', text: content }] };
    return byRole(role, contentOf(reader, content ?? [], [...path, 'content']));
  });

/** Splits a message at its tool results: each run of either kind becomes a message. */
function byRole(role: AnthropicMessage['role'], content: readonly ContentPart[]): readonly Message[] {
  if (content.every(({ type }) => type !== 'tool-result')) return [{ role, content }];
  const messages: { role: Message['role']; content: ContentPart[] }[] = [];
  for (const part of content) {
    const said = part.type === 'tool-result' ? 'tool' : role;
    const last = messages.at(-1);
    if (last?.role === said) last.content.push(part);
    else messages.push({ role: said, content: [part] });
  }
  return messages;
}

/** The system message. */
export function systemOf(reader: DialectReader, system: AnthropicMessagesBody['system']): Message | undefined {
  if (!isPresent(system) || system.length === 0) return undefined;
  return { role: 'system', content: contentOf(reader, system, ['system']) };
}
