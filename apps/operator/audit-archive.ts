import type { Application } from '#application/application.js';
import { segmentsOf, storePart } from '#audit/archiving.js';
import { NoteError, parseVerifier } from '#audit/checkpoint.js';
import { TreeDamagedError } from '#audit/tree-files.js';
import { AUDIT_KEYS, auditKeyDecider } from '#domain/audit-key/index.js';
import { LOG_ARCHIVE, logArchiveDecider } from '#domain/log-archive/index.js';
import { ARCHIVE_PREFIX, SegmentDamagedError } from '#ports/event-store/archive/index.js';
import type { EventStore } from '#ports/event-store/port.js';
import { OperationError, type Operations } from './operation.js';
import { timeOf } from './time.js';
import { operatorContext } from './operator-context.js';

/** The log's archive in the object store: `audit.archive`. */
export const archiveOperations = (application: Application): Operations => ({
  /**
   * `{before}`: moves the texts of recorded calls before that time (ISO 8601 in UTC) from the log to its archive. Yields
   * `{events, segments, before, to}`: `to` is the position of the last event that is archived now, null for none.
   */
  async *'audit.archive'({ before }, signal) {
    const time = timeOf('--before', before);
    if (time === null || time > new Date().toISOString())
      throw new OperationError('--before must be a time in the past, such as 2030-01-02T03:04:05Z');
    const store = archivingStore(application);
    const { keys } = await application.load(auditKeyDecider, AUDIT_KEYS);
    const verifiers = keys.map(({ verifier }) => parseVerifier(verifier));
    const { objectStore: objects } = application.ports;
    const options = { log: store, objects, verifiers, before: time, signal };
    let state = await application.load(logArchiveDecider, LOG_ARCHIVE);
    let [events, segments] = [0, 0];
    // The last command may have been stopped before it was done.
    await explained(() => drop(state));
    for (;;) {
      const part = await explained(() => storePart({ ...options, after: state.to }));
      if (part === null) break;
      const command = { type: 'record-archived', ...part, before: options.before } as const;
      const context = operatorContext(null);
      ({ state } = await application.execute(logArchiveDecider, LOG_ARCHIVE, command, context));
      if (state.to !== part.to) throw new OperationError('another command archives at the same time: try again later');
      await explained(() => drop(state));
      [events, segments] = [events + part.events, segments + part.segments];
      signal.throwIfAborted();
    }
    yield { events, segments, before: options.before, to: state.to };

    async function drop({ after, to }: { readonly after: string | null; readonly to: string | null }): Promise<void> {
      if (to === null) return;
      for await (const segment of segmentsOf(objects, after, to)) {
        signal.throwIfAborted();
        await store.archive(segment.key, segment.events);
      }
    }
  },
});

/** @throws OperationError */
function archivingStore({ storedEvents }: Application): EventStore & Required<Pick<EventStore, 'archive'>> {
  if (storedEvents.archive === undefined)
    throw new OperationError(
      'only a log on SQLite can be archived: let EventStoreDB move old files itself, by Archiving of KurrentDB 25.0',
    );
  return storedEvents as EventStore & Required<Pick<EventStore, 'archive'>>;
}

/** @throws OperationError in place of what `audit verify` explains */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NoteError || error instanceof TreeDamagedError)
      throw new OperationError(`nothing more was removed, because log and audit tree do not agree: ${error.message}`);
    if (error instanceof SegmentDamagedError)
      throw new OperationError(
        `an object below ${ARCHIVE_PREFIX} is damaged, and its events stay in the log: ${error.message}`,
      );
    throw error;
  }
}
