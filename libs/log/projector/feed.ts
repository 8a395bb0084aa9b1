import type { EventReader, Position, RecordedEvent } from '#ports/event-store/port.js';
import { Backoff } from './backoff.js';
import { headOf, placeOf, type LogPlace } from './log-place.js';
import { Pace } from './pace.js';
import { Troubles } from '#log/troubles.js';

export interface FeedMember {
  /** Receives all events up to a place, in log order and once each; must return synchronously. */
  receive(events: readonly RecordedEvent[], place: LogPlace): void;
}

/** Batches a second under load, and how many before that are not held back. */
const PER_SECOND = 50;
const BURST = 20;
/**
 * A batch of more events is held back as long as 2.5 others: 20 a second. The read models of a recorded call then cost a quarter
 * less than with 50. A full batch is not, because waiting would make it no larger.
 */
const MANY = 20;
const STEPS_OF_MANY = 2.5;
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
    const following = {
      after: this.position,
      signal,
      onTrouble: this.troubles.met,
      batchSize: FULL_BATCH,
      notBefore: () => pace.next,
    };
    for await (const message of this.eventStore.subscribe(following)) {
      this.troubles.over();
      alive();
      if (message.kind === 'events') this.give(message.events, placeOf(message.events.at(-1)!));
      else if (message.kind === 'checkpoint') this.give([], { position: message.position, eventId: null });
      else continue;
      const count = message.kind === 'events' ? message.events.length : 0;
      pace.step(count > MANY && count < FULL_BATCH ? STEPS_OF_MANY : 1);
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
