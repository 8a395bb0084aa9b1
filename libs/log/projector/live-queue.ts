import type { RecordedEvent } from '#ports/event-store/port.js';
import type { FeedMember } from './feed.js';
import type { HandledTypes } from './handled-types.js';
import type { LogPlace } from './log-place.js';

/**
 * A projection with more pending events than this leaves the feed and reads on its own, so that memory stays bounded.
 */
const MAX_QUEUED = 2_000;

interface Live {
  readonly events: readonly RecordedEvent[];
  readonly place: LogPlace;
  /** Events of the log up to that point, unhandled ones included. */
  readonly passed: number;
}

/** Live events waiting for one projection. Events that arrive while it is busy are absorbed together. */
export class LiveQueue implements FeedMember {
  overflowed = false;
  private events: RecordedEvent[] = [];
  private place: LogPlace | null = null;
  private passed = 0;
  private wake: (() => void) | null = null;

  constructor(
    private readonly types: HandledTypes,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', () => this.wake?.(), { once: true });
  }

  get length(): number {
    return this.events.length;
  }

  receive(events: readonly RecordedEvent[], place: LogPlace): void {
    for (const event of events) if (this.types.concern(event.type)) this.events.push(event);
    this.place = place;
    this.passed += events.length;
    this.overflowed ||= this.events.length > MAX_QUEUED;
    this.wake?.();
  }

  /** The next live events, once there are some; null when the signal aborts. */
  async next(): Promise<Live | null> {
    while (this.place === null) {
      if (this.signal.aborted) return null;
      await new Promise<void>((resolve) => (this.wake = resolve));
      this.wake = null;
    }
    if (this.signal.aborted) return null;
    const live = { events: this.events, place: this.place, passed: this.passed };
    this.events = [];
    this.passed = 0;
    this.place = null;
    return live;
  }
}
