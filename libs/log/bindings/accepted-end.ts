import { LOG_END_ACCEPTED, type LogEndAccepted } from '#domain/log/events.js';
import { streamName } from '#domain/streams.js';
import { factsOf } from '#ports/event-store/log-created.js';
import { expectedAfter, type EventStore } from '#ports/event-store/port.js';
import { binding, lastBinding } from './log-bindings.js';

const SEAL_STREAM = streamName('log', 'seal');

/** Whether the log says that its end has a seal. */
export const wasSealed = async (store: Pick<EventStore, 'readStream' | 'readAll'>): Promise<boolean> =>
  (await factsOf(store)).hasSeal === true || (await lastBinding(store, SEAL_STREAM)) !== null;

/** Records that events without a seal count as the installation's own. */
export async function recordAccepted(
  store: EventStore,
  { by, ...accepted }: Omit<LogEndAccepted['data'], 'boundAt' | 'by'> & { readonly by: string | null },
): Promise<void> {
  const last = await lastBinding(store, SEAL_STREAM);
  const actor = by === null ? 'system:log' : 'system:operator';
  const event = binding<LogEndAccepted>(LOG_END_ACCEPTED, actor, accepted, by);
  await store.append(SEAL_STREAM, expectedAfter(last?.revision ?? -1), [event]);
}
