import { v7 as uuid7 } from 'uuid';
import { LOG_SECRET_BOUND, type LogEvent } from '#domain/log/events.js';
import { streamName } from '#domain/streams.js';
import { LOG_CREATED, type LogFacts } from '#ports/event-store/log-created.js';
import {
  expectedAfter,
  StreamNotFoundError,
  WrongExpectedRevisionError,
  type EventStore,
  type EventToAppend,
} from '#ports/event-store/port.js';
import type { SecretKey } from '#primitives/secrets/index.js';

export const SECRET_STREAM = streamName('log', 'secret');

/** Binds the log to a secret, unless it is. @returns whether it was bound to another */
export async function bindTo(store: EventStore, { fingerprint }: SecretKey): Promise<boolean> {
  for (;;) {
    const before = await boundSecret(store);
    if (before.fingerprint === fingerprint) return false;
    try {
      await store.append(SECRET_STREAM, expectedAfter(before.revision), [secretBound(fingerprint, before.fingerprint)]);
      return true;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
  }
}

/** The fingerprint that the log names; null where it names none. */
export async function boundSecret(store: EventStore): Promise<{ fingerprint: string | null; revision: number }> {
  try {
    for await (const event of store.readStream(SECRET_STREAM, { direction: 'backwards', limit: 1 }))
      return { fingerprint: (event.data as LogEvent['data']).fingerprint, revision: event.revision };
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
  for await (const { data } of store.readAll({ filter: { types: [LOG_CREATED] }, limit: 1 }))
    return { fingerprint: (data as LogFacts).secretFingerprint ?? null, revision: -1 };
  return { fingerprint: null, revision: -1 };
}

/** The event that a log goes on with this secret. */
export function secretBound(fingerprint: string, replaced: string | null): EventToAppend {
  const commandId = uuid7();
  const boundAt = new Date().toISOString();
  return {
    id: commandId,
    type: LOG_SECRET_BOUND,
    data: { fingerprint, replaced, boundAt },
    metadata: {
      workspaceId: null,
      actor: 'system:secret',
      correlationId: commandId,
      causationId: commandId,
      commandId,
      occurredAt: boundAt,
    },
  };
}
