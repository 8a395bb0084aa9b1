import { ABSENT, type Coordination } from '#ports/coordination/port.js';
import type { EventStore } from '#ports/event-store/port.js';
import { StartRefusedError } from './start-refused.js';

const KEY = 'event-log';

/** The id of the log that this coordination belongs to; null before the first start. */
export async function rememberedLog(coordination: Coordination): Promise<string | null> {
  const entry = await coordination.get(KEY);
  return entry ? (entry.value as { logId: string }).logId : null;
}

/**
 * Checks that coordination belongs to this log.
 * @throws StartRefusedError when it belongs to another: data derived from that one would be dropped
 */
export async function requireSameLog(eventStore: EventStore, coordination: Coordination): Promise<void> {
  const { logId } = await eventStore.head();
  const remembered = await rememberedLog(coordination);
  if (remembered === logId) return;
  if (remembered === null && (await coordination.compareAndSet(KEY, ABSENT, { logId }))) return;
  // Another process may have been first.
  const other = await rememberedLog(coordination);
  if (other === logId) return;
  throw new StartRefusedError(
    `this event log (${logId}) is not the one that the sessions, limits and read models here belong to (${other}); ` +
      'restore that log from its backup together with coordination (coordination.db, or its MongoDB database), or use a ' +
      'folder or database of its own for this one',
  );
}
