import { randomUUID } from 'node:crypto';
import type { EventToStore } from './tables.js';

export interface SystemEvent {
  readonly stream: string;
  readonly event: EventToStore;
}

/** The first events of a new log, before any that a client writes. */
export const firstEvents = (): readonly SystemEvent[] => [
  { stream: '$$$stats-127.0.0.1:2113', event: json('$metadata', { $maxAge: 86_400 }) },
  { stream: '$$$scavenges', event: json('$metadata', { $maxCount: 1_000 }) },
  { stream: '$user-admin', event: json('$UserCreated', { loginName: 'admin', groups: ['$admins'], disabled: false }) },
  { stream: '$$$user-admin', event: json('$metadata', { $acl: { $r: ['admin', '$admins'] } }) },
  { stream: '$users', event: json('$User', 'admin') },
  { stream: '$settings', event: json('$settings', { $userStreamAcl: {}, $systemStreamAcl: {} }) },
];

/** The event that each start of the server appends. */
export const startEvent = (): SystemEvent => ({
  stream: '$epoch-information',
  event: json('$epoch-information', { epochId: randomUUID(), timeStamp: new Date().toISOString() }),
});

export const tombstoneEvent = (): EventToStore => event('$streamDeleted', new Uint8Array());

const json = (type: string, content: unknown): EventToStore => event(type, Buffer.from(JSON.stringify(content)));

const event = (type: string, data: Uint8Array): EventToStore => ({
  id: randomUUID(),
  type,
  contentType: 'application/json',
  data,
  metadata: new Uint8Array(),
});
