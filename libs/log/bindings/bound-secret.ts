import { LOG_SECRET_BOUND, type LogSecretBound } from '#domain/log/events.js';
import { streamName } from '#domain/streams.js';
import { factsOf } from '#ports/event-store/log-created.js';
import {
  expectedAfter,
  WrongExpectedRevisionError,
  type EventStore,
  type EventToAppend,
} from '#ports/event-store/port.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import { binding, lastBinding } from './log-bindings.js';

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

/** The fingerprint that the log names; null if it names none. */
export async function boundSecret(
  store: Pick<EventStore, 'readStream' | 'readAll'>,
): Promise<{ fingerprint: string | null; revision: number }> {
  const last = await lastBinding(store, SECRET_STREAM);
  if (last) return { fingerprint: (last.data as LogSecretBound['data']).fingerprint, revision: last.revision };
  return { fingerprint: (await factsOf(store)).secretFingerprint ?? null, revision: -1 };
}

/** The event that binds a log to this secret. */
export const secretBound = (fingerprint: string, replaced: string | null): EventToAppend =>
  binding<LogSecretBound>(LOG_SECRET_BOUND, 'system:secret', { fingerprint, replaced });
