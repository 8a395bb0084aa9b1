import { ABSENT, type Coordination } from '#ports/coordination/port.js';
import type { EventStore } from '#ports/event-store/port.js';
import { MARK, markedFor } from '#ports/object-store/mark.js';
import { ObjectStoreUnavailableError, type ObjectStore } from '#ports/object-store/port.js';
import { StartRefusedError } from './start-refused.js';

/** The entry of coordination that says that the objects were marked. */
const MARKED = 'objects-of-log';

interface ObjectsOfLogOptions {
  /** Continues with the store as it is. */
  readonly replace?: boolean;
}

/**
 * Verifies that the objects are those that the log names, and marks them at the first start. A store that does not answer now is
 * left to `/health`.
 * @throws StartRefusedError when they are gone, as after a failed mount, or belong to another log
 */
export async function requireObjectsOfLog(
  ports: { readonly eventStore: EventStore; readonly coordination: Coordination; readonly objectStore: ObjectStore },
  { replace = false }: ObjectsOfLogOptions = {},
): Promise<void> {
  const { eventStore, coordination, objectStore } = ports;
  const { logId } = await eventStore.head();
  try {
    // Read first: another process that starts on a new log now marks the objects before it says so.
    const wasMarked = (await coordination.get(MARKED)) !== null;
    const marked = await markedFor(objectStore);
    if (marked !== logId) {
      if (!replace && marked !== null) throw new StartRefusedError(areOthers(marked, logId));
      if (!replace && wasMarked) throw new StartRefusedError(ARE_GONE);
      await objectStore.put(MARK, Buffer.from(JSON.stringify({ logId })));
    }
    await coordination.compareAndSet(MARKED, ABSENT, { logId });
  } catch (error) {
    if (!(error instanceof ObjectStoreUnavailableError)) throw error;
  }
}

const REPLACE =
  'If they are lost for good, npx anneal objects replace goes on without them, after saying what ends with them';

const ARE_GONE =
  'the files of datasets and models are gone: the object store (objects/ in the data folder, or ANNEAL_OBJECT_STORE) is empty, as when a ' +
  `disk is not mounted; bring it back, or restore it from its backup. ${REPLACE}`;

const areOthers = (marked: string, logId: string | null): string =>
  `the object store belongs to another event log (${marked}) than this one (${logId}); name its own. ${REPLACE}`;
