import { createHash, randomUUID } from 'node:crypto';
import type { Message } from './port.js';

/** An id for a call that its model gave none; every provider takes it. */
export const newCallId = (): string => `call_${randomUUID().replaceAll('-', '')}`;

/** Ids that a style's providers take, which other styles' may not keep to. */
const TAKEN = {
  anthropic: /^[\w-]+$/,
  openai: /^[^]{1,40}$/,
} as const;

/** The id of a tool call for a provider: another one has the same replacement in the call and in its result. */
export function callIdFor(style: keyof typeof TAKEN, id: string): string {
  if (TAKEN[style].test(id)) return id;
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

/**
 * The ids of a conversation's calls, of which some models repeat one in each turn (`call_0`): a repeated id becomes
 * another, in the call and in the result that answers it.
 */
export class DistinctCallIds {
  private readonly calls = new Map<string, { times: number; last: string; readonly open: string[] }>();

  called(id: string): string {
    const call = this.calls.get(id) ?? { times: 0, last: id, open: [] };
    this.calls.set(id, call);
    call.times += 1;
    if (call.times > 1) call.last = callIdFor('anthropic', `${id}:${call.times}`);
    call.open.push(call.last);
    return call.last;
  }

  /** The id of the first call that no result has answered. */
  answered(id: string): string {
    const call = this.calls.get(id);
    return call?.open.shift() ?? call?.last ?? id;
  }
}

/** A conversation in which no two calls have one id. */
export function withDistinctCalls(messages: readonly Message[]): readonly Message[] {
  const ids = new DistinctCallIds();
  return messages.map((message) => ({
    ...message,
    content: message.content.map((part) => {
      if (part.type === 'tool-call') return { ...part, id: ids.called(part.id) };
      return part.type === 'tool-result' ? { ...part, id: ids.answered(part.id) } : part;
    }),
  }));
}

/** Why the tool results of a conversation cannot be read: one of them answers no call before it. null: each does. */
export function resultWithoutCall(messages: readonly Message[]): string | null {
  const called = new Set<string>();
  for (const { content } of messages)
    for (const part of content) {
      if (part.type === 'tool-call') called.add(part.id);
      if (part.type === 'tool-result' && !called.has(part.id))
        return `has a result of the tool call ${JSON.stringify(part.id.slice(0, 100))}, and no such call before it; send the message with that call too`;
    }
  return null;
}
