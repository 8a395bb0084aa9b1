import type { DatabaseSync } from 'node:sqlite';

/** Pages (of 4 KiB) in the write-ahead log after which they are moved into the database. */
const PAGES = 2_000;
/** Beyond this, readers are waited for (up to the busy timeout), so that the file stops growing. */
const MOST_PAGES = 32_000;

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
  const wal = (mode: 'NOOP' | 'PASSIVE' | 'RESTART') =>
    database().prepare(`PRAGMA wal_checkpoint(${mode})`).get() as unknown as WalState;
  const run = () => {
    immediate = null;
    try {
      const { log, checkpointed } = wal('NOOP');
      if (log - checkpointed >= PAGES) wal('PASSIVE');
      if (log >= MOST_PAGES) wal('RESTART');
    } catch {
      // No room, or no database now: the pages are safe where they are, and the next group comes by here again.
    }
  };
  return {
    consider(): void {
      immediate ??= setImmediate(run);
    },
    close(): void {
      if (immediate) clearImmediate(immediate);
    },
  };
}
