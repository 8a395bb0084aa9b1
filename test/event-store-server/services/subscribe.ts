import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { readable } from '../log/readable.js';
import type { StoredEvent } from '../log/tables.js';
import { streamDeleted } from '../protocol/errors.js';
import { streams, type StreamMessages } from '../protocol/messages.js';
import type { ReadRequest } from '../protocol/read-request.js';
import { toReadEvent } from '../protocol/recorded-event.js';
import type { ServiceContext } from './context.js';
import type { Outbox } from './outbox.js';
import { PAGE, startInLog } from './paging.js';

/** History from a place on, then live events, until the caller goes. Ends with an error when its stream gets a tombstone. */
export async function subscribe(context: ServiceContext, request: ReadRequest, outbox: Outbox): Promise<void> {
  const next = request.source.kind === 'all' ? fromLog(context, request) : fromStream(context, request);
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
    } else if (live && page.length === PAGE) {
      live = false;
      await outbox.send(new streams.ReadResp().setFellBehind(new streams.ReadResp.FellBehind()));
    }
    for (const event of page) {
      if (outbox.closed) return;
      if (!request.filter || request.filter.matches(event))
        await outbox.send(toReadEvent(event, request.structuredIds));
      lookedAt += 1;
      if (request.filter && lookedAt % request.filter.checkpointInterval === 0)
        await outbox.send(checkpoint(context.log.placeBehind(event.position)));
    }
  }
}

type NextPage = () => readonly StoredEvent[];

function fromLog({ log, control }: ServiceContext, { source, filter }: ReadRequest): NextPage {
  if (source.kind !== 'all') throw new TypeError('not the log');
  let place = source.from === 'start' ? -1 : startInLog(log, source.from);
  if (source.from === 'end') place = log.tables.placeAtOrBefore(place) ?? -1;
  else if (control.repeatLastOnReconnect && source.from !== 'start') place = beforeLast(place);
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

function fromStream({ log, control }: ServiceContext, { source }: ReadRequest): NextPage {
  if (source.kind !== 'stream') throw new TypeError('not a stream');
  const { name, from } = source;
  const last = () => {
    const found = readable(log, name);
    return found.kind === 'readable' ? found.last : -1;
  };
  let revision = from === 'start' ? -1 : from === 'end' ? last() : from;
  if (control.repeatLastOnReconnect && typeof from === 'number') revision -= 1;
  return () => {
    const found = readable(log, name);
    if (found.kind === 'deleted') throw streamDeleted(name);
    if (found.kind === 'not-found') return [];
    const page = log.tables.streamPage(found.id, Math.max(revision + 1, found.first), found.last, 'forwards', PAGE);
    revision = page.at(-1)?.revision ?? revision;
    return page;
  };
}

/**
 * As servers up to 24.10.4 and 25.0.0 tell it: the place where the next record begins, which may be the very next one that is
 * appended. https://github.com/kurrent-io/KurrentDB/issues/3989, https://github.com/kurrent-io/KurrentDB/issues/4970
 */
function checkpoint(place: number): StreamMessages.ReadResp {
  return new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint().setCommitPosition(String(place)).setPreparePosition('0'),
  );
}
