import { createHash, randomUUID } from 'node:crypto';

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
