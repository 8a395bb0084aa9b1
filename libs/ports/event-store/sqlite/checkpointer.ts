import type { DatabaseSync } from 'node:sqlite';

/** Pages (of 4 KiB) in the write-ahead log after which they are moved into the database. */
const PAGES = 2_000;
const PAGE_BYTES = 4_096;
/** Beyond this number, the writer waits for readers (up to the busy timeout), so that the file stops growing. */
const MAX_PAGES = 32_000;
/** Pages that an event may touch beside those of its texts: its row, and one of each index. */
const PAGES_PER_EVENT = 4;

interface WalState {
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * Moves committed pages from the write-ahead log into the database between groups, after their callers have their
 * answer, so that no acknowledgement waits for it. SQLite's own checkpoints run within a commit.
 */
export function checkpointer(database: () => DatabaseSync) {
  let immediate: NodeJS.Immediate | null = null;
  let prepared = prepare(database());
  /** Pages until the write-ahead log has to be looked at. */
  let left = 0;
  const run = () => {
    immediate = null;
    try {
      // Opened again since: after a commit that failed.
      if (prepared.database !== database()) prepared = prepare(database());
      const { log, checkpointed } = prepared.state.get() as unknown as WalState;
      left = PAGES - (log - checkpointed);
      if (left <= 0) prepared.database.exec('PRAGMA wal_checkpoint(PASSIVE)');
      if (log >= MAX_PAGES) prepared.database.exec('PRAGMA wal_checkpoint(RESTART)');
    } catch {
      // No room, or no database at present: the pages are safe, and the next group of appends retries.
    }
  };
  return {
    /** Called after a commit. @param characters of its events' texts */
    consider(events: number, characters: number): void {
      left -= 1 + events * PAGES_PER_EVENT + characters / PAGE_BYTES;
      if (left <= 0) immediate ??= setImmediate(run);
    },
    /** Empties the write-ahead log, so that deleted content does not remain in it. */
    empty(): void {
      try {
        database().exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } catch {
        // Readers took too long, or there is no room: the file is overwritten gradually from its start.
      }
    },
    close(): void {
      if (immediate) clearImmediate(immediate);
    },
  };
}

const prepare = (database: DatabaseSync) => ({ database, state: database.prepare('PRAGMA wal_checkpoint(NOOP)') });
