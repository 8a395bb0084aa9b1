import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { StoredEvent } from '../log/tables.js';
import { invalidArgument } from '../protocol/errors.js';
import { streams, type StreamMessages } from '../protocol/messages.js';
import type { ReadRequest } from '../protocol/read-request.js';
import { toReadEvent } from '../protocol/recorded-event.js';
import type { ServiceContext } from './context.js';
import type { Outbox } from './outbox.js';
import { PAGE, startInLog } from './paging.js';

/** The history of the log from a place on, then live events, until the caller goes. */
export async function subscribe(context: ServiceContext, request: ReadRequest, outbox: Outbox): Promise<void> {
  const { filter } = request;
  if (!filter) throw invalidArgument('a subscription has no filter');
  const next = pagesBehind(context, request);
  const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID());
  await outbox.send(new streams.ReadResp().setConfirmation(confirmation));
  let live = false;
  let lookedAt = 0;
  while (!outbox.closed) {
    // A page may hold nothing to wait for: others have their turn all the same.
    await turn();
    const page = next();
    if (page.length === 0 && live) await outbox.until(context.log, 'commit');
    else if (page.length === 0) {
      live = true;
      await outbox.send(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()));
    }
    for (const event of page) {
      if (outbox.closed) return;
      if (filter.matches(event)) await outbox.send(toReadEvent(event));
      lookedAt += 1;
      if (lookedAt % filter.checkpointInterval === 0)
        await outbox.send(checkpoint(context.log.placeBehind(event.position)));
    }
  }
}

function pagesBehind({ log, control }: ServiceContext, { source, filter }: ReadRequest): () => readonly StoredEvent[] {
  if (source.kind !== 'all') throw invalidArgument('a subscription is to the whole log');
  let place = source.from === 'start' ? -1 : startInLog(log, source.from);
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

/**
 * The checkpoint of servers up to 24.10.4 and 25.0.0: the place of the next record, which may be the very next one
 * appended. https://github.com/kurrent-io/KurrentDB/issues/3989, https://github.com/kurrent-io/KurrentDB/issues/4970
 */
function checkpoint(place: number): StreamMessages.ReadResp {
  return new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint().setCommitPosition(String(place)).setPreparePosition('0'),
  );
}
