import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { EventLog } from '../log/event-log.js';
import type { StoredEvent } from '../log/tables.js';
import { invalidArgument } from '../protocol/errors.js';
import { streams } from '../protocol/messages.js';
import type { LogPosition, ReadRequest } from '../protocol/read-request.js';
import { toReadEvent } from '../protocol/recorded-event.js';
import type { Release, ServiceContext } from './context.js';
import type { Outbox } from './outbox.js';
import { PAGE, startInLog } from './paging.js';

/** The history of the log from a place on, then live events, until the caller goes. Live events that fill a page are history again. */
export async function subscribe(context: ServiceContext, request: ReadRequest, outbox: Outbox): Promise<void> {
  const { filter } = request;
  if (!filter) throw invalidArgument('a subscription has no filter');
  const { log, release } = context;
  const next = pagesBehind(context, request);
  const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID());
  await outbox.send(new streams.ReadResp().setConfirmation(confirmation));
  const told = new Told(release, log);
  let live = false;
  let lookedAt = 0;
  while (!outbox.closed) {
    // A page may hold nothing to wait for: others have their turn all the same.
    await turn();
    const page = next();
    if (page.length === 0 && live) await outbox.until(log, 'commit');
    else if (page.length === 0) {
      live = true;
      if (lookedAt > 0) await told.checkpoint(outbox, told.atEnd);
      await outbox.send(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()));
    } else if (lookedAt === 0) await told.checkpoint(outbox, told.atStart);
    else if (live && page.length === PAGE) {
      live = false;
      await outbox.send(new streams.ReadResp().setFellBehind(new streams.ReadResp.FellBehind()));
    }
    for (const event of page) {
      if (outbox.closed) return;
      if (filter.matches(event)) await told.event(outbox, event);
      lookedAt += 1;
      if (lookedAt % filter.checkpointInterval === 0) await told.checkpoint(outbox, placeBehind(log, event.position));
    }
  }
}

function pagesBehind({ log, control }: ServiceContext, { source, filter }: ReadRequest): () => readonly StoredEvent[] {
  if (source.kind !== 'all') throw invalidArgument('a subscription is to the whole log');
  let place = source.from === 'start' ? -1 : startInLog(log, source.from, 'forwards');
  if (control.repeatLastOnReconnect && source.from !== 'start') place = beforeLast(place);
  return () => {
    const page = log.tables.logPage(place + 1, 'forwards', PAGE);
    place = page.at(-1)?.position ?? place;
    return page;
  };

  function beforeLast(at: number): number {
    for (let before = at + 1; ;) {
      const [event] = log.tables.logPage(before, 'backwards', 1);
      if (!event) return at;
      if (!filter || filter.matches(event)) return event.position - 1;
      before = event.position;
    }
  }
}

/** What a subscription has told so far, and which checkpoints its release adds to those after each window. */
class Told {
  private last: LogPosition = NOWHERE;

  constructor(
    private readonly release: Release,
    private readonly log: EventLog,
  ) {}

  /** The checkpoint before the first event. */
  get atStart(): LogPosition | null {
    return this.release === '23.10' ? START_OF_LOG : null;
  }

  /**
   * The checkpoint where history ends. From 24.2 it repeats what was told last, be it nothing:
   * https://github.com/kurrent-io/KurrentDB/pull/4892. In 25.0.0 it is where the next event will be:
   * https://github.com/kurrent-io/KurrentDB/pull/4975.
   */
  get atEnd(): LogPosition | null {
    if (this.release === '23.10') return null;
    return this.release === '24.10' ? this.last : placeBehind(this.log, Number.MAX_SAFE_INTEGER - 1);
  }

  async event(outbox: Outbox, event: StoredEvent): Promise<void> {
    this.last = { commit: String(event.position), prepare: String(event.position) };
    await outbox.send(toReadEvent(event));
  }

  async checkpoint(outbox: Outbox, place: LogPosition | null): Promise<void> {
    if (!place) return;
    this.last = place;
    const { commit, prepare } = place;
    const checkpoint = new streams.ReadResp.Checkpoint().setCommitPosition(commit).setPreparePosition(prepare);
    await outbox.send(new streams.ReadResp().setCheckpoint(checkpoint));
  }
}

const START_OF_LOG: LogPosition = { commit: '0', prepare: '0' };
/** The largest number of 64 bits, twice. */
const NOWHERE: LogPosition = { commit: String(2n ** 64n - 1n), prepare: String(2n ** 64n - 1n) };

/**
 * The place of the next record, which may be the very next one appended.
 * https://github.com/kurrent-io/KurrentDB/issues/3989, https://github.com/kurrent-io/KurrentDB/issues/4970
 */
const placeBehind = (log: EventLog, place: number): LogPosition => ({
  commit: String(log.placeBehind(place)),
  prepare: '0',
});
