import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  EventStoreUnavailableError,
  LogDamagedError,
  type SubscribeOptions,
  type SubscriptionMessage,
} from '../port.js';
import { CommitSignal } from './commit-signal.js';
import type { LogPages, Page } from './pages.js';
import { fromPosition, toPosition } from './position.js';

const BATCH_SIZE = 500;
/** Poll interval, for missed announcements and for readers in other processes, which receive none. */
const POLL_MS = 250;
const MAX_RETRY_MS = 5_000;

/**
 * History, then live events, in one loop: read what follows the last position, deliver it, and wait for a commit when
 * there is no more. Without a handover, no event can be lost or doubled. `caught-up` is delivered at first, and again
 * each time catching up took more than one batch. A running subscription keeps its process alive, as an open socket
 * does.
 */
export async function* follow(
  log: LogPages,
  { after, filter, signal, onTrouble, batchSize = BATCH_SIZE, notBefore = () => 0 }: SubscribeOptions,
): AsyncGenerator<SubscriptionMessage> {
  let position = after === null ? 0 : fromPosition(after);
  let behind = true;
  const commits = new CommitSignal(log.logId, signal);
  try {
    while (!signal.aborted) {
      commits.reset();
      const { page, covered } = await retried(log, commits, { signal, ...(onTrouble && { onTrouble }) }, async () => {
        // The head first: the page is read after it, so it includes the head.
        const head = log.head();
        const read = log.logPage('forwards', position, filter, batchSize, !behind);
        const covered = read.last ? Math.max(head, read.next) : read.next;
        // After the page, so that it includes all that this installation wrote of it.
        const end = log.sealedEnd() ?? Infinity;
        return withinSeal({ page: await log.complete(read), covered }, end);
      });
      if (page.events.length > 0) yield { kind: 'events', events: page.events };
      const given = page.events.at(-1)?.position ?? toPosition(position);
      position = Math.max(position, covered);
      if (toPosition(position) > given) yield { kind: 'checkpoint', position: toPosition(position) };
      if (page.last && behind) yield { kind: 'caught-up' };
      behind = !page.last;
      if (behind) await nextTurn();
      else await commits.commit(POLL_MS, notBefore);
    }
  } finally {
    commits.close();
  }
}

/** Without events behind the sealed end, which somebody else wrote: none of them acts. */
function withinSeal({ page, covered }: typeof NOTHING, end: number): typeof NOTHING {
  if (covered <= end) return { page, covered };
  const events = page.events.filter(({ position }) => position <= toPosition(end));
  return { page: { ...page, events, last: true }, covered: end };
}

const NOTHING: { page: Page; covered: number } = {
  page: { events: [], next: 0, last: true, characters: 0 },
  covered: 0,
};

/** An unreachable database does not end a subscription: it is opened again, after a growing pause. */
async function retried(
  log: LogPages,
  commits: CommitSignal,
  { signal, onTrouble }: Pick<SubscribeOptions, 'signal' | 'onTrouble'>,
  read: () => Promise<typeof NOTHING>,
): Promise<typeof NOTHING> {
  for (let pause = 50; !signal.aborted; pause = Math.min(pause * 2, MAX_RETRY_MS)) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof EventStoreUnavailableError) || error instanceof LogDamagedError) throw error;
      onTrouble?.(error);
      await commits.pause(pause);
      if (!signal.aborted) reconnect(log);
    }
  }
  return NOTHING;
}

function reconnect(log: LogPages): void {
  try {
    log.reconnect();
  } catch {
    // The next read fails as well, and is followed by a longer pause.
  }
}
