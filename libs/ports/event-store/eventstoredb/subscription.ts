import { setTimeout as sleep } from 'node:timers/promises';
import { matches } from '../matches.js';
import {
  EventStoreUnavailableError,
  type EventFilter,
  type RecordedEvent,
  type SubscribeOptions,
  type SubscriptionMessage,
} from '../port.js';
import { toRecorded } from './events.js';
import { ForeignEventError } from './own-events.js';
import { SubscriptionPlace } from './place.js';
import { isCheckpoint, toPosition } from './position.js';
import { lastEvent, passUnmatched, type ServerStream } from './reading.js';
import { SubscriptionCall, type Item } from './subscription-call.js';

const BATCH_SIZE = 500;
/** Time to fill a batch while history is read. */
const FILL_MS = 20;
/** Silence after which the log is polled; doubles while nothing new is found. */
const LOOK_AFTER_MS = { first: 100, longest: 10_000 };
/** Records looked at then. */
const LOOK_AT = 1024;
/** An event of the log that has not come within this time will not come in this call. */
const OVERDUE_MS = 10_000;
/** Interval of requests for the log's last event, when the server reports having read further than known. */
const HEAD_EVERY_MS = 1_000;
const RETRY_MS = { first: 100, longest: 5_000 };

/** History, then live events, in successive calls: each continues after the last event of the one before. */
export async function* follow(source: ServerStream, options: SubscribeOptions): AsyncGenerator<SubscriptionMessage> {
  const { signal, onTrouble } = options;
  const place = new SubscriptionPlace(options.after);
  let pause = RETRY_MS.first;
  while (!signal.aborted) {
    try {
      for await (const message of followOnce(source, place, options)) {
        pause = RETRY_MS.first;
        yield message;
      }
    } catch (error) {
      if (error instanceof ForeignEventError) await source.admission.own?.refresh().catch(() => undefined);
      // An unreachable store, for any reason, does not end a subscription.
      if (!signal.aborted) onTrouble?.(error as Error);
    }
    if (signal.aborted) return;
    await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
    pause = Math.min(pause * 2, RETRY_MS.longest);
  }
}

type FollowOptions = Omit<SubscribeOptions, 'after'>;

/**
 * Follows one call, which ends when the server ends it or the signal aborts. Yields `caught-up` once everything up to
 * the head at the start of the call has been delivered. The server's own reports are unreliable: old versions send
 * none, and newer ones are silent while the end of the log does not match. A silent subscription therefore reads
 * the rest of the log itself.
 * @throws when the call breaks or does not deliver existing events
 */
export async function* followOnce(
  source: ServerStream,
  place: SubscriptionPlace,
  { filter, signal, batchSize = BATCH_SIZE, notBefore = () => 0 }: FollowOptions,
): AsyncGenerator<SubscriptionMessage> {
  const target = (await lastEvent(source))?.position ?? null;
  place.know(target);
  const lookout = new Lookout(source, place, filter);
  let behind = true;
  using call = new SubscriptionCall(source.client, place.resume, filter);
  while (!signal.aborted) {
    if (behind && (target === null || place.has(target))) {
      yield { kind: 'caught-up' };
      behind = false;
    }
    const filledAt = performance.now() + FILL_MS;
    const items = await call.take(batchSize, lookout.after, behind ? () => filledAt : notBefore, signal);
    if (items === null || signal.aborted) return;
    const events: RecordedEvent[] = [];
    let foreign: Error | null = null;
    try {
      for (const event of wanted(items, source, place, filter)) events.push(event);
    } catch (error) {
      foreign = error as Error;
    }
    if (events.length > 0) {
      place.tell(events.at(-1)!.position);
      yield { kind: 'events', events };
    }
    if (foreign !== null) throw foreign;
    await lookout.consider(items.length > 0, behind && items.some((item) => 'caughtUp' in item));
    yield* place.checkpoint();
  }
}

/** Yields each event once, and moves the place after it. @throws ForeignEventError, with the place before it */
function* wanted(
  items: readonly Item[],
  { admission: { own } }: ServerStream,
  place: SubscriptionPlace,
  filter: EventFilter | undefined,
): Generator<RecordedEvent> {
  for (const item of items) {
    if ('checkpoint' in item && isCheckpoint(item.checkpoint)) place.pass(toPosition(item.checkpoint));
    if (!('event' in item) || !item.event) continue;
    const position = toPosition(item.event.position);
    // The last one may come again after a break.
    if (place.has(position)) continue;
    const event = toRecorded(item.event, own);
    place.pass(position);
    if (!event) continue;
    place.know(position);
    if (matches(filter, event)) yield event;
  }
}

/** Looks at the log itself, because the server's silence is ambiguous. */
class Lookout {
  /** Length of a silence before looking. */
  after = LOOK_AFTER_MS.first;
  private headReadAt = performance.now();
  private overdueSince: number | null = null;

  constructor(
    private readonly source: ServerStream,
    private readonly place: SubscriptionPlace,
    private readonly filter: EventFilter | undefined,
  ) {}

  async consider(came: boolean, atOnce: boolean): Promise<void> {
    if (came) {
      this.after = LOOK_AFTER_MS.first;
      this.overdueSince = null;
    }
    if (!came || atOnce) return this.look();
    if (!this.place.beyondKnown || performance.now() - this.headReadAt < HEAD_EVERY_MS) return;
    this.headReadAt = performance.now();
    this.place.know((await lastEvent(this.source))?.position ?? null);
  }

  private async look(): Promise<void> {
    const passed = await passUnmatched(this.source, this.place.resume, this.filter, LOOK_AT);
    this.place.pass(passed.position);
    this.place.know(passed.event);
    this.after = passed.position ? LOOK_AFTER_MS.first : Math.min(this.after * 2, LOOK_AFTER_MS.longest);
    if (!passed.matched) return;
    this.after = Math.min(this.after, OVERDUE_MS / 10);
    this.overdueSince ??= performance.now();
    if (performance.now() - this.overdueSince > OVERDUE_MS)
      throw new EventStoreUnavailableError('the event store holds events that it does not return');
  }
}
