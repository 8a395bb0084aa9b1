import type { EventReader, Position, RecordedEvent } from '#ports/event-store/port.js';
import { comesWithCalls } from '#domain/inference/index.js';
import { Pace } from '#primitives/waiting/pace.js';
import { Backoff } from './backoff.js';
import { headOf, placeOf, type LogPlace } from './log-place.js';
import { Troubles } from '#log/troubles.js';

export interface FeedMember {
  /** Receives all events up to a place, in log order and once each; must return synchronously. */
  receive(events: readonly RecordedEvent[], place: LogPlace): void;
}

/** Batches a second under load, and how many before that are not held back. */
const PER_SECOND = 50;
const BURST = 20;
/**
 * After more events within this time, in one batch or several, those of calls wait as long for others: the read models of a call then
 * cost a third less than at 20 batches a second. Events for which a request may wait do not.
 */
const MANY = 20;
const CALLS_WAIT_MS = 250;
const FULL_BATCH = 500;
/** Events kept for members that join while events come in. */
const RECENT = 256;

/** Reads live events once for all projections that have caught up. */
export class LiveFeed {
  position: Position | null = null;
  private readonly members = new Set<FeedMember>();
  private started = false;
  private recent: RecordedEvent[] = [];
  /** Everything after this place is in `recent`. */
  private recentAfter: Position | null = null;
  private readonly troubles: Troubles;

  /** @param onTrouble called with a reason for which the log could not be read repeatedly */
  constructor(
    private readonly eventStore: EventReader,
    onTrouble?: (error: Error) => void,
  ) {
    this.troubles = new Troubles(onTrouble);
  }

  /** The error that keeps the feed from reading the log; null while it can. */
  get error(): string | null {
    return this.troubles.error;
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff();
    while (!signal.aborted) {
      try {
        await this.follow(signal, () => backoff.reset());
      } catch (error) {
        this.troubles.met(error as Error);
        await backoff.wait(signal);
      }
    }
  }

  /**
   * Delivers to the member every event after `position` from now on.
   * @returns false if some of them have left the buffer, so that the member must first catch up from the log
   */
  join(member: FeedMember, position: Position | null): boolean {
    if (!this.started) return false;
    if (this.recentAfter !== null && (position === null || position < this.recentAfter)) return false;
    this.members.add(member);
    if (this.position === null || (position !== null && position >= this.position)) return true;
    const missed = this.recent.filter((event) => position === null || event.position > position);
    const last = missed.at(-1);
    const eventId = last?.position === this.position ? last.id : null;
    member.receive(missed, { position: this.position, eventId });
    return true;
  }

  leave(member: FeedMember): void {
    this.members.delete(member);
  }

  private async follow(signal: AbortSignal, alive: () => void): Promise<void> {
    if (!this.started) {
      const head = await headOf(this.eventStore);
      this.recentAfter = this.position = head?.position ?? null;
      this.started = true;
    }
    const pace = new Pace(PER_SECOND, BURST);
    let callsAt = 0;
    let counted = { since: 0, events: 0 };
    const following = {
      after: this.position,
      signal,
      onTrouble: this.troubles.met,
      batchSize: FULL_BATCH,
      notBefore: (type: string) => Math.max(pace.next, comesWithCalls(type) ? callsAt : 0),
    };
    for await (const message of this.eventStore.subscribe(following)) {
      this.troubles.over();
      alive();
      if (message.kind === 'events') this.give(message.events, placeOf(message.events.at(-1)!));
      else if (message.kind === 'checkpoint') this.give([], { position: message.position, eventId: null });
      else continue;
      pace.step();
      if (message.kind !== 'events') continue;
      const now = performance.now();
      if (now - counted.since > CALLS_WAIT_MS) counted = { since: now, events: 0 };
      counted.events += message.events.length;
      callsAt = counted.events > MANY ? now + CALLS_WAIT_MS : 0;
    }
  }

  private give(events: readonly RecordedEvent[], place: LogPlace): void {
    this.position = place.position;
    this.recent.push(...events);
    if (this.recent.length > RECENT * 2) {
      const forgotten = this.recent.splice(0, this.recent.length - RECENT);
      this.recentAfter = forgotten.at(-1)!.position;
    }
    for (const member of this.members) member.receive(events, place);
  }
}
